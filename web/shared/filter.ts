// Which rows of a table are shown: a text that any column has, and a condition for each column.
export const cellText = (v: unknown): string =>
	v === null || v === undefined ? '' : typeof v === 'object' ? JSON.stringify(v) : String(v)

const CONDITION = /^(<=|>=|!=|<|>|=)\s*(.*)$/s

// "berlin": the column has it, in any case. "> 100", "<= 2024-05-01", "= DE", "!= DE": compared. '' = any.
export function columnTest(condition: string): (v: unknown) => boolean {
	const wanted = condition.trim().toLowerCase()
	const m = CONDITION.exec(wanted)
	if (!m) return v => cellText(v).toLowerCase().includes(wanted)
	const [, sign, right] = m as unknown as [string, string, string]
	const number = right.trim() === '' ? NaN : Number(right)
	return v => {
		if (right === '') return true // it is still being typed
		const left = cellText(v).toLowerCase()
		const isNumeric = typeof v === 'number' && !Number.isNaN(number)
		if (v === null || v === undefined) return sign === '!='
		const order = isNumeric ? v - number : left < right ? -1 : left > right ? 1 : 0
		switch (sign) {
			case '<':
				return order < 0
			case '<=':
				return order <= 0
			case '>':
				return order > 0
			case '>=':
				return order >= 0
			case '!=':
				return order !== 0
			default:
				return order === 0
		}
	}
}

export function filtered(rows: unknown[][], text: string, conditions: Record<number, string>): number[] {
	const words = text.trim().toLowerCase()
	const tests = Object.entries(conditions)
		.filter(([, c]) => c.trim())
		.map(([i, c]) => [Number(i), columnTest(c)] as const)
	const all = rows.map((_, i) => i)
	if (!words && tests.length === 0) return all
	return all.filter(i => {
		const row = rows[i]!
		return (!words || row.some(v => cellText(v).toLowerCase().includes(words))) && tests.every(([k, t]) => t(row[k]))
	})
}
