// An audit that is under way: its steps and findings as they come.
import { useEffect, useRef, useState } from 'react'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { ProblemNote } from '../shared/problem'
import { audits } from './api'
import { SeverityMark, cost, count, isOver } from './marks'
import type { Audit, AuditEvent, Severity } from './types'

const KEPT = 400 // lines; what is older scrolls away

// The events so far, and the audit as the newest answer tells it.
function useEvents(audit: Audit) {
	const store = useQueryClient()
	const [events, setEvents] = useState<AuditEvent[]>([])
	const last = useRef(0)
	const next = useQuery({
		queryKey: ['audit-events', audit.id],
		queryFn: async () => {
			const page = await audits.events(audit.id, last.current)
			last.current = page.last
			if (page.events.length) setEvents(before => [...before, ...page.events].slice(-KEPT))
			store.setQueryData(['audit', audit.id], page.audit)
			return page.last
		},
		refetchInterval: isOver(audit) ? false : 1500, // a user may ask 120 times a minute
		gcTime: 0,
		structuralSharing: false,
	})
	return { events, error: next.error }
}

function line(e: AuditEvent): string {
	switch (e.type) {
		case 'run_started':
			return 'The audit begins.'
		case 'run_resumed':
			return 'The audit goes on.'
		case 'history':
			return 'What earlier audits found is checked again.'
		case 'proposal':
			return e.reasoning ?? e.action ?? ''
		case 'tool_output':
			return e.summary ?? (e.ok ? `${e.tool}: done` : `${e.tool}: it failed`)
		case 'verdict':
			return e.verdict === 'pass' ? '' : `The ${e.gate} gate says ${e.verdict}: ${e.reason ?? ''}`
		case 'error':
			return e.message ?? 'Something failed.'
		default:
			return ''
	}
}

export function Live({ audit }: { audit: Audit }) {
	const { events, error } = useEvents(audit)
	const end = useRef<HTMLLIElement>(null)
	const found = events.filter(e => e.type === 'finding' && e.status === 'committed')
	// In braces: newer browsers return a promise here, which React would call.
	useEffect(() => {
		end.current?.scrollIntoView({ block: 'nearest' })
	}, [events.length])
	return (
		<div className="grid min-h-0 grow gap-4 lg:grid-cols-[minmax(0,3fr)_minmax(0,2fr)]">
			<section aria-label="Steps" className="flex min-h-60 flex-col rounded-lg border border-line bg-panel">
				<h3 className="flex flex-wrap items-baseline justify-between gap-x-3 border-b border-line px-3 py-2 font-medium">
					Steps
					<span className="text-sm font-normal text-quiet">{cost(audit.input_tokens + audit.output_tokens, audit.usd)}</span>
				</h3>
				{audit.status === 'queued' && <p className="px-3 py-2 text-quiet">It waits for a worker. This takes seconds when one is free.</p>}
				<ol className="grow space-y-1 overflow-y-auto px-3 py-2 text-sm" tabIndex={0} aria-label="What the audit does">
					{events.map(e => {
						const words = line(e)
						return words ? (
							<li key={e.seq} className={e.type === 'tool_output' ? 'pl-4 text-quiet' : e.type === 'error' ? 'text-bad' : ''}>
								{words}
							</li>
						) : null
					})}
					<li ref={end} aria-hidden />
				</ol>
			</section>
			<section aria-label="Findings so far" className="flex min-h-60 flex-col rounded-lg border border-line bg-panel">
				<h3 className="border-b border-line px-3 py-2 font-medium" aria-live="polite">
					{found.length ? `${found.length} found so far` : 'Nothing found yet'}
				</h3>
				<ul className="grow space-y-1 overflow-y-auto px-3 py-2 text-sm" tabIndex={0} aria-label="Findings">
					{found.map(e => (
						<li key={e.seq} className="flex flex-wrap items-baseline gap-2">
							<SeverityMark severity={(e.severity ?? 'low') as Severity} />
							<span className="font-mono break-all">{e.field || 'whole documents'}</span>
							<span className="text-quiet">
								{e.category} {e.affected_count !== undefined && `(${count(e.affected_count)})`}
							</span>
						</li>
					))}
				</ul>
			</section>
			{error && <ProblemNote error={error} />}
		</div>
	)
}
