// A table of results: sorted by a click on a head, copied, saved as CSV. Only rows in sight are drawn.
import { useVirtualizer } from '@tanstack/react-virtual'
import { ArrowDown, ArrowUp, Check, Copy, Download } from 'lucide-react'
import { useEffect, useMemo, useRef, useState } from 'react'
import { saveFile } from './save'
import { Button } from './ui'

const ROW_PX = 33

const textOf = (v: unknown): string =>
	v === null || v === undefined ? '' : typeof v === 'object' ? JSON.stringify(v) : String(v)

const isNumber = (v: unknown): v is number => typeof v === 'number'
const numbers = new Intl.NumberFormat(undefined, { maximumFractionDigits: 20 })
const shown = (v: unknown) => (isNumber(v) ? numbers.format(v) : textOf(v))

export function compare(a: unknown, b: unknown): number {
	if (a === null || a === undefined) return b === null || b === undefined ? 0 : 1
	if (b === null || b === undefined) return -1
	if (isNumber(a) && isNumber(b)) return a - b
	return textOf(a).localeCompare(textOf(b), undefined, { numeric: true })
}

const quoted = (text: string) => (/[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text)
// A text that a spreadsheet would run as a formula gets an apostrophe.
const safe = (v: unknown) => (typeof v === 'string' && /^[=+\-@\t\r]/.test(v) ? `'${v}` : textOf(v))
export const csvOf = (columns: string[], rows: unknown[][]) =>
	[columns, ...rows].map(r => r.map(v => quoted(safe(v))).join(',')).join('\r\n') + '\r\n'
const tabbed = (columns: string[], rows: unknown[][]) =>
	[columns, ...rows].map(r => r.map(v => textOf(v).replace(/[\t\r\n]+/g, ' ')).join('\t')).join('\n')

interface Sort {
	column: number
	isDown: boolean
}

interface Props {
	name: string // of the file that is saved
	columns: string[]
	rows: unknown[][]
	lit?: { row: number; column: string } | null // row counts from 1
}

export function ResultTable({ name, columns, rows, lit = null }: Props) {
	const [sort, setSort] = useState<Sort | null>(null)
	const [isCopied, setCopied] = useState(false)
	const box = useRef<HTMLDivElement>(null)
	const order = useMemo(() => {
		const all = rows.map((_, i) => i)
		if (sort)
			all.sort((a, b) => compare(rows[a]![sort.column], rows[b]![sort.column]) * (sort.isDown ? -1 : 1) || a - b)
		return all
	}, [rows, sort])
	const list = useVirtualizer({
		count: order.length,
		getScrollElement: () => box.current,
		estimateSize: () => ROW_PX,
		overscan: 12,
		initialRect: { width: 600, height: 320 },
	})
	const place = lit ? order.indexOf(lit.row - 1) : -1
	useEffect(() => {
		if (place >= 0) list.scrollToIndex(place, { align: 'center' })
	}, [lit]) // only when another cell is asked for
	const inSight = list.getVirtualItems()
	const above = inSight[0]?.start ?? 0
	const below = list.getTotalSize() - (inSight.at(-1)?.end ?? 0)
	const sorted = () => order.map(i => rows[i]!)
	const turn = (column: number) =>
		setSort(s => (s?.column !== column ? { column, isDown: false } : s.isDown ? null : { column, isDown: true }))
	return (
		<div className="overflow-hidden rounded-md border border-line">
			<div ref={box} className="max-h-80 overflow-auto" tabIndex={0} role="region" aria-label={`Rows of ${name}`}>
				<table className="w-full border-separate border-spacing-0 text-sm tabular-nums" aria-rowcount={rows.length + 1}>
					<thead>
						<tr>
							{columns.map((c, i) => (
								<th
									key={i}
									scope="col"
									aria-sort={sort?.column === i ? (sort.isDown ? 'descending' : 'ascending') : 'none'}
									className="sticky top-0 z-10 border-b border-line bg-sunk p-0 text-left font-medium"
								>
									<button
										type="button"
										onClick={() => turn(i)}
										title={`Sort by ${c}`}
										className={`flex w-full items-center gap-1 px-3 py-1.5 whitespace-nowrap hover:text-accent ${isNumber(rows[0]?.[i]) ? 'justify-end' : ''}`}
									>
										{c}
										{sort?.column === i &&
											(sort.isDown ? <ArrowDown aria-hidden className="size-3.5" /> : <ArrowUp aria-hidden className="size-3.5" />)}
									</button>
								</th>
							))}
						</tr>
					</thead>
					<tbody>
						{above > 0 && (
							<tr aria-hidden>
								<td colSpan={columns.length} style={{ height: above }} />
							</tr>
						)}
						{inSight.map(v => (
							<tr key={v.key} className="h-[33px]" aria-rowindex={v.index + 2}>
								{rows[order[v.index]!]!.map((value, i) => {
									const isLit = v.index === place && columns[i] === lit?.column
									return (
										<td
											key={i}
											className={`max-w-80 truncate border-b border-line px-3 py-1 ${isNumber(value) ? 'text-right' : ''} ${isLit ? 'bg-accent-soft font-semibold outline-2 -outline-offset-2 outline-accent' : ''}`}
											title={textOf(value).length > 40 ? textOf(value) : undefined}
											aria-current={isLit || undefined}
										>
											{value === null ? <span className="text-quiet italic">none</span> : shown(value)}
										</td>
									)
								})}
							</tr>
						))}
						{below > 0 && (
							<tr aria-hidden>
								<td colSpan={columns.length} style={{ height: below }} />
							</tr>
						)}
					</tbody>
				</table>
			</div>
			<div className="flex flex-wrap items-center gap-2 border-t border-line bg-panel px-2 py-1.5">
				<Button
					onClick={async () => {
						await navigator.clipboard.writeText(tabbed(columns, sorted()))
						setCopied(true)
						setTimeout(() => setCopied(false), 1500)
					}}
				>
					{isCopied ? <Check aria-hidden className="size-4" /> : <Copy aria-hidden className="size-4" />}
					{isCopied ? 'Copied' : 'Copy'}
				</Button>
				<Button onClick={() => saveFile(`${name}.csv`, 'text/csv', csvOf(columns, sorted()))}>
					<Download aria-hidden className="size-4" /> CSV
				</Button>
			</div>
		</div>
	)
}
