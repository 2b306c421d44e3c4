// Small pictures and words that the screens of audits share.
import { Check, CircleAlert, CircleX, Clock, LoaderCircle, Octagon, TriangleAlert } from 'lucide-react'
import { count, many, when } from '../shared/words'
import { type Audit, SEVERITIES, type Severity } from './types'

export { count, many, when }
// What an audit by a model has cost; "" = nothing.
export const cost = (tokens: number, usd: number) => [tokens > 0 && `${count(tokens)} tokens`, usd > 0 && `$${usd.toFixed(usd < 1 ? 4 : 2)}`].filter(Boolean).join(', ')
const shares = new Intl.NumberFormat(undefined, { style: 'percent', maximumFractionDigits: 1 })
export const share = (n: number) => (n > 0 && n < 0.001 ? `< ${shares.format(0.001)}` : shares.format(n))

const LOOKS: Record<Severity, string> = {
	critical: 'bg-bad text-page',
	high: 'bg-bad-soft text-bad',
	medium: 'bg-warn-soft text-warn',
	low: 'bg-sunk text-quiet',
}

export function SeverityMark({ severity }: { severity: Severity }) {
	return <span className={`inline-block rounded px-1.5 text-sm font-medium ${LOOKS[severity]}`}>{severity}</span>
}

export function Counts({ of }: { of: Pick<Audit, Severity> }) {
	const some = SEVERITIES.filter(s => of[s] > 0)
	if (!some.length) return <span className="text-quiet">no findings</span>
	return (
		<span className="flex flex-wrap gap-1">
			{some.map(s => (
				<span key={s} className={`rounded px-1.5 text-sm whitespace-nowrap ${LOOKS[s]}`}>
					{of[s]} {s}
				</span>
			))}
		</span>
	)
}

const STATES: Record<string, { words: string; look: string; icon: typeof Check }> = {
	queued: { words: 'Waiting', look: 'text-quiet', icon: Clock },
	running: { words: 'Running', look: 'text-accent', icon: LoaderCircle },
	ok: { words: 'Complete', look: 'text-good', icon: Check },
	partial: { words: 'Partial', look: 'text-warn', icon: TriangleAlert },
	failed: { words: 'Failed', look: 'text-bad', icon: CircleX },
	cancelled: { words: 'Stopped', look: 'text-quiet', icon: Octagon },
	interrupted: { words: 'Interrupted', look: 'text-warn', icon: CircleAlert },
}
export const isOver = (a: Pick<Audit, 'status'>) => !['queued', 'running'].includes(a.status)
export const canGoOn = (a: Pick<Audit, 'status'>) => ['partial', 'failed', 'cancelled', 'interrupted'].includes(a.status)

export function State({ audit }: { audit: Pick<Audit, 'status' | 'is_stopping'> }) {
	const s = STATES[audit.status] ?? STATES.failed!
	const Icon = s.icon
	return (
		<span className={`inline-flex items-center gap-1.5 ${s.look}`}>
			<Icon aria-hidden className={`size-4 shrink-0 ${audit.status === 'running' ? 'animate-spin' : ''}`} />
			{audit.is_stopping ? 'Stopping' : s.words}
		</span>
	)
}
