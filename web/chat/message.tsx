import { Brain, Check, ChevronRight, Copy, GitBranch, Link2, RefreshCw } from 'lucide-react'
import { Fragment, type ReactNode, memo, useCallback, useMemo, useState } from 'react'
import { IconButton } from '../shared/ui'
import { Provenance, Words } from './answer'
import { Feedback } from './feedback'
import { Question } from './question'
import { ToolCard } from './tool_card'
import { type Answer, type Cell, type Drawn, type Message, type Query, type Status, type ToolPart, isTool, textOf } from './types'

function Thoughts({ text, isLive }: { text: string; isLive: boolean }) {
	return (
		<details className="group text-sm text-quiet">
			<summary className="flex list-none items-center gap-1.5 hover:text-text">
				<Brain aria-hidden className={`size-4 ${isLive ? 'animate-pulse' : ''}`} />
				{isLive ? 'Thinking …' : 'What the model thought'}
				<ChevronRight aria-hidden className="size-4 transition-transform group-open:rotate-90" />
			</summary>
			<p className="mt-1 border-l-2 border-line pl-3 whitespace-pre-wrap">{text}</p>
		</details>
	)
}

function Replaced({ text, status }: { text: string; status: Status }) {
	return (
		<details className="group text-sm text-quiet">
			<summary className="flex list-none items-center gap-1.5 hover:text-text">
				<ChevronRight aria-hidden className="size-4 transition-transform group-open:rotate-90" />
				{status.kind === 'void' ? 'The model began again' : 'An answer was sent back'}
				{status.reason && `: ${status.reason}`}
			</summary>
			<p className="mt-1 border-l-2 border-line pl-3 whitespace-pre-wrap line-through">{text}</p>
		</details>
	)
}

// Which query of the answer each call is: both are in their order.
function matchQueries(calls: ToolPart[], queries: Query[]): Map<string, Query> {
	const out = new Map<string, Query>()
	let next = 0
	for (const call of calls) {
		const sql = (call.input as { query?: unknown } | undefined)?.query
		const i = queries.findIndex((q, k) => k >= next && q.tool === call.type.slice(5) && q.sql === sql)
		if (i < 0) continue
		out.set(call.toolCallId, queries[i]!)
		next = i + 1
	}
	return out
}

function CopyAnswer({ text }: { text: string }) {
	const [isCopied, setCopied] = useState(false)
	const copy = async () => {
		await navigator.clipboard.writeText(text)
		setCopied(true)
		setTimeout(() => setCopied(false), 1500)
	}
	return (
		<IconButton label={isCopied ? 'Copied' : 'Copy the answer'} onClick={copy}>
			{isCopied ? <Check aria-hidden className="size-4" /> : <Copy aria-hidden className="size-4" />}
		</IconButton>
	)
}

function CopyLink({ turn }: { turn: string }) {
	const [isCopied, setCopied] = useState(false)
	const copy = async () => {
		await navigator.clipboard.writeText(`${location.origin}${location.pathname}#${turn}`)
		setCopied(true)
		setTimeout(() => setCopied(false), 1500)
	}
	return (
		<IconButton label={isCopied ? 'The link is copied' : 'Copy a link to this answer'} onClick={copy}>
			{isCopied ? <Check aria-hidden className="size-4" /> : <Link2 aria-hidden className="size-4" />}
		</IconButton>
	)
}

// What can be done with a message. The functions stay the same, so that a message is drawn again only when it changes.
export interface Actions {
	branch: (turn: string) => void
	retry: (turn: string) => void
	edit: (message: string | null) => void // begins to change the question; null = ends it
	change: (message: string, text: string) => void
	version: (turn: string) => void
	draft: (statement: string) => void // puts it into the field, to be changed and run
}

interface Props {
	message: Message
	isLive: boolean
	project?: string // of the conversation
	drawArtifact: (drawn: Drawn, project: string) => ReactNode
	actions?: Actions // without them the conversation is somebody else's, to be read
	thread?: string
	turn?: string // '' = it is not known yet
	place?: number // among the messages, from 1
	of?: number // messages that there are; -1 = it is not known
	isEditing?: boolean
	mayChange?: boolean // false: an earlier version, which is read only
}

