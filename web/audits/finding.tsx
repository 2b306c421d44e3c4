// One finding: what is wrong, how much, the evidence, what to do; checked again and judged where it stands.
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { RotateCcw, ThumbsDown, ThumbsUp } from 'lucide-react'
import { useState } from 'react'
import { ProblemNote } from '../shared/problem'
import { Button } from '../shared/ui'
import { audits } from './api'
import { useDocuments } from './documents'
import { Code, shell } from './evidence'
import { SeverityMark, count, many, share } from './marks'
import type { Checked, Finding, Report } from './types'

const RESULTS: Record<string, string> = {
	confirmed: 'Still so',
	changed: 'Changed',
	resolved: 'Resolved: no document is affected any more',
	'not checkable': 'It cannot be checked',
}

function Now({ of, checked }: { of: Finding; checked: Checked }) {
	const c = checked.findings.find(x => x.id === of.id)
	if (!c) return null
	return (
		<p role="status" className={c.result === 'resolved' ? 'text-good' : c.result === 'confirmed' ? '' : 'text-warn'}>
			{RESULTS[c.result] ?? c.result}
			{c.now !== null && c.result === 'confirmed' && `: ${many(c.now, 'document')}`}
			{c.now !== null && c.result === 'changed' && `: ${many(c.now, 'document')} now, ${count(c.was)} in the report`}
			{c.why && `: ${c.why}`}
			{checked.other_data && `. The data has changed since: ${checked.other_data_why}.`}
		</p>
	)
}

function Judge({ audit, of: f }: { audit: string; of: Finding }) {
	const store = useQueryClient()
	const [reason, setReason] = useState('')
	const [isAsking, setAsking] = useState(false)
	const rate = useMutation({
		mutationFn: (label: 'tp' | 'fp' | 'none') => audits.rate(audit, f.id, label, reason),
		onSuccess: () => {
			setAsking(false)
			setReason('')
			void store.invalidateQueries({ queryKey: ['audit-report', audit] })
			void store.invalidateQueries({ queryKey: ['audits'] })
		},
	})
	if (isAsking) {
		return (
			<form
				className="flex flex-wrap items-end gap-2"
				onSubmit={e => {
					e.preventDefault()
					rate.mutate('fp')
				}}
			>
				<label className="min-w-0 grow text-sm">
					Why is it no problem? Later audits show this.
					<input
						autoFocus
						value={reason}
						maxLength={500}
						onChange={e => setReason(e.target.value)}
						className="block min-h-9 w-full rounded-md border border-line bg-panel px-2 focus:border-accent focus:outline-none"
					/>
				</label>
				<Button type="submit" disabled={rate.isPending}>
					Say that it is no problem
				</Button>
				<Button onClick={() => setAsking(false)}>Cancel</Button>
				{rate.error && <ProblemNote error={rate.error} />}
			</form>
		)
	}
	return (
		<div className="flex flex-wrap items-center gap-2">
			{f.user_label && (
				<>
					<span className="text-sm">{f.user_label === 'tp' ? 'Somebody said that it is a problem.' : 'Somebody said that it is no problem.'}</span>
					<Button disabled={rate.isPending} onClick={() => rate.mutate('none')}>
						Take that back
					</Button>
				</>
			)}
			{!f.user_label && (
				<>
					<Button disabled={rate.isPending} onClick={() => rate.mutate('tp')}>
						<ThumbsUp aria-hidden className="size-4" /> It is a problem
					</Button>
					<Button disabled={rate.isPending} onClick={() => setAsking(true)}>
						<ThumbsDown aria-hidden className="size-4" /> It is no problem …
					</Button>
				</>
			)}
			{rate.error && <ProblemNote error={rate.error} />}
		</div>
	)
}

const shownValue = (v: unknown) => (typeof v === 'string' ? v : JSON.stringify(v))

export function FindingCard({ audit, report, of: f, isOpen, onTurn }: { audit: string; report: Report; of: Finding; isOpen: boolean; onTurn: () => void }) {
	const check = useMutation({ mutationFn: () => audits.verify(audit, f.id) })
	const show = useDocuments()
	const name = f.field || 'whole documents'
	return (
		<article aria-label={`${name}: ${f.category_title}`} className="rounded-lg border border-line bg-panel">
			<h3>
				<button
					type="button"
					aria-expanded={isOpen}
					onClick={onTurn}
					className="grid w-full grid-cols-[5rem_minmax(0,1fr)_auto] items-baseline gap-x-3 rounded-lg px-3 py-2 text-left hover:bg-sunk"
				>
					<span>
						<SeverityMark severity={f.severity} />
					</span>
					<span className="min-w-0">
						<span className="font-mono text-sm font-semibold break-all">{name}</span>
						<span className="text-quiet"> {f.category_title}</span>
						{f.status === 'pending_review' && <span className="ml-2 rounded bg-warn-soft px-1.5 text-sm text-warn">waits for a review</span>}
						<span className="block text-sm">{f.description}</span>
					</span>
					<span className="text-right text-sm tabular-nums">
						{count(f.affected_count)}
						<span className="block text-quiet">{share(f.affected_pct)}</span>
					</span>
				</button>
			</h3>
			{isOpen && (
				<div className="space-y-3 border-t border-line px-3 py-3">
					{f.detail && <p className="break-words">{f.detail}</p>}
					{f.examples.length > 0 && (
						<ul className="space-y-0.5 text-sm" aria-label="Examples">
							{f.examples.slice(0, 5).map((x, i) => (
								<li key={i} className="flex flex-wrap gap-x-3">
									<span className="text-quiet">{x.where}</span>
									<span className="font-mono text-[0.9em] break-all">{shownValue(x.value)}</span>
								</li>
							))}
						</ul>
					)}
					{f.hypothesis && (
						<p>
							<span className="text-quiet">Likely cause: </span>
							{f.hypothesis}
						</p>
					)}
					{f.repair && (
						<p>
							<span className="text-quiet">What to do: </span>
							{f.repair}
						</p>
					)}
					{f.parts.length > 0 && (
						<ul className="list-disc pl-5 text-sm" aria-label="Part of it">
							{f.parts.map((p, i) => (
								<li key={i}>
									{p.description} ({count(p.affected_count)})
								</li>
							))}
						</ul>
					)}
					<Code text={shell(report.collection, f)} label="for mongosh" />
					<div className="flex flex-wrap items-center gap-3">
						<Button disabled={check.isPending} onClick={() => check.mutate()}>
							<RotateCcw aria-hidden className={`size-4 ${check.isPending ? 'animate-spin' : ''}`} /> {check.isPending ? 'Checking …' : 'Check again now'}
						</Button>
						{show && f.evidence_shell.filter && (
							<Button onClick={() => show({ filter: f.evidence_shell.filter ?? '', title: `${name}: ${f.category_title}` })}>Show the documents</Button>
						)}
						{check.data && <Now of={f} checked={check.data} />}
					</div>
					{check.error && <ProblemNote error={check.error} />}
					<Judge audit={audit} of={f} />
				</div>
			)}
		</article>
	)
}
