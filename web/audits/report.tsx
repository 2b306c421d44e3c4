// The findings of an audit: worst first, by severity and by words; only cards in sight are drawn.
import { useVirtualizer } from '@tanstack/react-virtual'
import { useDeferredValue, useMemo, useRef, useState } from 'react'
import { FindingCard } from './finding'
import { SeverityMark, many } from './marks'
import { type Report, SEVERITIES, type Severity } from './types'

export function Findings({ audit, report }: { audit: string; report: Report }) {
	const [only, setOnly] = useState<Severity | ''>('')
	const [words, setWords] = useState('')
	const [open, setOpen] = useState('')
	const search = useDeferredValue(words.trim().toLowerCase())
	const found = useMemo(
		() =>
			report.findings.filter(
				f => (!only || f.severity === only) && `${f.field} ${f.category_title} ${f.description}`.toLowerCase().includes(search),
			),
		[report, only, search],
	)
	const box = useRef<HTMLDivElement>(null)
	const list = useVirtualizer({
		count: found.length,
		getScrollElement: () => box.current,
		estimateSize: () => 66,
		overscan: 8,
		gap: 8,
		getItemKey: i => found[i]!.id,
		initialRect: { width: 800, height: 800 },
	})
	if (report.findings.length === 0) {
		return (
			<p className="rounded-lg border border-line bg-panel px-4 py-6">
				{report.verdict === 'incomplete' || report.gaps.length > 0 ? 'Nothing was found in what could be checked.' : 'Nothing was found: each check that was made held.'}
			</p>
		)
	}
	return (
		<div className="flex min-h-0 grow flex-col gap-3">
			<div className="flex flex-wrap items-center gap-2" role="group" aria-label="Which findings">
				{(['', ...SEVERITIES] as const).map(s => {
					const n = s ? report.findings.filter(f => f.severity === s).length : report.findings.length
					if (s && !n) return null
					return (
						<button
							key={s}
							type="button"
							aria-pressed={only === s}
							onClick={() => setOnly(s)}
							className={`min-h-9 rounded-md border px-3 text-sm ${only === s ? 'border-accent bg-accent-soft' : 'border-line bg-panel hover:bg-sunk'}`}
						>
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
			<div ref={box} className="min-h-[75dvh] grow overflow-y-auto sm:min-h-80" tabIndex={0} role="region" aria-label={many(found.length, 'finding')}>
				<div style={{ height: list.getTotalSize() }} className="relative">
					{list.getVirtualItems().map(v => {
						const f = found[v.index]!
						return (
							<div key={v.key} data-index={v.index} ref={list.measureElement} className="absolute inset-x-0 top-0" style={{ transform: `translateY(${v.start}px)` }}>
								<FindingCard audit={audit} report={report} of={f} isOpen={open === f.id} onTurn={() => setOpen(open === f.id ? '' : f.id)} />
							</div>
						)
					})}
				</div>
			</div>
		</div>
	)
}
