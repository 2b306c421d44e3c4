// The screen of /audits/ID: live while it runs, its report when it has ended.
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { ArrowLeft, Download, Play, Square } from 'lucide-react'
import { useEffect, useState } from 'react'
import { ScrolledList } from '../shared/list'
import { ProblemNote } from '../shared/problem'
import { Tabs } from '../shared/tabs'
import { Button } from '../shared/ui'
import { audits } from './api'
import { Baseline, newsOf, useBaseline } from './baseline'
import { Documents } from './documents'
import { Fields } from './fields'
import { FindingTools } from './finding_tools'
import { Live } from './live'
import { Counts, State, canGoOn, isOver, when } from './marks'
import { About, Gaps } from './parts'
import { Past } from './past'
import { Findings } from './report'
import type { Audit } from './types'

const FORMATS = [
	['html', 'a page'],
	['markdown', 'Markdown'],
	['csv', 'CSV'],
	['sarif', 'SARIF'],
	['junit', 'JUnit'],
	['github', 'GitHub annotations'],
	['short', 'plain text'],
] as const
const TABS = ['Findings', 'Fields', 'Past'] as const
type Tab = (typeof TABS)[number]

function Export({ id }: { id: string }) {
	return (
		<details className="relative">
			<summary className="inline-flex min-h-9 list-none items-center gap-1.5 rounded-md border border-line bg-panel px-3 text-sm hover:bg-sunk">
				<Download aria-hidden className="size-4" /> Save as …
			</summary>
			<ul className="absolute right-0 z-20 mt-1 min-w-36 rounded-md border border-line bg-panel py-1 shadow-lg">
				<li>
					<a href={audits.reportAddress(id)} download={`audit-${id.slice(0, 13)}.json`} className="block px-3 py-1.5 text-sm whitespace-nowrap hover:bg-sunk">
						JSON
					</a>
				</li>
				{FORMATS.map(([as, words]) => (
					<li key={as}>
						<a href={audits.exportAddress(id, as)} download className="block px-3 py-1.5 text-sm whitespace-nowrap hover:bg-sunk">
							{words}
						</a>
					</li>
				))}
			</ul>
		</details>
	)
}

function Ended({ audit }: { audit: Audit }) {
	const [tab, setTab] = useState<Tab>('Findings')
	const report = useQuery({ queryKey: ['audit-report', audit.id], queryFn: () => audits.report(audit.id), staleTime: Infinity })
	const baseline = useBaseline(audit.id)
	if (report.error) return <ProblemNote error={report.error} />
	if (!report.data) return <p className="text-quiet">Loading the report …</p>
	const r = report.data
	return (
		<>
			<About of={r} />
			<Gaps of={r.gaps} />
			<Baseline id={audit.id} />
			<Tabs label="Parts of the report" tabs={TABS} chosen={tab} onChoose={setTab} />
			<div role="tabpanel" id="tab-panel" aria-labelledby={`tab-${tab}`} className="flex min-h-0 grow flex-col">
				<Documents source={{ audit: audit.id }}>
					{tab === 'Findings' && (
						<Findings report={r} news={newsOf(r, baseline.data)} list={ScrolledList} tools={f => <FindingTools audit={audit.id} of={f} />} />
					)}
					{tab === 'Fields' && <Fields of={r.distributions} total={r.collection_size} masked={r.masked} list={ScrolledList} />}
				</Documents>
				{tab === 'Past' && <Past id={audit.id} />}
			</div>
		</>
	)
}

export function AuditScreen() {
	const id = useParams({ strict: false }).id ?? ''
	const store = useQueryClient()
	const audit = useQuery({ queryKey: ['audit', id], queryFn: () => audits.get(id), refetchInterval: q => (q.state.data && !isOver(q.state.data) ? 15000 : false) })
	const again = () => {
		void store.invalidateQueries({ queryKey: ['audit', id] })
		void store.invalidateQueries({ queryKey: ['audits'] })
		void store.removeQueries({ queryKey: ['audit-report', id] })
	}
	const stop = useMutation({ mutationFn: () => audits.stop(id), onSettled: again })
	const goOn = useMutation({ mutationFn: () => audits.resume(id), onSettled: again })
	const a = audit.data
	useEffect(() => {
		if (a) document.title = `${a.collection} · Argus`
	}, [a])
	return (
		<div className="mx-auto flex h-full w-full max-w-5xl flex-col gap-3 p-4">
			<div className="flex flex-wrap items-center gap-3">
				<Link to="/audits" aria-label="All audits" title="All audits" className="grid size-9 place-items-center rounded-md text-quiet hover:bg-sunk hover:text-text">
					<ArrowLeft aria-hidden className="size-5" />
				</Link>
				<h2 className="min-w-0 font-mono text-lg font-semibold break-all">{a?.collection ?? ''}</h2>
				{a && (
					<>
						<State audit={a} />
						{isOver(a) && <Counts of={a} />}
						<span className="text-sm text-quiet">{when(a.started_at ?? a.queued_at)}</span>
						<span className="grow" />
						{!isOver(a) && (
							<Button disabled={stop.isPending || a.is_stopping} onClick={() => stop.mutate()}>
								<Square aria-hidden className="size-4" /> Stop
							</Button>
						)}
						{canGoOn(a) && (
							<Button disabled={goOn.isPending} onClick={() => goOn.mutate()}>
								<Play aria-hidden className="size-4" /> Go on
							</Button>
						)}
						{isOver(a) && a.started_at && <Export id={a.id} />}
					</>
				)}
			</div>
			{audit.error && (
				<ProblemNote error={audit.error}>
					<Button onClick={() => audit.refetch()}>Try again</Button>
				</ProblemNote>
			)}
			{stop.error && <ProblemNote error={stop.error} />}
			{goOn.error && <ProblemNote error={goOn.error} />}
			{a?.error && isOver(a) && <p className="text-bad">{a.error}</p>}
			{a && !isOver(a) && <Live key={a.id} audit={a} />}
			{a && isOver(a) && a.started_at && <Ended key={a.id} audit={a} />}
		</div>
	)
}
