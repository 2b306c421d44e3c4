// The findings of an audit: worst first, by severity and by words. Drawn in the page and in saved reports alike, so nothing here asks a
// server: what does comes in as `tools`.
import { type ComponentType, type ReactNode, useDeferredValue, useMemo, useState } from 'react'
import type { ListProps } from '../shared/list'
import { usePrinting } from '../shared/printing'
import { FindingCard } from './finding'
import { SeverityMark, many } from './marks'
import { type Finding, type Report, SEVERITIES, type Severity } from './types'

export interface News {
	keys: Set<string> // of findings that are new
	since: string // "the baseline", "the audit before"
}

interface Props {
	report: Report
	news: News | null
	list: ComponentType<ListProps<Finding>>
	tools: (f: Finding) => ReactNode
}

const LOOK = (isOn: boolean) => `min-h-9 rounded-md border px-3 text-sm ${isOn ? 'border-accent bg-accent-soft' : 'border-line bg-panel hover:bg-sunk'}`

export function Findings({ report, news, list: List, tools }: Props) {
	const [only, setOnly] = useState<Severity | 'new' | ''>('')
	const [words, setWords] = useState('')
	const [open, setOpen] = useState('')
	const isPrinting = usePrinting()
	const search = useDeferredValue(words.trim().toLowerCase())
	const isNew = (f: Finding) => news?.keys.has(f.key) ?? false
	const shown = useMemo(() => report.findings.filter(f => !f.set_aside), [report])
	const found = useMemo(
		() =>
			shown.filter(
				f =>
					(!only || (only === 'new' ? news?.keys.has(f.key) : f.severity === only)) &&
					`${f.field} ${f.category_title} ${f.description}`.toLowerCase().includes(search),
			),
		[shown, only, search, news],
	)
	const aside = useMemo(() => report.findings.filter(f => f.set_aside), [report])
	const fresh = shown.filter(isNew).length
	if (report.findings.length === 0) {
		return (
			<p className="rounded-lg border border-line bg-panel px-4 py-6">
				{report.verdict === 'incomplete' || report.gaps.length > 0 ? 'Nothing was found in what could be checked.' : 'Nothing was found: each check that was made held.'}
			</p>
		)
	}
	const card = (f: Finding) => <FindingCard collection={report.collection} of={f} isNew={isNew(f)} isOpen={isPrinting || open === f.id} onTurn={() => setOpen(open === f.id ? '' : f.id)} tools={tools} />
	return (
		<div className="flex min-h-0 grow flex-col gap-3">
			<div className="flex flex-wrap items-center gap-2 print:hidden" role="group" aria-label="Which findings">
				{(['', ...SEVERITIES] as const).map(s => {
					const n = s ? shown.filter(f => f.severity === s).length : shown.length
					if (s && !n) return null
					return (
						<button key={s} type="button" aria-pressed={only === s} onClick={() => setOnly(s)} className={LOOK(only === s)}>
							{s ? (
								<>
									{n} <SeverityMark severity={s} />
								</>
							) : (
								`All ${n}`
							)}
						</button>
					)
				})}
				{news && fresh > 0 && (
					<button type="button" aria-pressed={only === 'new'} onClick={() => setOnly('new')} className={LOOK(only === 'new')}>
						{fresh} new since {news.since}
					</button>
				)}
				<input
					type="search"
					aria-label="Search findings"
					placeholder="Search findings"
					value={words}
					onChange={e => setWords(e.target.value)}
					className="min-h-9 min-w-0 grow rounded-md border border-line bg-panel px-3 placeholder:text-quiet focus:border-accent focus:outline-none sm:max-w-60"
				/>
			</div>
			{found.length === 0 && <p className="text-quiet">No finding has these words.</p>}
			<List of={found} keyOf={f => f.id} label={many(found.length, 'finding')} height={66}>
				{card}
			</List>
			{aside.length > 0 && (
				<details className="rounded-lg border border-line bg-panel px-3 py-2">
					<summary>{many(aside.length, 'finding')} set aside</summary>
					<ul className="mt-2 space-y-2">
						{aside.map(f => (
							<li key={f.id}>
								<p className="text-sm text-quiet">{f.set_aside?.reason}</p>
								{card(f)}
							</li>
						))}
					</ul>
				</details>
			)}
		</div>
	)
}
