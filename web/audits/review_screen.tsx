// The screen of /audits/review: findings that an audit was not sure about, of all projects or of one. A person decides on each.
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { api } from '../shared/api'
import { ProblemNote } from '../shared/problem'
import { ProjectChoice } from '../shared/project_choice'
import { Button } from '../shared/ui'
import { type Waiting, audits } from './api'
import { FindingCard } from './finding'
import { many, when } from './marks'
import { AuditLists } from './tabs'

function Decide({ of: w }: { of: Waiting }) {
	const store = useQueryClient()
	const [reason, setReason] = useState('')
	const decide = useMutation({
		mutationFn: (verdict: 'tp' | 'fp') => audits.resolve(w.run.id, w.finding.id, verdict, reason),
		onSettled: () => {
			void store.invalidateQueries({ queryKey: ['audits-waiting'] })
			void store.invalidateQueries({ queryKey: ['audit-report', w.run.id] })
			void store.invalidateQueries({ queryKey: ['audited'] })
		},
	})
	return (
		<div className="space-y-2">
			<p className="text-sm">
				Found by the{' '}
				<Link to="/audits/$id" params={{ id: w.run.id }} className="text-accent underline underline-offset-4">
					audit of {when(w.run.started_at)}
				</Link>
				, which was not sure.
			</p>
			<label className="block text-sm">
				Reason (later audits show it)
				<input
					value={reason}
					maxLength={500}
					onChange={e => setReason(e.target.value)}
					className="block min-h-9 w-full rounded-md border border-line bg-panel px-2 focus:border-accent focus:outline-none"
				/>
			</label>
			<div className="flex flex-wrap gap-2">
				<Button disabled={decide.isPending} onClick={() => decide.mutate('tp')}>
					It is a problem: keep it
				</Button>
				<Button disabled={decide.isPending} onClick={() => decide.mutate('fp')}>
					It is no problem: drop it
				</Button>
			</div>
			{decide.error && <ProblemNote error={decide.error} />}
		</div>
	)
}

export function ReviewScreen() {
	const { project } = useSearch({ strict: false }) as { project?: string }
	const go = useNavigate()
	const [open, setOpen] = useState('')
	const start = useQuery({ queryKey: ['start'], queryFn: api.start, staleTime: Infinity })
	const list = useQuery({ queryKey: ['audits-waiting', project ?? ''], queryFn: () => audits.waiting(project ?? ''), staleTime: 0 })
	useEffect(() => {
		document.title = 'Review · Argus'
	}, [])
	const waiting = list.data ?? []
	return (
		<div className="mx-auto w-full max-w-5xl space-y-4 p-4">
			<div className="flex flex-wrap items-center justify-between gap-3">
				<AuditLists />
				<ProjectChoice
					projects={start.data?.projects ?? []}
					value={project ?? ''}
					all="all projects"
					onChange={id => void go({ to: '/audits/review', search: id ? { project: id } : {}, replace: true })}
				/>
			</div>
			<h2 className="text-lg font-semibold">Findings that wait for a person</h2>
			{list.error && (
				<ProblemNote error={list.error}>
					<Button onClick={() => list.refetch()}>Try again</Button>
				</ProblemNote>
			)}
			{list.isPending && <p className="text-quiet">Loading …</p>}
			{list.isSuccess && waiting.length === 0 && (
				<p className="rounded-lg border border-line bg-panel px-4 py-6">
					Nothing waits. An audit by a model leaves findings here that it is not sure about. You decide whether each is a problem; until then the report marks it.
				</p>
			)}
			{waiting.length > 0 && <p className="text-sm text-quiet">{many(waiting.length, 'finding')}, the newest audit first. Reports mark each until somebody decides.</p>}
			<ul className="space-y-2">
				{waiting.map((w, i) => (
					<li key={w.finding.id}>
						{w.run.id !== waiting[i - 1]?.run.id && <h3 className="mt-4 mb-1 font-mono text-sm font-semibold">{w.run.collection}</h3>}
						<FindingCard
							collection={w.run.collection}
							of={w.finding}
							isNew={false}
							isOpen={open === w.finding.id}
							onTurn={() => setOpen(open === w.finding.id ? '' : w.finding.id)}
							tools={() => <Decide of={w} />}
						/>
					</li>
				))}
			</ul>
		</div>
	)
}
