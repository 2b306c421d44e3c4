// Two texts line by line: Myers' shortest edit, up to a size that a browser does at once.
export interface DiffLine {
	mark: ' ' | '-' | '+'
	text: string
}

const MAX_EDITS = 2000

function middle(a: string[], b: string[]): DiffLine[] {
	const whole = (): DiffLine[] => [...a.map(text => ({ mark: '-' as const, text })), ...b.map(text => ({ mark: '+' as const, text }))]
	const max = Math.min(a.length + b.length, MAX_EDITS)
	const steps: Map<number, number>[] = [] // for each number of edits: diagonal -> how far into a
	let far = new Map([[1, 0]])
	let edits = -1
	for (let d = 0; d <= max && edits < 0; d++) {
		steps.push(far)
		const next = new Map<number, number>()
		for (let k = -d; k <= d; k += 2) {
			const down = far.get(k + 1) ?? -1
			const right = (far.get(k - 1) ?? -2) + 1
			let x = k === -d || (k !== d && right <= down) ? down : right
			while (x < a.length && x - k < b.length && a[x] === b[x - k]) x++
			next.set(k, x)
			if (x >= a.length && x - k >= b.length) {
				edits = d
				break
			}
		}
		far = next
	}
	if (edits < 0) return whole()
	const out: DiffLine[] = []
	let x = a.length
	let y = b.length
	for (let d = edits; d >= 0; d--) {
		const before = steps[d]!
		const k = x - y
		const down = before.get(k + 1) ?? -1
		const right = (before.get(k - 1) ?? -2) + 1
		const isDown = k === -d || (k !== d && right <= down)
		const fromX = isDown ? down : right - 1
		const fromY = fromX - (isDown ? k + 1 : k - 1)
		while (x > (isDown ? fromX : fromX + 1) && y > (isDown ? fromY + 1 : fromY)) {
			out.push({ mark: ' ', text: a[--x]! })
			y--
		}
		if (d === 0) break
		if (isDown) out.push({ mark: '+', text: b[--y]! })
		else out.push({ mark: '-', text: a[--x]! })
	}
	return out.reverse()
}

export function diffLines(before: string, after: string): DiffLine[] {
	const a = before.split('\n')
	const b = after.split('\n')
	let start = 0
	while (start < a.length && start < b.length && a[start] === b[start]) start++
	let end = 0
	while (end < a.length - start && end < b.length - start && a[a.length - 1 - end] === b[b.length - 1 - end]) end++
	const same = (lines: string[]): DiffLine[] => lines.map(text => ({ mark: ' ', text }))
	return [
		...same(a.slice(0, start)),
		...middle(a.slice(start, a.length - end), b.slice(start, b.length - end)),
		...same(a.slice(a.length - end)),
	]
}
