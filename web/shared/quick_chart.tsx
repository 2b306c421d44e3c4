// A chart of the rows in view: bars, or lines over time, of numeric columns along one other column. Drawn without a library.
import { useEffect, useId, useRef, useState } from 'react'
import { cellText } from './filter'

const MAX_POINTS = 500
const MAX_SERIES = 4
const HEIGHT = 240
const TOP = 10
const BOTTOM = 28
const LEFT = 56
const COLOURS = ['var(--accent)', 'var(--good)', 'var(--warn)', 'var(--bad)']
const compact = new Intl.NumberFormat(undefined, { notation: 'compact', maximumFractionDigits: 1 })
const full = new Intl.NumberFormat()

const isDate = (v: unknown) => typeof v === 'string' && /^\d{4}(-\d\d){1,2}([T ]|$)/.test(v)
const isNumberColumn = (rows: unknown[][], i: number) => rows.some(r => typeof r[i] === 'number') && rows.every(r => r[i] === null || typeof r[i] === 'number')

// Round steps that cover the values.
function ticks(low: number, high: number): number[] {
	const raw = (high - low || 1) / 4
	const power = 10 ** Math.floor(Math.log10(raw))
	const step = [1, 2, 5, 10].map(x => x * power).find(x => x >= raw)!
	const out = []
	for (let t = Math.floor(low / step) * step; t < high + step; t += step) out.push(Number(t.toPrecision(12)))
	return out
}

function useWidth() {
	const box = useRef<HTMLDivElement>(null)
	const [width, setWidth] = useState(600)
	useEffect(() => {
		const watch = new ResizeObserver(([e]) => e && setWidth(Math.max(200, Math.round(e.contentRect.width))))
		watch.observe(box.current!)
		return () => watch.disconnect()
	}, [])
	return { box, width }
}

interface Props {
	name: string
	columns: string[]
	rows: unknown[][]
}

export default function QuickChart({ name, columns, rows }: Props) {
	const id = useId()
	const { box, width } = useWidth()
	const numeric = columns.map((_, i) => i).filter(i => isNumberColumn(rows, i))
	const firstLabel = columns.findIndex((_, i) => !numeric.includes(i))
	const [along, setAlong] = useState(firstLabel >= 0 ? firstLabel : 0)
	const [hidden, setHidden] = useState<number[]>([])
	const isTime = rows.length > 1 && rows.every(r => r[along] === null || isDate(r[along]))
	const [kind, setKind] = useState<'bar' | 'line' | ''>('') // '' = what fits
	const shape = kind || (isTime ? 'line' : 'bar')
	const candidates = numeric.filter(i => i !== along).slice(0, MAX_SERIES)
	const series = candidates.filter(i => !hidden.includes(i))
	if (candidates.length === 0) return <p className="px-3 py-2 text-quiet">A chart needs a column of numbers, beside the one along which it is drawn.</p>
	let points = rows.slice(0, MAX_POINTS)
	if (isTime) points = [...points].sort((a, b) => cellText(a[along]).localeCompare(cellText(b[along])))
	const values = points.flatMap(r => series.map(i => Number(r[i] ?? 0)))
	const marks = ticks(Math.min(0, ...values), Math.max(0, ...values))
	const low = marks[0]!
	const high = marks.at(-1)!
	const plotWidth = width - LEFT - 8
	const slot = plotWidth / Math.max(1, points.length)
	const y = (v: number) => TOP + (HEIGHT - TOP - BOTTOM) * (1 - (v - low) / (high - low))
	const x = (k: number) => LEFT + slot * (k + 0.5)
	const every = Math.max(1, Math.ceil(points.length / Math.max(1, Math.floor(plotWidth / 90))))
	const bar = Math.max(1, (slot * 0.8) / Math.max(1, series.length))
	return (
		<figure className="space-y-2 border-t border-line px-3 py-3" data-chart={shape}>
			<div className="flex flex-wrap items-center gap-x-4 gap-y-2 text-sm">
				<label className="flex items-center gap-1.5">
					Along
					<select
						aria-label="Along which column"
						value={along}
						onChange={e => setAlong(Number(e.target.value))}
						className="min-h-8 max-w-40 rounded-md border border-line bg-panel px-2"
					>
						{columns.map((c, i) => (
							<option key={i} value={i}>
								{c}
							</option>
						))}
					</select>
				</label>
				<label className="flex items-center gap-1.5">
					As
					<select
						aria-label="Kind of chart"
						value={shape}
						onChange={e => setKind(e.target.value as 'bar' | 'line')}
						className="min-h-8 rounded-md border border-line bg-panel px-2"
					>
						<option value="bar">bars</option>
						<option value="line">lines</option>
					</select>
				</label>
				{candidates.map((i, k) => (
					<label key={i} className="flex items-center gap-1.5">
						<input
							type="checkbox"
							checked={series.includes(i)}
							onChange={() => setHidden(h => (h.includes(i) ? h.filter(x => x !== i) : [...h, i]))}
						/>
						<span aria-hidden className="size-2.5 rounded-sm" style={{ background: COLOURS[k] }} />
						{columns[i]}
					</label>
				))}
			</div>
			<div ref={box}>
				<svg width={width} height={HEIGHT} role="img" aria-labelledby={`${id}-title`} className="block max-w-full overflow-visible text-[11px]">
					<title id={`${id}-title`}>{`${shape === 'bar' ? 'Bars' : 'Lines'} of ${series.map(i => columns[i]).join(', ')} along ${columns[along]}, from ${name}`}</title>
					{marks.map(t => (
						<g key={t}>
							<line x1={LEFT} x2={width - 8} y1={y(t)} y2={y(t)} stroke="var(--line)" />
							<text x={LEFT - 6} y={y(t) + 4} textAnchor="end" fill="var(--quiet)">
								{compact.format(t)}
							</text>
						</g>
					))}
					{series.map((i, k) =>
						shape === 'bar' ? (
							points.map((r, p) => {
								const v = Number(r[i] ?? 0)
								return (
									<rect
										key={`${i}-${p}`}
										x={x(p) - (bar * series.length) / 2 + bar * k}
										width={Math.max(1, bar - 1)}
										y={Math.min(y(v), y(0))}
										height={Math.max(1, Math.abs(y(v) - y(0)))}
										rx={Math.min(3, bar / 4)}
										fill={COLOURS[candidates.indexOf(i)]}
									>
										<title>{`${cellText(r[along])}: ${columns[i]} ${full.format(v)}`}</title>
									</rect>
								)
							})
						) : (
							<g key={i} stroke={COLOURS[candidates.indexOf(i)]} fill={COLOURS[candidates.indexOf(i)]}>
								<polyline fill="none" strokeWidth={2} points={points.map((r, p) => `${x(p)},${y(Number(r[i] ?? 0))}`).join(' ')} />
								{points.length <= 60 &&
									points.map((r, p) => (
										<circle key={p} cx={x(p)} cy={y(Number(r[i] ?? 0))} r={3}>
											<title>{`${cellText(r[along])}: ${columns[i]} ${full.format(Number(r[i] ?? 0))}`}</title>
										</circle>
									))}
							</g>
						),
					)}
					{points.map(
						(r, p) =>
							p % every === 0 && (
								<text key={p} x={x(p)} y={HEIGHT - 10} textAnchor="middle" fill="var(--quiet)">
									{cellText(r[along]).slice(0, 14) || 'none'}
								</text>
							),
					)}
				</svg>
			</div>
			{rows.length > MAX_POINTS && <figcaption className="text-sm text-warn">Only the first {MAX_POINTS} rows are drawn: filter or sort them.</figcaption>}
		</figure>
	)
}
