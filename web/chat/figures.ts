// Marks the figures of an answer in its Markdown, after it was sanitised: each becomes an element <figure-mark data-n="…">.
import type { Figure } from './types'

interface Node {
	type: string
	tagName?: string
	value?: string
	properties?: Record<string, unknown>
	children?: Node[]
	position?: { start: { offset?: number }; end: { offset?: number } }
}

// Bytes of UTF-8 to places in a string.
function places(text: string, figures: Figure[]): number[] {
	const bytes = new TextEncoder().encode(text)
	const decoder = new TextDecoder()
	return figures.map(f => decoder.decode(bytes.subarray(0, f.at)).length)
}

function cut(node: Node, marks: { n: number; at: number; text: string }[]): Node[] {
	const value = node.value ?? ''
	const start = node.position?.start.offset ?? 0
	const out: Node[] = []
	let end = 0
	for (const m of marks) {
		// Escapes make the source longer than the text: the figure stands at its place, or before it.
		let found = value.startsWith(m.text, m.at - start) ? m.at - start : value.lastIndexOf(m.text, m.at - start)
		if (found < end) found = value.indexOf(m.text, end)
		if (found < end) continue
		if (found > end) out.push({ type: 'text', value: value.slice(end, found) })
		end = found + m.text.length
		out.push({
			type: 'element',
			tagName: 'figure-mark',
			properties: { dataN: m.n },
			children: [{ type: 'text', value: m.text }],
		})
	}
	if (end < value.length) out.push({ type: 'text', value: value.slice(end) })
	return out
}

export function markFigures(source: string, figures: Figure[]) {
	const at = places(source, figures)
	const visit = (node: Node) => {
		node.children = node.children?.flatMap(child => {
			if (child.type !== 'text') {
				visit(child)
				return [child]
			}
			const from = child.position?.start.offset ?? -1
			const to = child.position?.end.offset ?? -1
			const here = figures.flatMap((f, n) => (at[n]! >= from && at[n]! < to ? [{ n, at: at[n]!, text: f.text }] : []))
			return here.length ? cut(child, here) : [child]
		})
	}
	return () => visit
}
