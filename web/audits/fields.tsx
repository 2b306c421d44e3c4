// The fields of a collection with pictures of their values: found by words, drawn only where they are in sight.
import { Search } from 'lucide-react'
import { type ComponentType, useDeferredValue, useMemo, useState } from 'react'
import type { ListProps } from '../shared/list'
import { Button } from '../shared/ui'
import { type Measure, ofBar, ofValue } from './filters'
import { count, many, share } from './marks'
import { useDocuments } from './opener'
import type { Distribution, Histogram } from './types'

const textOf = (v: unknown): string => {
	if (v === null || v === undefined) return 'none'
	if (typeof v === 'object' && v !== null && '$date' in v) return String((v as { $date: unknown }).$date)
	return typeof v === 'object' ? JSON.stringify(v) : typeof v === 'number' ? count(v) : String(v)
}
const edge = (v: number | string | undefined) => (typeof v === 'string' ? v.replace(/T00:00:00Z$/, '') : v === undefined ? '' : count(v))

function Outside({ n, marked = 0, words }: { n: number; marked?: number; words: string }) {
	if (!n) return <span />
	return (
		<span className={marked ? 'text-bad' : 'text-quiet'}>
			{count(n)} {words}
			{marked > 0 && marked < n && `, ${count(marked)} of them affected`}
		</span>
	)
}

// With documents to show, each bar is a button; the arrow keys walk over them.
function Bars({ of, label, path, measure }: { of: Histogram; label: string; path: string; measure: Measure }) {
	const show = useDocuments()
	const [place, setPlace] = useState(0)
	const most = Math.max(1, ...of.counts)
	const last = of.counts.length - 1
	const filters = of.counts.map((_, i) => (show ? ofBar(path, measure, of.edges[i], of.edges[i + 1], i === last) : null))
	const isLive = filters.some(Boolean)
	const walk = (e: React.KeyboardEvent<HTMLElement>) => {
		const to = e.key === 'ArrowRight' ? place + 1 : e.key === 'ArrowLeft' ? place - 1 : e.key === 'Home' ? 0 : e.key === 'End' ? last : -1
		if (to < 0 || to > last) return
		e.preventDefault()
		setPlace(to)
		;(e.currentTarget.children[to] as HTMLElement | undefined)?.focus()
	}
	return (
		<figure className="min-w-0">
			<div
				className="flex h-16 items-end gap-px"
				role={isLive ? 'group' : 'img'}
				aria-label={`${label}: ${of.counts.length} bars from ${edge(of.edges[0])} to ${edge(of.edges.at(-1))}`}
				onKeyDown={isLive ? walk : undefined}
			>
				{of.counts.map((n, i) => {
					const bad = of.marked?.[i] ?? 0
					const range = `${edge(of.edges[i])} to ${edge(of.edges[i + 1])}`
					const title = `${range}: ${count(n)}${bad ? `, ${count(bad)} of them affected` : ''}`
					const bar = (
						<span className="flex w-full flex-col justify-end bg-accent/70" style={{ height: `${n ? Math.max(3, (100 * n) / most) : 0}%` }}>
							{bad > 0 && <span className="striped" style={{ height: `${Math.max(8, (100 * bad) / n)}%` }} />}
						</span>
					)
					const look = 'flex h-full min-w-0 grow basis-0 flex-col justify-end'
					const filter = filters[i]
					return isLive ? (
						<button
							key={i}
							type="button"
							title={title}
							aria-label={title}
							tabIndex={i === place ? 0 : -1}
							onFocus={() => setPlace(i)}
							onClick={() => filter && show?.({ filter: JSON.stringify(filter), title: `${path}, ${label}: ${range}` })}
							className={`${look} rounded-t-sm hover:bg-sunk focus-visible:bg-sunk`}
						>
							{bar}
						</button>
					) : (
						<span key={i} title={title} className={look}>
							{bar}
						</span>
					)
				})}
			</div>
			<figcaption className="flex justify-between gap-2 border-t border-line text-xs text-quiet tabular-nums">
				<span>{edge(of.edges[0])}</span>
				<span>{label}</span>
				<span>{edge(of.edges.at(-1))}</span>
			</figcaption>
			{(of.below > 0 || of.above > 0) && (
				<p className="flex justify-between gap-2 text-xs tabular-nums">
					<Outside n={of.below} marked={of.marked_below} words="below" />
					<Outside n={of.above} marked={of.marked_above} words="above" />
				</p>
			)}
		</figure>
	)
}

function Value({ of, path, look, show }: { of: unknown; path: string; look: string; show: ReturnType<typeof useDocuments> }) {
	const text = textOf(of) || '(empty)'
	const filter = show && ofValue(path, of)
	if (!filter) {
		return (
			<span className={look} title={text}>
				{text}
			</span>
		)
	}
	return (
		<button
			type="button"
			title={`Documents with ${text}`}
			onClick={() => show({ filter: JSON.stringify(filter), title: `${path}: ${text}` })}
			className={`${look} rounded underline decoration-line decoration-dotted underline-offset-4 hover:bg-sunk`}
		>
			{text}
		</button>
	)
}

