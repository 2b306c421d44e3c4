// The screen of /audits/quality: each audited collection of all projects, or of one, with its newest verdict and what changed. The
// address holds project, filter and order.
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { ArrowDown, ArrowUp } from 'lucide-react'
import { type ReactNode, useEffect, useState } from 'react'
import { api } from '../shared/api'
import { ProblemNote } from '../shared/problem'
import { ProjectChoice } from '../shared/project_choice'
import { Button } from '../shared/ui'
import { type Order, type QualityQuestion, audits } from './api'
import { Counts, State, count, many, share, when } from './marks'
import { AuditLists } from './tabs'
import { FindingBars, nullShare } from './trend'
import type { Audit, Collection, Run, Totals } from './types'

const FIELD = 'min-h-9 rounded-md border border-line bg-panel px-2 focus:border-accent focus:outline-none'

function Change({ of }: { of: Run }) {
	if (of.new === null) return <span className="text-quiet">first audit</span>
	const parts: [number, string, string][] = [
		[of.new, 'new', 'bg-bad-soft text-bad'],
		[of.regressed ?? 0, 'worse', 'bg-warn-soft text-warn'],
		[of.resolved ?? 0, 'resolved', 'bg-accent-soft text-good'],
	]
	const some = parts.filter(([n]) => n > 0)
	if (!some.length) return <span className="text-quiet">no change</span>
	return (
		<span className="flex flex-wrap gap-1">
			{some.map(([n, words, look]) => (
				<span key={words} className={`rounded px-1.5 text-sm whitespace-nowrap ${look}`}>
					{count(n)} {words}
				</span>
			))}
		</span>
	)
}

const points = new Intl.NumberFormat(undefined, { maximumFractionDigits: 1, signDisplay: 'exceptZero' })

function Nulls({ now, before }: { now: Run; before: Run | undefined }) {
	const n = nullShare(now)
	const was = before ? nullShare(before) : null
	if (n === null) return <span className="text-quiet">–</span>
	const change = was === null ? 0 : Math.round(1000 * (n - was)) / 10
	return (
		<>
			{share(n)}
			{change !== 0 && <span className={`block text-sm ${change > 0 ? 'text-warn' : 'text-good'}`}>{points.format(change)} points</span>}
		</>
	)
}

function Documents({ now, before }: { now: Run; before: Run | undefined }) {
	const change = before ? now.documents - before.documents : 0
	return (
		<>
			{count(now.documents)}
			{change !== 0 && <span className="block text-sm text-quiet">{points.format(change)}</span>}
		</>
	)
}

// project: its name, "" = it goes without saying.
function Row({ of, project }: { of: Collection; project: string }) {
	const [now, before] = of.runs
	if (!now) return null
	const nulls = nullShare(now)
	const places = [project, of.is_upload ? 'uploaded file' : of.place].filter(Boolean)
	return (
		<tr className="border-t border-line align-top">
			<th scope="row" className="px-3 py-2 text-left font-normal">
				<Link to="/audits/$id" params={{ id: now.id }} className="font-mono text-sm font-semibold break-all underline decoration-line underline-offset-4 hover:decoration-current">
					{of.collection}
				</Link>
				{places.length > 0 && <span className="block text-sm break-words text-quiet">{places.join(' · ')}</span>}
				<span className="mt-1 block sm:hidden">
					<Counts of={now} />
				</span>
				<span className="block text-sm text-quiet md:hidden">
					{many(now.documents, 'document')}
					{nulls !== null && `, ${share(nulls)} null`}
				</span>
				{/* A failed audit says more here than its figures do. */}
				{now.status !== 'ok' && (
					<span className="block text-sm">
						<State audit={{ status: now.status as Audit['status'], is_stopping: false }} />
					</span>
				)}
				<span className="block text-sm text-quiet lg:hidden">{when(now.started_at)}</span>
			</th>
			<td className="hidden px-3 py-2 sm:table-cell">
				<Counts of={now} />
			</td>
			<td className="hidden w-32 px-3 py-2 lg:table-cell">
				{of.runs.length > 1 ? <FindingBars runs={of.runs} look="h-9" /> : <span className="text-quiet">one audit</span>}
			</td>
			<td className="hidden px-3 py-2 text-right tabular-nums md:table-cell">
				<Nulls now={now} before={before} />
			</td>
			<td className="hidden px-3 py-2 text-right tabular-nums md:table-cell">
				<Documents now={now} before={before} />
			</td>
			<td className="px-3 py-2">
				<Change of={now} />
				{before && now.new !== null && (
					<Link to="/audits/compare" search={{ a: before.id, b: now.id }} aria-label={`Compare the last two audits of ${of.collection}`} className="block w-fit text-sm text-accent underline underline-offset-4">
						compare
					</Link>
				)}
			</td>
			<td className="hidden px-3 py-2 text-sm whitespace-nowrap text-quiet lg:table-cell">{when(now.started_at)}</td>
		</tr>
	)
}

