// The baseline of a collection: the audit that a person chose, and what is new against it.
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Flag, FlagOff } from 'lucide-react'
import { Link } from '@tanstack/react-router'
import { ProblemNote } from '../shared/problem'
import { Button } from '../shared/ui'
import { audits } from './api'
import { count, when } from './marks'
import type { News } from './report'
import type { Baseline as State, Report } from './types'

export const useBaseline = (id: string) => useQuery({ queryKey: ['audit-baseline', id], queryFn: () => audits.baseline(id) })

// Against the baseline; without one against the audit before.
export function newsOf(report: Report, baseline: State | undefined): News | null {
	if (baseline?.changes) return { keys: new Set(baseline.changes.new.map(f => f.key)), since: 'the baseline' }
	if (!report.previous_run_id) return null
	return { keys: new Set(report.new_findings.map(f => f.key)), since: 'the audit before' }
}

export function Baseline({ id }: { id: string }) {
	const store = useQueryClient()
	const state = useBaseline(id)
	const done = { onSuccess: () => store.invalidateQueries({ queryKey: ['audit-baseline'] }) }
	const set = useMutation({ mutationFn: () => audits.setBaseline(id), ...done })
	const drop = useMutation({ mutationFn: (run: string) => audits.dropBaseline(run), ...done })
	const b = state.data
	if (!b) return state.error ? <ProblemNote error={state.error} /> : null
	const failed = set.error ?? drop.error
	const c = b.changes
	return (
		<div className="flex flex-wrap items-center gap-x-3 gap-y-1 text-sm" role="group" aria-label="Baseline">
			{b.is_this && (
				<span className="inline-flex items-center gap-1.5">
					<Flag aria-hidden className="size-4 text-accent" /> This audit is the baseline: later ones of the collection are compared with it.
				</span>
			)}
			{b.baseline && c && (
				<span>
					Against the{' '}
					<Link to="/audits/$id" params={{ id: b.baseline.id }} className="text-accent underline underline-offset-4">
						baseline
					</Link>{' '}
					of {when(b.baseline.started_at)}: <span className={c.new.length ? 'font-medium text-bad' : ''}>{count(c.new.length)} new</span>,{' '}
					<span className={c.more.length ? 'text-warn' : ''}>{count(c.more.length)} in more documents</span>, {count(c.gone)} gone
					{c.new_gaps.length > 0 && `, ${count(c.new_gaps.length)} that could be checked then`}.{c.why && ` ${c.why}.`}
				</span>
			)}
			{!b.is_this && (
				<Button disabled={set.isPending} onClick={() => set.mutate()} title="Later audits of the collection are compared with this one">
					<Flag aria-hidden className="size-4" /> {b.baseline ? 'Make this the baseline instead' : 'Make this the baseline'}
				</Button>
			)}
			{b.is_this && (
				<Button disabled={drop.isPending} onClick={() => drop.mutate(id)}>
					<FlagOff aria-hidden className="size-4" /> No longer the baseline
				</Button>
			)}
			{failed && <ProblemNote error={failed} />}
		</div>
	)
}