function AnswerMessage({ message, isLive, project = '', actions, thread = '', place, of, mayChange, drawArtifact }: Props) {
	const [cell, setCell] = useState<Cell | null>(null)
	const onCell = useCallback((c: Cell) => setCell({ ...c }), [])
	const { parts } = message
	const answer = parts.find(p => p.type === 'data-answer')?.data as Answer | undefined
	const calls = parts.filter(isTool) as unknown as ToolPart[]
	const queries = useMemo(() => matchQueries(calls, answer?.queries ?? []), [parts, answer])
	const fates = new Map<string, Status>()
	for (const p of parts) {
		const status = p.type === 'data-status' ? (p.data as Status) : null
		if (status?.part) fates.set(status.part, status)
	}
	let ntext = 0
	return (
		<article aria-label="Answer" aria-busy={isLive} aria-posinset={place} aria-setsize={of} tabIndex={place && -1} className="space-y-3">
			{parts.map((p, i) => {
				if (p.type === 'reasoning') {
					return p.text ? <Thoughts key={i} text={p.text} isLive={isLive && i === parts.length - 1} /> : null
				}
				if (p.type === 'text') {
					const fate = fates.get(`text-${ntext++}`)
					if (fate) return <Replaced key={i} text={p.text} status={fate} />
					return <Words key={i} text={p.text} answer={answer} onCell={onCell} />
				}
				if (isTool(p)) {
					const call = p as unknown as ToolPart
					const isLast = calls.at(-1)?.toolCallId === call.toolCallId
					return (
						<ToolCard
							key={call.toolCallId}
							part={call}
							query={queries.get(call.toolCallId)}
							isCorrected={!isLast}
							lit={cell}
							onDraft={mayChange ? actions?.draft : undefined}
						/>
					)
				}
				if (p.type === 'data-artifact') return <Fragment key={i}>{drawArtifact(p.data, answer?.project ?? project)}</Fragment>
				return null
			})}
			{answer && !isLive && (
				<>
					{/* A step of a recipe that is a statement has no text of a model. */}
					{answer.answer && ntext === 0 && <Words text={answer.answer} answer={answer} onCell={onCell} />}
					<Provenance answer={answer} isOwn={actions !== undefined} />
					<div className="flex flex-wrap print:hidden" data-actions>
						{answer.answer && <CopyAnswer text={answer.answer} />}
						{actions && mayChange && (
							<IconButton label="Another answer" className="group-data-busy/talk:hidden" onClick={() => actions.retry(message.id)}>
								<RefreshCw aria-hidden className="size-4" />
							</IconButton>
						)}
						{actions && (
							<>
								<CopyLink turn={message.id} />
								<IconButton label="Go on from here in a new conversation" onClick={() => actions.branch(message.id)}>
									<GitBranch aria-hidden className="size-4" />
								</IconButton>
								<Feedback thread={thread} turn={message.id} said={message.metadata?.feedback} />
							</>
						)}
					</div>
				</>
			)}
		</article>
	)
}

export const MessageView = memo(function MessageView(props: Props) {
	const { message, actions, turn = '' } = props
	if (message.role !== 'user') return <AnswerMessage {...props} />
	const versions = message.metadata?.versions ?? []
	return (
		<Question
			text={textOf(message)}
			isOwn={actions !== undefined}
			order={{ place: props.place, of: props.of }}
			versions={actions ? versions : []}
			place={versions.indexOf(turn)}
			isEditing={props.isEditing ?? false}
			project={props.project ?? ''}
			mayEdit={actions !== undefined && props.mayChange === true}
			onEdit={() => actions?.edit(message.id)}
			onDone={text => actions?.change(message.id, text)}
			onCancel={() => actions?.edit(null)}
			onVersion={t => actions?.version(t)}
		/>
	)
})
