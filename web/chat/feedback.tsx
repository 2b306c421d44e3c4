// What somebody says of an answer: up or down, and why. A second click takes it back.
import { ThumbsDown, ThumbsUp } from 'lucide-react'
import { useState } from 'react'
import { api } from '../shared/api'
import { ProblemNote } from '../shared/problem'
import { Button, IconButton } from '../shared/ui'
import type { Metadata, Verdict } from './types'

interface Props {
	thread: string
	turn: string
	said: Metadata['feedback']
}

export function Feedback({ thread, turn, said: saidAtFirst }: Props) {
	const [said, setSaid] = useState(saidAtFirst ?? null)
	const [reason, setReason] = useState(saidAtFirst?.reason ?? '')
	const [isOpen, setOpen] = useState(false) // the field for the reason
	const [problem, setProblem] = useState<unknown>(null)
	const put = async (verdict: Verdict, why: string) => {
		setProblem(null)
		try {
			await api.putFeedback(thread, turn, verdict, why)
			setSaid({ verdict, reason: why })
			return true
		} catch (e) {
			setProblem(e)
			return false
		}
	}
	const turnTo = async (verdict: Verdict) => {
		if (said?.verdict !== verdict) {
			setOpen(true)
			return void put(verdict, '')
		}
		setOpen(false)
		setProblem(null)
		try {
			await api.dropFeedback(thread, turn)
			setSaid(null)
			setReason('')
		} catch (e) {
			setProblem(e)
		}
	}
	const thumb = (verdict: Verdict, label: string, Icon: typeof ThumbsUp) => (
		<IconButton label={label} aria-pressed={said?.verdict === verdict} onClick={() => void turnTo(verdict)}>
			<Icon aria-hidden className={`size-4 ${said?.verdict === verdict ? 'fill-current text-accent' : ''}`} />
		</IconButton>
	)
	return (
		<>
			{thumb('up', 'A good answer', ThumbsUp)}
			{thumb('down', 'A bad answer', ThumbsDown)}
			{said && isOpen && (
				<form
					className="order-last flex w-full flex-wrap items-center gap-2 pt-1"
					onSubmit={async e => {
						e.preventDefault()
						if (await put(said.verdict, reason.trim())) setOpen(false)
					}}
				>
					<input
						autoFocus
						aria-label="Why?"
						placeholder={said.verdict === 'up' ? 'What was good? (optional)' : 'What was wrong? (optional)'}
						value={reason}
						maxLength={1000}
						onChange={e => setReason(e.target.value)}
						onKeyDown={e => e.key === 'Escape' && setOpen(false)}
						className="min-h-9 min-w-0 grow rounded-md border border-line bg-panel px-3 text-sm placeholder:text-quiet focus:border-accent focus:outline-none"
					/>
					<Button type="submit" disabled={!reason.trim()}>
						Send
					</Button>
					<Button onClick={() => setOpen(false)}>Close</Button>
				</form>
			)}
			{problem !== null && (
				<div className="order-last w-full pt-1">
					<ProblemNote error={problem} />
				</div>
			)}
			<span role="status" className="sr-only">
				{said ? 'Your feedback is saved.' : ''}
			</span>
		</>
	)
}
