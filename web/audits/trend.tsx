// Small charts of the audits of a collection, the oldest on the left.
import { count, share, when } from './marks'
import type { Run, Severity } from './types'

const PARTS: [Severity, string][] = [
	['critical', 'bg-bad'],
	['high', 'bg-bad/60'],
	['medium', 'bg-warn/70'],
	['low', 'bg-quiet/40'],
]
const findings = (r: Run) => r.critical + r.high + r.medium + r.low

// runs: the newest first, as the server lists them.
export function FindingBars({ runs, look = 'h-24' }: { runs: Run[]; look?: string }) {
	const shown = [...runs].reverse()
	const most = Math.max(1, ...shown.map(findings))
	return (
		<div className={`flex items-end gap-0.5 ${look}`} role="img" aria-label={`Findings of ${shown.length} audits, oldest first: ${shown.map(findings).join(', ')}`}>
			{shown.map(r => (
				<div key={r.id} className="flex h-full max-w-8 min-w-1 grow flex-col justify-end border-b border-line" title={`${when(r.started_at)}: ${r.critical} critical, ${r.high} high, ${r.medium} medium, ${r.low} low`}>
					{PARTS.map(([s, color]) => (
						<div key={s} className={color} style={{ height: `${(100 * r[s]) / most}%` }} />
					))}
				</div>
			))}
		</div>
	)
}

export const nullShare = (r: Run) => (r.counted_values ? r.null_values / r.counted_values : null)
export const documentsOf = (r: Run) => r.documents
const MEASURES = {
	nulls: { of: nullShare, text: share, title: 'Null values' },
	documents: { of: documentsOf, text: count, title: 'Documents' },
}

export function MeasureBars({ runs, measure, look = 'h-24' }: { runs: Run[]; measure: keyof typeof MEASURES; look?: string }) {
	const { of, text, title } = MEASURES[measure]
	const shown = [...runs].reverse()
	const most = Math.max(...shown.map(r => of(r) ?? 0)) || 1
	const words = shown.map(r => (of(r) === null ? 'not counted' : text(of(r)!)))
	return (
		<div className={`flex items-end gap-0.5 ${look}`} role="img" aria-label={`${title} of ${shown.length} audits, oldest first: ${words.join(', ')}`}>
			{shown.map((r, i) => (
				<div key={r.id} className="flex h-full max-w-8 min-w-1 grow flex-col justify-end border-b border-line" title={`${when(r.started_at)}: ${words[i]}`}>
					<div className="bg-accent/70" style={{ height: `${(100 * (of(r) ?? 0)) / most}%` }} />
				</div>
			))}
		</div>
	)
}
