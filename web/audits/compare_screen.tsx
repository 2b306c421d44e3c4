// The screen of /audits/compare: two audits side by side. The address names both, so it can be passed on.
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { ArrowLeft, ArrowLeftRight } from 'lucide-react'
import { useDeferredValue, useEffect, useMemo, useState } from 'react'
import { ScrolledList } from '../shared/list'
import { ProblemNote } from '../shared/problem'
import { Button } from '../shared/ui'
import { audits } from './api'
import { Code, shell } from './evidence'
import { shownValue } from './finding'
import { Counts, SeverityMark, count, many, share, when } from './marks'
import type { Change, Diff, Finding, Report, Run, Severity } from './types'

export interface CompareQuestion {
	a?: string // the older one; without it the one before b
	b?: string
	show?: Kind
}
interface Side {
	id: string
	severity: Severity
	affected_count: number
	affected_pct: number
}

export const KINDS = ['new', 'worse', 'gone', 'better', 'same'] as const
export type Kind = (typeof KINDS)[number]
const WORDS: Record<Kind, { words: string; look: string }> = {
	new: { words: 'new', look: 'bg-bad-soft text-bad' },
	worse: { words: 'worse', look: 'bg-warn-soft text-warn' },
	gone: { words: 'gone', look: 'bg-accent-soft text-good' },
	better: { words: 'better', look: 'bg-accent-soft text-good' },
	same: { words: 'unchanged', look: 'bg-sunk text-quiet' },
}
const STATES: Record<string, string> = { resolved: 'resolved', still_present: 'still in the data', not_checked: 'gone, not checked' }

interface Pair {
	kind: Kind
	of: Change
	was: Side | null
	now: Side | null
}

const listOf = (d: Diff): Pair[] => {
	const lists: Record<Kind, Change[]> = { new: d.new, worse: d.regressed, gone: d.gone, better: d.improved, same: d.same }
	return KINDS.flatMap(kind => lists[kind].map(of => ({ kind, of, was: of.was as Side | null, now: of.now as Side | null })))
}

function Figure({ of, none }: { of: Side | null; none: string }) {
	if (!of) return <span className="text-quiet">{none}</span>
	return (
		<span className="flex flex-wrap items-baseline gap-x-2">
			<SeverityMark severity={of.severity} />
			<span className="tabular-nums">{many(of.affected_count, 'document')}</span>
			<span className="text-quiet tabular-nums">{share(of.affected_pct)}</span>
		</span>
	)
}

function Evidence({ report, of, side, run }: { report: Report | undefined; of: Side | null; side: string; run: Run }) {
	const found: Finding | undefined = of ? report?.findings.find(f => f.id === of.id) : undefined
	return (
		<section aria-label={side} className="min-w-0 space-y-2">
			{/* On a narrow screen one is below the other. */}
			<h4 className="text-sm font-medium text-quiet">{when(run.started_at)}</h4>
			{!of && <p className="text-quiet">It was not reported.</p>}
			{of && !found && <p className="text-quiet">{report ? 'The report has no evidence of it.' : 'Loading …'}</p>}
			{found && (
				<>
					<p className="text-sm break-words">{found.description}</p>
					{found.examples.length > 0 && (
						<ul className="space-y-0.5 text-sm" aria-label="Examples">
							{found.examples.slice(0, 3).map((x, i) => (
								<li key={i} className="flex flex-wrap gap-x-3">
									<span className="text-quiet">{x.where}</span>
									<span className="font-mono text-[0.9em] break-all">{shownValue(x.value)}</span>
								</li>
							))}
						</ul>
					)}
					<Code text={shell(report!.collection, found)} label="for mongosh" />
				</>
			)}
		</section>
	)
}

interface RowProps {
	of: Pair
	runs: { a: Run; b: Run }
	reports: { a?: Report; b?: Report }
	isOpen: boolean
	onTurn: () => void
}

