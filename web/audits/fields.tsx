// The fields of a collection with pictures of their values: found by words, drawn only where they are in sight.
import { useVirtualizer } from '@tanstack/react-virtual'
import { Search } from 'lucide-react'
import { useDeferredValue, useMemo, useRef, useState } from 'react'
import { count, many, share } from './marks'
import type { Distribution, Histogram } from './types'

const textOf = (v: unknown): string => {
	if (v === null || v === undefined) return 'none'
	if (typeof v === 'object' && v !== null && '$date' in v) return String((v as { $date: unknown }).$date)
	return typeof v === 'object' ? JSON.stringify(v) : typeof v === 'number' ? count(v) : String(v)
}
const edge = (v: number | string | undefined) => (typeof v === 'string' ? v.replace(/T00:00:00Z$/, '') : v === undefined ? '' : count(v))

function Bars({ of, label }: { of: Histogram; label: string }) {
	const most = Math.max(1, ...of.counts)
	return (
		<figure className="min-w-0">
			<div className="flex h-16 items-end gap-px" role="img" aria-label={`${label}: ${of.counts.length} bars from ${edge(of.edges[0])} to ${edge(of.edges.at(-1))}`}>
				{of.counts.map((n, i) => {
					const bad = of.marked?.[i] ?? 0
					return (
						<div
							key={i}
							title={`${edge(of.edges[i])} to ${edge(of.edges[i + 1])}: ${count(n)}${bad ? `, ${count(bad)} of them affected` : ''}`}
							className="flex min-w-0 grow flex-col justify-end bg-accent/70"
							style={{ height: `${n ? Math.max(3, (100 * n) / most) : 0}%` }}
						>
							{bad > 0 && <div className="bg-bad" style={{ height: `${Math.max(8, (100 * bad) / n)}%` }} />}
						</div>
					)
				})}
			</div>
			<figcaption className="flex justify-between gap-2 border-t border-line text-xs text-quiet tabular-nums">
				<span>{edge(of.edges[0])}</span>
				<span>{label}</span>
				<span>{edge(of.edges.at(-1))}</span>
			</figcaption>
		</figure>
	)
}

function Values({ of, total }: { of: Distribution['top_values']; total: number }) {
	return (
		<ul className="space-y-0.5 text-sm">
			{of.slice(0, 6).map((v, i) => (
				<li key={i} className="grid grid-cols-[minmax(0,1fr)_4.5rem_5rem] items-center gap-2">
					<span className={`truncate font-mono text-[0.85em] ${v.marked ? 'text-bad' : ''}`} title={textOf(v.value)}>
						{textOf(v.value) || '(empty)'}
					</span>
					<span className="text-right text-quiet tabular-nums">{count(v.count)}</span>
					<span className="h-2 overflow-hidden rounded-sm bg-sunk" aria-hidden>
						<span className={`block h-full ${v.marked ? 'bg-bad' : 'bg-accent/70'}`} style={{ width: `${Math.max(2, (100 * v.count) / Math.max(1, total))}%` }} />
					</span>
				</li>
			))}
		</ul>
	)
}

const histogramOf = (d: Distribution): [Histogram, string] | null =>
	d.dates?.histogram
		? [d.dates.histogram, 'over time']
		: d.numbers?.histogram
			? [d.numbers.histogram, 'over value']
			: d.texts?.length?.histogram
				? [d.texts.length.histogram, 'over length']
				: d.arrays?.size?.histogram
					? [d.arrays.size.histogram, 'over number of items']
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

function Field({ of: d, total }: { of: Distribution; total: number }) {
	const types = Object.entries(d.types).sort((a, b) => b[1] - a[1])
	const picture = histogramOf(d)
	const present = total ? d.present_count / total : 0
	return (
		<section aria-label={d.path} className="rounded-lg border border-line bg-panel p-3">
			<h4 className="font-mono text-sm font-semibold break-all">{d.path}</h4>
			<p className="text-sm text-quiet">
				{types.map(([t, n]) => (types.length > 1 ? `${t} ${count(n)}` : t)).join(', ')}
				{' · '}
				{present === 1 ? 'in each document' : `in ${share(present)} of the documents`}
				{d.null_count > 0 && ` · ${count(d.null_count)} null`}
				{' · '}
				{many(d.distinct, 'different value')}
			</p>
			{figures(d) && <p className="text-sm break-words">{figures(d)}</p>}
			<div className="mt-2 grid gap-4 sm:grid-cols-2">
				{picture && <Bars of={picture[0]} label={picture[1]} />}
				{d.top_values.length > 0 && d.distinct < d.present_count && <Values of={d.top_values} total={d.present_count} />}
			</div>
		</section>
	)
}

export function Fields({ of, total, masked }: { of: Distribution[]; total: number; masked: boolean }) {
	const [words, setWords] = useState('')
	const search = useDeferredValue(words.trim().toLowerCase())
	const found = useMemo(() => of.filter(d => d.path.toLowerCase().includes(search)), [of, search])
	const box = useRef<HTMLDivElement>(null)
	const list = useVirtualizer({
		count: found.length,
		getScrollElement: () => box.current,
		estimateSize: () => 200,
		overscan: 4,
		gap: 10,
		getItemKey: i => found[i]!.path,
		initialRect: { width: 800, height: 800 },
	})
	return (
		<div className="flex min-h-0 grow flex-col gap-3">
			<label className="flex max-w-md items-center gap-2 rounded-md border border-line bg-panel px-2 focus-within:border-accent">
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
			{masked && <p className="text-sm text-quiet">Personal values are masked; all counts are exact.</p>}
			{found.length === 0 && <p className="text-quiet">{of.length ? 'No field has these words.' : 'The audit ended before it had figures of the fields.'}</p>}
			<div ref={box} className="min-h-[75dvh] grow overflow-y-auto sm:min-h-80" tabIndex={0} role="region" aria-label="Fields">
				<div style={{ height: list.getTotalSize() }} className="relative">
					{list.getVirtualItems().map(v => (
						<div key={v.key} data-index={v.index} ref={list.measureElement} className="absolute inset-x-0 top-0" style={{ transform: `translateY(${v.start}px)` }}>
							<Field of={found[v.index]!} total={total} />
						</div>
					))}
				</div>
			</div>
		</div>
	)
}