interface HeadProps {
	by?: Order
	asked: QualityQuestion
	onSort: (by: Order) => void
	look?: string
	children: ReactNode
}

function Head({ by, asked, onSort, look = '', children }: HeadProps) {
	const isChosen = by === (asked.sort ?? 'findings')
	const Arrow = (asked.order === 'reverse') !== (by === 'name') ? ArrowUp : ArrowDown
	return (
		<th scope="col" aria-sort={!by || !isChosen ? undefined : Arrow === ArrowUp ? 'ascending' : 'descending'} className={`px-3 py-1 text-left text-sm font-medium text-quiet ${look}`}>
			{by ? (
				<button type="button" onClick={() => onSort(by)} className="inline-flex min-h-9 items-center gap-1 text-left hover:text-text">
					{children}
					{isChosen && <Arrow aria-hidden className="size-4" />}
				</button>
			) : (
				children
			)}
		</th>
	)
}

function Summary({ of: t }: { of: Totals }) {
	const parts: [number, string, string][] = [
		[t.collections, t.collections === 1 ? 'collection' : 'collections', ''],
		[t.critical + t.high, 'critical or high', t.critical + t.high ? 'text-bad' : ''],
		[t.medium + t.low, 'medium or low', ''],
		[t.new, 'new', t.new ? 'text-bad' : ''],
		[t.regressed, 'worse', t.regressed ? 'text-warn' : ''],
		[t.resolved, 'resolved', t.resolved ? 'text-good' : ''],
	]
	return (
		<dl className="grid grid-cols-3 gap-px overflow-hidden rounded-lg border border-line bg-line sm:grid-cols-6" aria-label="All collections of the list">
			{parts.map(([n, words, look]) => (
				<div key={words} className="flex flex-col-reverse justify-end bg-panel px-3 py-2">
					<dt className="text-sm text-quiet">{words}</dt>
					<dd className={`text-xl font-semibold tabular-nums ${look}`}>{count(n)}</dd>
				</div>
			))}
		</dl>
	)
}

