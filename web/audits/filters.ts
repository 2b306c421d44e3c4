// The filter of MongoDB that finds what a picture shows: a bar of a histogram, a value.
export type Filter = Record<string, unknown>

const isNumber = (v: unknown): v is number => typeof v === 'number'
const isTime = (v: unknown): v is string => typeof v === 'string' && /^-?\d{4,6}-\d\d-\d\dT/.test(v)
// The names of a map's members are data, and a name with an escape has no form in a filter.
const canAsk = (path: string) => !/[*\\]/.test(path)

// A path as distributions write it: "items[].price". Within an array one item must fit the whole condition.
function at(path: string, condition: Filter): Filter {
	const [first, ...rest] = path.split('[]')
	if (!rest.length) return { [path]: condition }
	const below = rest.join('[]').replace(/^\./, '')
	return { [first!]: { $elemMatch: below ? at(below, condition) : condition } }
}

export type Measure = 'value' | 'length' | 'size'

// Of the bar between two edges; the last one holds its upper edge as well. Null: the edges are masked, or no filter says it.
export function ofBar(path: string, measure: Measure, from: unknown, to: unknown, isLast: boolean): Filter | null {
	const upper = isLast ? '$lte' : '$lt'
	if (!canAsk(path)) return null
	if (measure === 'value') {
		if (isNumber(from) && isNumber(to)) return at(path, { $gte: from, [upper]: to })
		if (isTime(from) && isTime(to)) return at(path, { $gte: { $date: from }, [upper]: { $date: to } })
		return null
	}
	if (!isNumber(from) || !isNumber(to) || path.includes('[]')) return null
	// The type is tested first: to measure anything else is an error.
	const [type, operator] = measure === 'length' ? ['string', '$strLenCP'] : ['array', '$size']
	const size = { [operator]: `$${path}` }
	return {
		$expr: { $cond: [{ $eq: [{ $type: `$${path}` }, type] }, { $and: [{ $gte: [size, from] }, { [upper]: [size, to] }] }, false] },
	}
}

export const ofValue = (path: string, value: unknown): Filter | null => (canAsk(path) ? at(path, { $eq: value }) : null)