function Row({ of, runs, reports, isOpen, onTurn }: RowProps) {
	const name = of.of.field || 'whole documents'
	const { words, look } = WORDS[of.kind]
	return (
		<article aria-label={`${name}: ${of.of.category}`} className="rounded-lg border border-line bg-panel">
			<h3>
				<button type="button" aria-expanded={isOpen} onClick={onTurn} className="w-full rounded-lg px-3 py-2 text-left hover:bg-sunk">
					<span className="flex flex-wrap items-baseline gap-x-2">
						<span className={`rounded px-1.5 text-sm ${look}`}>{STATES[of.of.state ?? ''] ?? words}</span>
						<span className="font-mono text-sm font-semibold break-all">{name}</span>
						<span className="text-quiet">{of.of.category.replaceAll('_', ' ')}</span>
					</span>
					<span className="mt-1 grid grid-cols-2 gap-4 text-sm">
						<Figure of={of.was} none="–" />
						<Figure of={of.now} none="–" />
					</span>
				</button>
			</h3>
			{isOpen && (
				<div className="grid gap-4 border-t border-line px-3 py-3 md:grid-cols-2">
					<Evidence report={reports.a} of={of.was} run={runs.a} side="Evidence of the older audit" />
					<Evidence report={reports.b} of={of.now} run={runs.b} side="Evidence of the newer audit" />
				</div>
			)}
		</article>
	)
}

function Choice({ label, value, runs, onChoose }: { label: string; value: Run; runs: Run[]; onChoose: (id: string) => void }) {
	const all = runs.some(r => r.id === value.id) ? runs : [value, ...runs]
	return (
		<div className="min-w-0 rounded-lg border border-line bg-panel px-3 py-2">
			<label className="block text-sm text-quiet">
				{label}
				<select value={value.id} onChange={e => onChoose(e.target.value)} className="mt-1 block min-h-9 w-full min-w-0 rounded-md border border-line bg-panel px-2 text-text">
					{all.map(r => (
						<option key={r.id} value={r.id}>
							{when(r.started_at)}
						</option>
					))}
				</select>
			</label>
			<div className="mt-2 flex flex-wrap items-center gap-x-3 gap-y-1">
				<Counts of={value} />
				<span className="text-sm text-quiet">{many(value.documents, 'document')}</span>
				<Link to="/audits/$id" params={{ id: value.id }} className="text-sm text-accent underline underline-offset-4" aria-label={`Report of the ${label.toLowerCase()}`}>
					report
				</Link>
			</div>
		</div>
	)
}

function Pairs({ diff, show, onShow }: { diff: Diff; show: Kind | undefined; onShow: (k: Kind | undefined) => void }) {
	const [words, setWords] = useState('')
	const [open, setOpen] = useState('')
	const search = useDeferredValue(words.trim().toLowerCase())
	const all = useMemo(() => listOf(diff), [diff])
	const found = useMemo(
		() => all.filter(p => (!show || p.kind === show) && `${p.of.field} ${p.of.category.replaceAll('_', ' ')}`.toLowerCase().includes(search)),
		[all, show, search],
	)
	const report = (id: string) => ({ queryKey: ['audit-report', id], queryFn: () => audits.report(id), staleTime: Infinity, enabled: open !== '' })
	const a = useQuery(report(diff.a.id))
	const b = useQuery(report(diff.b.id))
	const keyOf = (p: Pair) => `${p.kind}/${p.of.field}/${p.of.category}`
	if (!all.length) return <p className="rounded-lg border border-line bg-panel px-4 py-6">Neither audit found anything.</p>
	return (
		<>
			<div className="flex flex-wrap items-center gap-2" role="group" aria-label="Which findings">
				{([undefined, ...KINDS] as const).map(k => {
					const n = k ? all.filter(p => p.kind === k).length : all.length
					return (
						<button
							key={k ?? 'all'}
							type="button"
							aria-pressed={show === k}
							disabled={k !== undefined && n === 0}
							onClick={() => onShow(k)}
							className={`min-h-9 rounded-md border px-3 text-sm disabled:opacity-50 ${show === k ? 'border-accent bg-accent-soft' : 'border-line bg-panel enabled:hover:bg-sunk'}`}
						>
							{k ? `${n} ${WORDS[k].words}` : `All ${n}`}
						</button>
					)
				})}
				<input
					type="search"
					aria-label="Search findings"
					placeholder="Search findings"
					value={words}
					onChange={e => setWords(e.target.value)}
					className="min-h-9 min-w-0 grow rounded-md border border-line bg-panel px-3 placeholder:text-quiet focus:border-accent focus:outline-none sm:max-w-60"
				/>
			</div>
			{(a.error ?? b.error) && <ProblemNote error={(a.error ?? b.error)!} />}
			{found.length === 0 && <p className="text-quiet">{words ? 'No finding has these words.' : 'No finding of this kind.'}</p>}
			<ScrolledList of={found} keyOf={keyOf} label={many(found.length, 'finding')} height={68}>
				{p => <Row of={p} runs={diff} reports={{ a: a.data, b: b.data }} isOpen={open === keyOf(p)} onTurn={() => setOpen(open === keyOf(p) ? '' : keyOf(p))} />}
			</ScrolledList>
		</>
	)
}

