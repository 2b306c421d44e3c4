// What changed since an earlier audit of the same source, and the audits so far.
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { ProblemNote } from '../shared/problem'
import { audits } from './api'
import { Counts, SeverityMark, count, when } from './marks'
import { FindingBars, MeasureBars } from './trend'
import type { Change, Run, Severity } from './types'

interface Side {
	severity: Severity
	affected_count: number
}

function Changes({ title, of, look }: { title: string; of: Change[]; look: string }) {
	if (!of.length) return null
	return (
		<section aria-label={title}>
			<h4 className={`font-medium ${look}`}>
				{title} ({of.length})
			</h4>
			<ul className="mt-1 space-y-1 text-sm">
				{of.map((c, i) => {
					const was = c.was as Side | null
					const now = c.now as Side | null
					return (
						<li key={i} className="flex flex-wrap items-baseline gap-x-2">
							<SeverityMark severity={(now ?? was)!.severity} />
							<span className="font-mono break-all">{c.field || 'whole documents'}</span>
							<span className="text-quiet">{c.category}</span>
							<span className="tabular-nums">
								{was && now ? `${count(was.affected_count)} → ${count(now.affected_count)}` : count((now ?? was)!.affected_count)}
							</span>
							{c.state && <span className="text-quiet">{c.state === 'resolved' ? 'checked: resolved' : c.state === 'still_present' ? 'still in the data' : 'not checked'}</span>}
						</li>
					)
				})}
			</ul>
		</section>
	)
}

function Compared({ id, older }: { id: string; older: string }) {
	const diff = useQuery({ queryKey: ['audit-diff', id, older], queryFn: () => audits.diff(id, older) })
	if (diff.error) return <ProblemNote error={diff.error} />
	if (!diff.data) return <p className="text-quiet">Comparing …</p>
	const d = diff.data
	return (
		<div className="space-y-4 rounded-lg border border-line bg-panel p-4">
			<p className="flex flex-wrap items-baseline justify-between gap-3">
				<span>
					{when(d.b.started_at)} against {when(d.a.started_at)}: {count(d.unchanged)} unchanged.
				</span>
				<Link to="/audits/compare" search={{ a: d.a.id, b: d.b.id }} className="text-accent underline underline-offset-4">
					Side by side, with evidence
				</Link>
			</p>
			<Changes title="New" of={d.new} look="text-bad" />
			<Changes title="Worse" of={d.regressed} look="text-bad" />
			<Changes title="Gone" of={d.gone} look="text-good" />
			<Changes title="Better" of={d.improved} look="text-good" />
		</div>
	)
}

function Trends({ runs }: { runs: Run[] }) {
	const shown = runs.slice(0, 40)
	return (
		<div className="grid gap-4 rounded-lg border border-line bg-panel p-3 sm:grid-cols-3">
			<figure>
				<FindingBars runs={shown} />
				<figcaption className="mt-1 text-sm text-quiet">Findings</figcaption>
			</figure>
			<figure>
				<MeasureBars runs={shown} measure="nulls" />
				<figcaption className="mt-1 text-sm text-quiet">Null values, share</figcaption>
			</figure>
			<figure>
				<MeasureBars runs={shown} measure="documents" />
				<figcaption className="mt-1 text-sm text-quiet">Documents</figcaption>
			</figure>
		</div>
	)
}

export function Past({ id }: { id: string }) {
	const history = useQuery({ queryKey: ['audit-history', id], queryFn: () => audits.history(id) })
	const [older, setOlder] = useState('')
	if (history.error) return <ProblemNote error={history.error} />
	if (!history.data) return <p className="text-quiet">Loading …</p>
	const { runs } = history.data
	const place = runs.findIndex(r => r.id === id)
	const before = runs.slice(place + 1)
	return (
		<div className="min-h-[60dvh] grow space-y-4 overflow-y-auto sm:min-h-0" tabIndex={0} role="region" aria-label="Audits of this source">
			{before.length === 0 ? (
				<p className="rounded-lg border border-line bg-panel px-4 py-6">This is the first audit of this source. The next one shows here what has changed.</p>
			) : (
				<>
					<label className="flex flex-wrap items-center gap-2">
						Compare with
						<select
							value={older}
							onChange={e => setOlder(e.target.value)}
							className="min-h-9 rounded-md border border-line bg-panel px-2"
						>
							<option value="">the audit before</option>
							{before.map(r => (
								<option key={r.id} value={r.id}>
									{when(r.started_at)}
								</option>
							))}
						</select>
					</label>
					<Compared id={id} older={older} />
				</>
			)}
			<h3 className="font-medium">Audits of this source</h3>
			{runs.length > 1 && <Trends runs={runs} />}
			<ul className="divide-y divide-line rounded-lg border border-line bg-panel">
				{runs.map(r => (
					<li key={r.id}>
						<Link to="/audits/$id" params={{ id: r.id }} aria-current={r.id === id ? 'page' : undefined} className="flex flex-wrap items-center gap-3 px-3 py-2 hover:bg-sunk">
							<span className={`min-w-40 ${r.id === id ? 'font-semibold' : ''}`}>{when(r.started_at)}</span>
							<Counts of={r} />
							<span className="text-sm text-quiet">{count(r.documents)} documents</span>
						</Link>
					</li>
				))}
			</ul>
		</div>
	)
}