export function QualityScreen() {
	const asked = useSearch({ strict: false }) as QualityQuestion
	const go = useNavigate()
	const [words, setWords] = useState(asked.q ?? '')
	const start = useQuery({ queryKey: ['start'], queryFn: api.start, staleTime: Infinity })
	const projects = start.data?.projects ?? []
	const names = new Map(projects.map(p => [p.id, p.name || p.id]))
	const change = (part: Partial<QualityQuestion>) => void go({ to: '/audits/quality', search: { ...asked, ...part }, replace: true })
	const list = useInfiniteQuery({
		queryKey: ['audited', asked],
		queryFn: ({ pageParam }) => audits.collections(asked, pageParam),
		initialPageParam: '',
		getNextPageParam: page => page.next ?? undefined,
		enabled: start.isSuccess,
		placeholderData: before => before,
	})
	useEffect(() => {
		document.title = 'Quality · Argus'
	}, [])
	// The address follows the words when the typing pauses.
	useEffect(() => {
		if (words === (asked.q ?? '')) return
		const later = setTimeout(() => change({ q: words || undefined }), 250)
		return () => clearTimeout(later)
	})
	const rows = list.data?.pages.flatMap(p => p.collections) ?? []
	const isFiltered = Boolean(asked.q || asked.severity || asked.changed)
	const onSort = (by: Order) => {
		const isSame = by === (asked.sort ?? 'findings')
		change({ sort: by, order: isSame && !asked.order ? 'reverse' : undefined })
	}
	const head = { asked, onSort }
	return (
		<div className="mx-auto w-full max-w-6xl space-y-4 p-4">
			<div className="flex flex-wrap items-center justify-between gap-3">
				<AuditLists />
				<ProjectChoice projects={projects} value={asked.project ?? ''} all="all projects" onChange={id => change({ project: id || undefined })} />
			</div>
			<h2 className="sr-only">Quality of all collections</h2>
			{list.data && <Summary of={list.data.pages[0]!.totals} />}
			<div className="flex flex-wrap items-center gap-2" role="group" aria-label="Which collections">
				<input
					type="search"
					aria-label="Search collections"
					placeholder="Search collections"
					value={words}
					onChange={e => setWords(e.target.value)}
					className={`${FIELD} min-w-0 grow px-3 placeholder:text-quiet sm:max-w-60`}
				/>
				<select aria-label="Findings" value={asked.severity ?? ''} onChange={e => change({ severity: e.target.value || undefined })} className={FIELD}>
					<option value="">with and without findings</option>
					<option value="low">with findings</option>
					<option value="medium">medium or worse</option>
					<option value="high">high or worse</option>
					<option value="critical">critical</option>
				</select>
				<label className="flex min-h-9 items-center gap-2 text-sm">
					<input type="checkbox" checked={asked.changed === 'true'} onChange={e => change({ changed: e.target.checked ? 'true' : undefined })} className="size-4 accent-[var(--accent)]" />
					only what changed
				</label>
			</div>
			{list.error && (
				<ProblemNote error={list.error}>
					<Button onClick={() => list.refetch()}>Try again</Button>
				</ProblemNote>
			)}
			{list.isPending && <p className="text-quiet">Loading …</p>}
			{list.isSuccess && rows.length === 0 && (
				<p className="rounded-lg border border-line bg-panel px-4 py-6">
					{isFiltered ? (
						'No collection fits the filter.'
					) : (
						<>
							No collection {asked.project ? 'of this project ' : ''}was audited yet. Each one appears here with its newest findings and what changed since the audit before.{' '}
							<Link to="/audits" className="text-accent underline underline-offset-4">
								Begin an audit
							</Link>
						</>
					)}
				</p>
			)}
			{rows.length > 0 && (
				<div className="overflow-x-auto rounded-lg border border-line bg-panel" tabIndex={0} role="region" aria-label="Collections">
					<table className="w-full">
						<thead>
							<tr>
								<Head by="name" {...head}>
									Collection
								</Head>
								<Head by="findings" look="hidden sm:table-cell" {...head}>
									Findings
								</Head>
								<Head look="hidden lg:table-cell" {...head}>
									Trend
								</Head>
								<Head by="nulls" look="hidden text-right md:table-cell" {...head}>
									Nulls
								</Head>
								<Head by="documents" look="hidden text-right md:table-cell" {...head}>
									Documents
								</Head>
								<Head by="changes" {...head}>
									Since the audit before
								</Head>
								<Head by="last" look="hidden lg:table-cell" {...head}>
									Last audit
								</Head>
							</tr>
						</thead>
						<tbody>
							{rows.map(c => (
								<Row key={c.key} of={c} project={asked.project || names.size < 2 ? '' : (names.get(c.project) ?? c.project)} />
							))}
						</tbody>
					</table>
				</div>
			)}
			{list.hasNextPage && (
				<Button disabled={list.isFetchingNextPage} onClick={() => list.fetchNextPage()}>
					More collections
				</Button>
			)}
		</div>
	)
}