export function CompareScreen() {
	const asked = useSearch({ strict: false }) as CompareQuestion
	const go = useNavigate()
	const b = asked.b ?? ''
	const diff = useQuery({ queryKey: ['audit-diff', b, asked.a ?? ''], queryFn: () => audits.diff(b, asked.a ?? ''), enabled: b !== '', placeholderData: before => before })
	const history = useQuery({ queryKey: ['audit-history', b], queryFn: () => audits.history(b), enabled: b !== '', placeholderData: before => before })
	const d = diff.data
	const change = (part: Partial<CompareQuestion>) => void go({ to: '/audits/compare', search: { a: d?.a.id ?? asked.a, b, show: asked.show, ...part }, replace: true })
	useEffect(() => {
		document.title = d ? `${d.b.collection}, two audits · Argus` : 'Two audits · Argus'
	}, [d])
	const runs = history.data?.runs ?? []
	return (
		<div className="mx-auto flex h-full w-full max-w-6xl flex-col gap-3 p-4">
			<div className="flex flex-wrap items-center gap-3">
				<Link to="/audits/quality" aria-label="All collections" title="All collections" className="grid size-9 place-items-center rounded-md text-quiet hover:bg-sunk hover:text-text">
					<ArrowLeft aria-hidden className="size-5" />
				</Link>
				<h2 className="min-w-0 text-lg font-semibold break-all">
					Two audits of <span className="font-mono">{d?.b.collection ?? ''}</span>
				</h2>
			</div>
			{!b && <p className="text-quiet">The address names no audit. Open an audit and choose “Past” to compare it with an earlier one.</p>}
			{diff.error && <ProblemNote error={diff.error} />}
			{b && diff.isPending && <p className="text-quiet">Comparing …</p>}
			{d && (
				<>
					<div className="grid gap-2 sm:grid-cols-[minmax(0,1fr)_auto_minmax(0,1fr)]">
						<Choice label="Older audit" value={d.a} runs={runs.filter(r => r.id !== d.b.id)} onChoose={id => change({ a: id })} />
						<Button aria-label="Swap the two audits" title="Swap the two audits" className="justify-self-center self-center px-2" onClick={() => change({ a: d.b.id, b: d.a.id })}>
							<ArrowLeftRight aria-hidden className="size-4" />
						</Button>
						<Choice label="Newer audit" value={d.b} runs={runs.filter(r => r.id !== d.a.id)} onChoose={id => change({ b: id })} />
					</div>
					<p className="sr-only" role="status">
						{count(d.new.length)} new, {count(d.regressed.length)} worse, {count(d.gone.length)} gone, {count(d.improved.length)} better, {count(d.unchanged)} unchanged.
					</p>
					<Pairs key={`${d.a.id}/${d.b.id}`} diff={d} show={asked.show} onShow={show => change({ show })} />
				</>
			)}
		</div>
	)
}
