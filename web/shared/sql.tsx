// SQL with colours. It only paints: what a statement may do is the guard's business.
export const WORDS =
	'select|from|where|group|by|order|having|limit|offset|join|left|right|full|inner|outer|cross|lateral|on|using|as|with|recursive|union|all|intersect|except|distinct|case|when|then|else|end|and|or|not|in|is|null|like|ilike|between|exists|asc|desc|nulls|first|last|over|partition|filter|rows|range|values|cast|interval|true|false|fetch|only|explain'
const TOKEN = new RegExp(
	`(--[^\\n]*|/\\*[\\s\\S]*?\\*/)|('(?:[^']|'')*'?)|("(?:[^"]|"")*"?)|(\\b\\d+(?:\\.\\d+)?\\b)|\\b(${WORDS})\\b`,
	'gi',
)
const QUOTED = /('(?:[^']|'')*'|"(?:[^"]|"")*")/
// Clauses that begin a line, when a statement came on one; what is in parentheses stays together.
const BREAK = /[()]|\s+(?=(?:from|where|group by|order by|having|limit|(?:left |right |full |inner |cross )?join|union)\b)/gi

export function laidOut(sql: string): string {
	if (/\n|--|\/\*/.test(sql)) return sql
	let depth = 0
	const turned = (m: string) => {
		if (m === '(') depth++
		else if (m === ')') depth--
		else if (depth === 0) return '\n'
		return m
	}
	return sql
		.split(QUOTED)
		.map((part, i) => (i % 2 ? part : part.replace(BREAK, turned)))
		.join('')
}

export function Sql({ text }: { text: string }) {
	const sql = laidOut(text)
	const out = []
	let end = 0
	for (const m of sql.matchAll(TOKEN)) {
		if (m.index > end) out.push(sql.slice(end, m.index))
		end = m.index + m[0].length
		const colour = m[1] ? 'text-quiet italic' : m[2] ? 'text-lit' : m[4] ? 'text-num' : m[5] ? 'text-key font-semibold' : ''
		out.push(
			<span key={m.index} className={colour}>
				{m[0]}
			</span>,
		)
	}
	out.push(sql.slice(end))
	return (
		<pre tabIndex={0} aria-label="SQL" className="overflow-x-auto rounded-md bg-sunk px-3 py-2 font-mono text-[13px] leading-normal">
			<code>{out}</code>
		</pre>
	)
}
