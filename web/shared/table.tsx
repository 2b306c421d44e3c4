// A table of results: filtered, sorted by a click on a head, copied, saved as CSV, drawn as a chart. Only rows in sight are drawn.
import { useVirtualizer } from '@tanstack/react-virtual'
import { ArrowDown, ArrowUp, ChartColumn, Check, Copy, Download, ListFilter } from 'lucide-react'
import { Suspense, lazy, useEffect, useMemo, useRef, useState } from 'react'
import { cellText as textOf, filtered } from './filter'
import { saveFile } from './save'
import { Button } from './ui'

const ROW_PX = 33

const QuickChart = lazy(() => import('./quick_chart'))

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
	const [isFiltering, setFiltering] = useState(false)
	const [words, setWords] = useState('')
	const [conditions, setConditions] = useState<Record<number, string>>({})
	const [isDrawn, setDrawn] = useState(false)
	const box = useRef<HTMLDivElement>(null)
	const order = useMemo(() => {
		const all = isFiltering ? filtered(rows, words, conditions) : rows.map((_, i) => i)
		if (sort)
			all.sort((a, b) => compare(rows[a]![sort.column], rows[b]![sort.column]) * (sort.isDown ? -1 : 1) || a - b)
		return all
	}, [rows, sort, isFiltering, words, conditions])
	const list = useVirtualizer({
		count: order.length,
		getScrollElement: () => box.current,
		estimateSize: () => ROW_PX,
		overscan: 12,
		initialRect: { width: 600, height: 320 },
	})
	const place = lit ? order.indexOf(lit.row - 1) : -1
	// A cell that is asked for is not hidden by a filter.
	useEffect(() => {
		if (lit) setFiltering(false)
	}, [lit])
	useEffect(() => {
		if (place >= 0) list.scrollToIndex(place, { align: 'center' })
	}, [lit, place >= 0]) // only when another cell is asked for
	const inSight = list.getVirtualItems()
	const above = inSight[0]?.start ?? 0
	const below = list.getTotalSize() - (inSight.at(-1)?.end ?? 0)
	const sorted = () => order.map(i => rows[i]!)
	const turn = (column: number) =>
		setSort(s => (s?.column !== column ? { column, isDown: false } : s.isDown ? null : { column, isDown: true }))
	return (
		<div className="overflow-hidden rounded-md border border-line">
			{isFiltering && (
				<div className="flex flex-wrap items-center gap-2 border-b border-line bg-panel px-2 py-1.5">
					<input
						autoFocus
						type="search"
						aria-label={`Filter the rows of ${name}`}
						placeholder="In any column"
						value={words}
						onChange={e => setWords(e.target.value)}
						onKeyDown={e => e.key === 'Escape' && setFiltering(false)}
						className="min-h-8 min-w-0 grow rounded-md border border-line bg-page px-2 text-sm placeholder:text-quiet"
					/>
					<span role="status" className="text-sm text-quiet">
						{numbers.format(order.length)} of {numbers.format(rows.length)} rows
					</span>
				</div>
			)}
			<div ref={box} className="max-h-80 overflow-auto" tabIndex={0} role="region" aria-label={`Rows of ${name}`}>
				<table className="w-full border-separate border-spacing-0 text-sm tabular-nums" aria-rowcount={order.length + 1}>
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
									{isFiltering && (
										<input
											aria-label={`Filter ${c}`}
											placeholder={isNumber(rows[0]?.[i]) ? '> 0' : 'has'}
											title="A word, or a comparison: > 100, <= 2024-05-01, = DE, != DE"
											value={conditions[i] ?? ''}
											onChange={e => setConditions({ ...conditions, [i]: e.target.value })}
											onKeyDown={e => e.key === 'Escape' && setFiltering(false)}
											className="mx-2 mb-1.5 block w-[calc(100%-1rem)] min-w-16 rounded border border-line bg-page px-1.5 py-0.5 text-sm font-normal placeholder:text-quiet"
										/>
									)}
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
						{order.length === 0 && (
							<tr>
								<td colSpan={columns.length} className="px-3 py-2 text-quiet">
									{rows.length === 0 ? 'No rows.' : 'No row matches.'}
								</td>
							</tr>
						)}
						{below > 0 && (
							<tr aria-hidden>
								<td colSpan={columns.length} style={{ height: below }} />
							</tr>
						)}
					</tbody>
				</table>
			</div>
			{isDrawn && (
				<Suspense fallback={<p className="px-3 py-2 text-quiet">Drawing …</p>}>
					<QuickChart name={name} columns={columns} rows={sorted()} />
				</Suspense>
			)}
			<div className="flex flex-wrap items-center gap-2 border-t border-line bg-panel px-2 py-1.5">
				<Button aria-pressed={isFiltering} onClick={() => setFiltering(!isFiltering)} className="aria-pressed:border-accent">
					<ListFilter aria-hidden className="size-4" /> Filter
				</Button>
				<Button aria-pressed={isDrawn} onClick={() => setDrawn(!isDrawn)} className="aria-pressed:border-accent">
					<ChartColumn aria-hidden className="size-4" /> Chart
				</Button>
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
