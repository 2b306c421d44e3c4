// What the server does with a finding: checks it again, shows its documents, keeps a person's word.
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { RotateCcw, ThumbsDown, ThumbsUp } from 'lucide-react'
import { useState } from 'react'
import { ProblemNote } from '../shared/problem'
import { Button } from '../shared/ui'
import { audits } from './api'
import { count, many } from './marks'
import { useDocuments } from './opener'
import type { Checked, Finding } from './types'

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
					Mark it as no problem
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
					<span className="text-sm">{f.user_label === 'tp' ? 'Marked as a problem.' : 'Marked as no problem.'}</span>
					<Button disabled={rate.isPending} onClick={() => rate.mutate('none')}>
						Withdraw it
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

export function FindingTools({ audit, of: f }: { audit: string; of: Finding }) {
	const check = useMutation({ mutationFn: () => audits.verify(audit, f.id) })
	const show = useDocuments()
	return (
		<>
			<div className="flex flex-wrap items-center gap-3">
				<Button disabled={check.isPending} onClick={() => check.mutate()}>
					<RotateCcw aria-hidden className={`size-4 ${check.isPending ? 'animate-spin' : ''}`} /> {check.isPending ? 'Checking …' : 'Check again now'}
				</Button>
				{show && f.evidence_shell.filter && (
					<Button onClick={() => show({ filter: f.evidence_shell.filter ?? '', title: `${f.field || 'whole documents'}: ${f.category_title}` })}>Show the documents</Button>
				)}
				{check.data && <Now of={f} checked={check.data} />}
			</div>
			{check.error && <ProblemNote error={check.error} />}
			<Judge audit={audit} of={f} />
		</>
	)
}
