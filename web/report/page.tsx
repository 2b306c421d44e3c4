// The page of a saved report, from the components of the page of `argus serve`.
import { useState } from 'react'
import { Fields } from '../audits/fields'
import { Counts, count, many, share, when } from '../audits/marks'
import { About, Gaps } from '../audits/parts'
import { Findings, type News } from '../audits/report'
import { FindingBars, MeasureBars, nullShare } from '../audits/trend'
import type { Finding, Run } from '../audits/types'
import { CopyText } from '../shared/copy_text'
import { usePrinting } from '../shared/printing'
import { Tabs } from '../shared/tabs'
import type { LeftOut, Past, SavedCollection, SavedReport, SavedReports } from './types'
import { WholeList } from './whole_list'

const PAGE = 'mx-auto w-full max-w-5xl space-y-8 p-4 pb-16'
const PANEL = 'rounded-lg border border-line bg-panel'

// Of a trend, newest first, as the charts take it.
const runsOf = (trend: Past[]): Run[] => trend.map(t => ({ ...t, id: t.at, started_at: t.at }) as unknown as Run).reverse()

function newsOf(r: SavedReport): News | null {
	if (r.baseline?.compared) return { keys: new Set(r.baseline.new.map(f => f.key)), since: 'the baseline' }
	return r.previous_run_id ? { keys: new Set(r.new_findings.map(f => f.key)), since: 'the audit before' } : null
}

function Since({ of: r }: { of: SavedReport }) {
	const b = r.baseline
	const parts = [
		[r.new_findings.length, 'new'],
		[r.resolved_findings.length, 'resolved'],
		[r.regressed_fields.length, 'worse'],
		[r.still_present.length, 'not reported again, but still there'],
		[r.not_checked.length, 'not checked again'],
	] as const
	const some = parts.filter(([n]) => n > 0).map(([n, words]) => `${count(n)} ${words}`)
	return (
		<>
			{r.previous_run_id && (
				<p className="text-sm text-quiet">
					Since the audit of {when(r.previous_run_at)}: {some.join(', ') || 'nothing new, nothing resolved'}.
				</p>
			)}
			{b && (
				<p className="text-sm text-quiet">
					{b.compared && `Compared with ${b.with}: ${count(b.new.length)} new, ${count(b.more.length)} in more documents, ${count(b.gone)} gone. `}
					{b.why && `${b.why}.`}
				</p>
			)}
		</>
	)
}

function Runs({ of }: { of: Past[] }) {
	const runs = runsOf(of)
	return (
		<div className="space-y-4">
			<div className={`grid gap-4 p-3 sm:grid-cols-3 ${PANEL}`}>
				<figure>
					<FindingBars runs={runs} />
					<figcaption className="mt-1 text-sm text-quiet">Findings</figcaption>
				</figure>
				<figure>
					<MeasureBars runs={runs} measure="nulls" />
					<figcaption className="mt-1 text-sm text-quiet">Null values, share</figcaption>
				</figure>
				<figure>
					<MeasureBars runs={runs} measure="documents" />
					<figcaption className="mt-1 text-sm text-quiet">Documents</figcaption>
				</figure>
			</div>
			<ul className={`divide-y divide-line ${PANEL}`}>
				{runs.map(r => (
					<li key={r.id} className="flex flex-wrap items-center gap-3 px-3 py-2">
						<span className="min-w-40">{when(r.started_at)}</span>
						<Counts of={r} />
						<span className="text-sm text-quiet">
							{many(r.documents, 'document')}
							{nullShare(r) !== null && `, ${share(nullShare(r)!)} null`}
						</span>
					</li>
				))}
			</ul>
		</div>
	)
}

function Tools({ run, of: f }: { run: string; of: Finding }) {
	return (
		<div className="flex flex-wrap items-center gap-3 print:hidden">
			<CopyText text={`argus verify ${run}`} label="Copy the command that checks it again" />
			{f.user_label && <span className="text-sm">{f.user_label === 'tp' ? 'Marked as a problem.' : 'Marked as no problem.'}</span>}
		</div>
	)
}

type Tab = 'Findings' | 'Fields' | 'Past'