function Values({ of, total, path }: { of: Distribution['top_values']; total: number; path: string }) {
	const show = useDocuments()
	return (
		<ul className="space-y-0.5 text-sm">
			{of.slice(0, 6).map((v, i) => (
				<li key={i} className="grid grid-cols-[minmax(0,1fr)_4.5rem_5rem] items-center gap-2">
					<Value of={v.value} path={path} look={`truncate text-left font-mono text-[0.85em] ${v.marked ? 'text-bad' : ''}`} show={show} />
					<span className="text-right text-quiet tabular-nums">{count(v.count)}</span>
					<span className="h-2 overflow-hidden rounded-sm bg-sunk" aria-hidden>
						<span className={`block h-full ${v.marked ? 'striped' : 'bg-accent/70'}`} style={{ width: `${Math.max(2, (100 * v.count) / Math.max(1, total))}%` }} />
					</span>
				</li>
			))}
		</ul>
	)
}

const histogramOf = (d: Distribution): [Histogram, string, Measure] | null =>
	d.dates?.histogram
		? [d.dates.histogram, 'over time', 'value']
		: d.numbers?.histogram
			? [d.numbers.histogram, 'over value', 'value']
			: d.texts?.length?.histogram
				? [d.texts.length.histogram, 'over length', 'length']
				: d.arrays?.size?.histogram
					? [d.arrays.size.histogram, 'over number of items', 'size']
					: null

function figures(d: Distribution): string {
	const of = d.numbers ?? d.dates
	const said = []
	if (of) said.push(`${textOf(of.min)} to ${textOf(of.max)}`, `median ${textOf(of.quantiles.p50)}`)
	if (d.texts?.length) said.push(`${count(d.texts.length.min)} to ${count(d.texts.length.max)} characters`)
	if (d.texts?.empty) said.push(`${count(d.texts.empty)} empty`)
	if (d.arrays?.size) said.push(`${count(d.arrays.size.min)} to ${many(d.arrays.size.max, 'item')}`)
	return said.join(' · ')
}

const TYPES: Record<string, string> = { str: 'text', int: 'integer', float: 'number', Decimal128: 'decimal', bool: 'true or false', datetime: 'date', Binary: 'bytes' }
const typeWords = (t: string) => TYPES[t] ?? t

// How deep a field is: "items[].price" is in the objects of an array.
const MAX_DEPTH = 5
const depthOf = (path: string) => Math.min(MAX_DEPTH, path.split('.').length - 1 + (path.endsWith('[]') ? 1 : 0))

// Its place in the tree: what is above it is written small.
function Path({ of }: { of: string }) {
	const at = of.lastIndexOf('.') + 1
	return (
		<h4 className="font-mono text-sm break-all">
			<span className="text-quiet">{of.slice(0, at)}</span>
			<span className="font-semibold">{of.slice(at)}</span>
		</h4>
	)
}

function Field({ of: d, total }: { of: Distribution; total: number }) {
	const types = Object.entries(d.types).sort((a, b) => b[1] - a[1])
	const picture = histogramOf(d)
	const present = total ? d.present_count / total : 0
	return (
		<section aria-label={d.path} className="rounded-lg border border-line bg-panel p-3" style={{ marginLeft: `${depthOf(d.path)}rem` }}>
			<Path of={d.path} />
			<p className="text-sm text-quiet">
				{types.map(([t, n]) => (types.length > 1 ? `${typeWords(t)} ${count(n)}` : typeWords(t))).join(', ')}
				{' · '}
				{present === 1 ? 'in each document' : `in ${share(present)} of the documents`}
				{d.null_count > 0 && ` · ${count(d.null_count)} null`}
				{d.distinct > 0 && ` · ${many(d.distinct, 'different value')}`}
			</p>
			{figures(d) && <p className="text-sm break-words">{figures(d)}</p>}
			<div className="mt-2 grid gap-4 sm:grid-cols-2">
				{picture && <Bars of={picture[0]} label={picture[1]} path={d.path} measure={picture[2]} />}
				{d.top_values.length > 0 && d.distinct < d.present_count && <Values of={d.top_values} total={d.present_count} path={d.path} />}
			</div>
		</section>
	)
}

export function Fields({ of, total, masked, list: List }: { of: Distribution[]; total: number; masked: boolean; list: ComponentType<ListProps<Distribution>> }) {
	const show = useDocuments()
	const [words, setWords] = useState('')
	const search = useDeferredValue(words.trim().toLowerCase())
	const found = useMemo(() => of.filter(d => d.path.toLowerCase().includes(search)), [of, search])
	return (
		<div className="flex min-h-0 grow flex-col gap-3">
			<div className="flex flex-wrap items-center gap-2">
			<label className="flex max-w-md grow items-center gap-2 rounded-md border border-line bg-panel px-2 focus-within:border-accent">
				<Search aria-hidden className="size-4 text-quiet" />
				<input
					type="search"
					aria-label="Search fields"
					placeholder={`Search ${many(of.length, 'field')}`}
					value={words}
					onChange={e => setWords(e.target.value)}
					className="min-h-9 w-full min-w-0 bg-transparent placeholder:text-quiet focus:outline-none"
				/>
			</label>
			{show && <Button onClick={() => show({ filter: '', title: 'Documents' })}>Documents …</Button>}
			</div>
			{(show || masked) && (
				<p className="text-sm text-quiet">
					{show && 'Click a bar or a value to see its documents. '}
					{masked && 'Personal values are masked; all counts are exact.'}
				</p>
			)}
			{found.length === 0 && <p className="text-quiet">{of.length ? 'No field has these words.' : 'The audit ended before it had figures of the fields.'}</p>}
			<List of={found} keyOf={d => d.path} label="Fields" height={200}>
				{d => <Field of={d} total={total} />}
			</List>
		</div>
	)
}