function One({ of: r, number }: { of: SavedReport; number: number }) {
	const trend = r.trend ?? []
	const tabs: Tab[] = trend.length > 1 ? ['Findings', 'Fields', 'Past'] : ['Findings', 'Fields']
	const [tab, setTab] = useState<Tab>('Findings')
	const isPrinting = usePrinting()
	const shows = (t: Tab) => tabs.includes(t) && (isPrinting || tab === t)
	const id = `r${number}`
	return (
		<section aria-labelledby={id} className="space-y-3">
			<h2 id={id} className="flex flex-wrap items-baseline gap-x-3 text-lg">
				<span className="font-mono font-semibold break-all">{r.collection}</span>
				<span className="text-base">{r.words}</span>
			</h2>
			<p className="text-sm break-words text-quiet">
				{r.source?.uri && `${r.source.uri} · `}
				{when(r.run_at)}
			</p>
			<About of={r} />
			<Since of={r} />
			<Gaps of={r.gaps} />
			<div className="print:hidden">
				<Tabs label="Parts of the report" tabs={tabs} chosen={tab} onChoose={setTab} id={`tab${number}`} />
			</div>
			<div role="tabpanel" id={`tab${number}-panel`} aria-labelledby={`tab${number}-${tab}`} className="space-y-6">
				{shows('Findings') && <Findings report={r} news={newsOf(r)} list={WholeList} tools={f => <Tools run={r.id} of={f} />} />}
				{shows('Fields') && <Fields of={r.distributions} total={r.collection_size} masked={r.masked} list={WholeList} />}
				{shows('Past') && <Runs of={trend} />}
			</div>
		</section>
	)
}

function NotRead({ of }: { of: LeftOut[] }) {
	if (!of.length) return null
	return (
		<ul className="space-y-1" aria-label="What was not checked">
			{of.map((g, i) => (
				<li key={i} className="border-l-4 border-warn pl-3 text-sm break-words">
					<b>Not checked</b>: {g.where}: {g.text}
				</li>
			))}
		</ul>
	)
}

function Overview({ of }: { of: SavedReport[] }) {
	return (
		<table className={`w-full ${PANEL}`}>
			<thead>
				<tr className="text-left text-sm text-quiet">
					<th className="px-3 py-2 font-medium">Collection</th>
					<th className="px-3 py-2 font-medium">Verdict</th>
					<th className="px-3 py-2 text-right font-medium">Documents</th>
				</tr>
			</thead>
			<tbody>
				{of.map((r, i) => (
					<tr key={r.id} className="border-t border-line align-top">
						<td className="min-w-28 px-3 py-2">
							<a href={`#r${i + 1}`} className="font-mono text-sm break-all text-accent underline underline-offset-4">
								{r.collection}
							</a>
						</td>
						<td className="px-3 py-2 text-sm">{r.words}</td>
						<td className="px-3 py-2 text-right tabular-nums">{count(r.collection_size)}</td>
					</tr>
				))}
			</tbody>
		</table>
	)
}

export function Reports({ of }: { of: SavedReports }) {
	return (
		<main className={PAGE}>
			<h1 className="text-2xl font-semibold">Data quality</h1>
			{of.reports.length > 1 && <Overview of={of.reports} />}
			<NotRead of={of.left_out} />
			{of.reports.map((r, i) => (
				<One key={r.id} of={r} number={i + 1} />
			))}
		</main>
	)
}

export function Inspected({ of }: { of: SavedCollection[] }) {
	return (
		<main className={PAGE}>
			<h1 className="text-2xl font-semibold">Data profile</h1>
			{of.map((c, i) => (
				<section key={i} aria-labelledby={`c${i + 1}`} className="space-y-3">
					<h2 id={`c${i + 1}`} className="font-mono text-lg font-semibold break-all">
						{c.collection}
					</h2>
					<p className="text-sm break-words text-quiet">
						{c.documents_sampled < c.collection_size && `${count(c.documents_sampled)} of `}
						{many(c.collection_size, 'document')} · {c.source}
					</p>
					<NotRead of={c.broken ? [{ where: many(c.broken, 'document'), text: c.first_issue ?? '' }] : []} />
					<Fields of={c.distributions} total={c.documents_sampled} masked={c.masked} list={WholeList} />
				</section>
			))}
		</main>
	)
}
