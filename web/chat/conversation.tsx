// One conversation: its messages, the answer that is being written, and the question that comes next.
import { useChat } from '@ai-sdk/react'
import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { DefaultChatTransport } from 'ai'
import { ArrowDown } from 'lucide-react'
import { useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react'
import { Problem, type Start, api, ask } from '../shared/api'
import { ProblemNote } from '../shared/problem'
import { ProjectChoice } from '../shared/project_choice'
import { Button } from '../shared/ui'
import { Composer } from './composer'
import { MessageView } from './message'
import type { Message } from './types'

const NEAR_END_PX = 80

// Only the question goes to the server: it has the rest.
const transport = new DefaultChatTransport<Message>({
	api: '/api/chat',
	fetch: ask as typeof fetch,
	prepareSendMessagesRequest: ({ id, messages, body }) => ({ body: { ...body, id, message: messages.at(-1) } }),
})

function Starters({ start, onAsk }: { start?: Start; onAsk: (q: string) => void }) {
	return (
		<section className="mx-auto max-w-3xl space-y-5 px-4 py-10 sm:py-16">
			<div>
				<h1 className="text-2xl font-semibold">What do you want to know?</h1>
				<p className="mt-1 text-quiet">
					Argus asks the database, and marks each figure that a result proves. It only reads.
				</p>
			</div>
			{start && start.starters.length > 0 && (
				<ul className="grid gap-2 sm:grid-cols-2" aria-label="Questions to begin with">
					{start.starters.map(q => (
						<li key={q}>
							<button
								type="button"
								onClick={() => onAsk(q)}
								className="h-full w-full rounded-lg border border-line bg-panel px-4 py-3 text-left hover:border-accent"
							>
								{q}
							</button>
						</li>
					))}
				</ul>
			)}
		</section>
	)
}

export type Asker = { current: ((question: string) => void) | null }

interface Props {
	id: string
	before: Message[]
	older: string | null // earlier turns: those before this one
	isNew: boolean // nothing of it is on the server
	start?: Start
	project?: string // of a conversation that the server has
	onAsked: () => void
	asker: Asker
}

export function Conversation({ id, before, older: olderAtFirst, isNew, start, project: known, onAsked, asker }: Props) {
	const store = useQueryClient()
	const [text, setText] = useState(() => sessionStorage.getItem(`draft-${id}`) ?? '')
	const navigate = useNavigate()
	const [isStopping, setStopping] = useState(false)
	const [older, setOlder] = useState(olderAtFirst)
	const [refused, setRefused] = useState<unknown>(null) // of what is no question
	const [project, setProject] = useState(known ?? start?.projects[0]?.id ?? '')
	const refresh = () => {
		void store.invalidateQueries({ queryKey: ['threads'] })
		if (document.visibilityState === 'visible') void api.viewed(id).then(() => store.invalidateQueries({ queryKey: ['threads'] }), () => {})
	}
	const { messages, status, error, sendMessage, resumeStream, clearError, setMessages } = useChat<Message>({
		id,
		messages: before,
		transport,
		resume: !isNew,
		experimental_throttle: 50,
		onFinish: () => {
			setStopping(false)
			refresh()
			void store.invalidateQueries({ queryKey: ['artifact'] }) // it may have a new version
			void store.invalidateQueries({ queryKey: ['artifacts'] })
		},
		onError: () => setStopping(false),
	})
	const isBusy = status === 'submitted' || status === 'streaming'

	const keep = (t: string) => {
		setText(t)
		if (t) sessionStorage.setItem(`draft-${id}`, t)
		else sessionStorage.removeItem(`draft-${id}`)
	}
	const send = (question: string) => {
		clearError()
		onAsked()
		keep('')
		// Later questions go to the project of the conversation.
		const body = isNew && messages.length === 0 && project ? { project } : undefined
		void sendMessage({ text: question }, { body }).then(() => store.invalidateQueries({ queryKey: ['threads'] }))
		toEnd()
	}
	useEffect(() => {
		// While an answer is written, the question waits in the field.
		asker.current = question => (isBusy ? keep(question) : send(question))
		return () => {
			asker.current = null
		}
	})
	// The stream was lost, or the question never arrived: what the server has decides.
	const again = async () => {
		clearError()
		const last = messages.at(-1)
		const question = last?.role === 'user' ? last.parts.map(p => (p.type === 'text' ? p.text : '')).join('') : ''
		const known = await api.messages(id).catch(e => (e instanceof Problem && e.status === 404 ? null : undefined))
		if (known) {
			setMessages(known.messages as Message[])
			const has = known.messages.some(m => (m as Message).role === 'user' && (m as Message).parts.some(p => p.type === 'text' && p.text === question))
			if (!question || has) return void resumeStream()
		} else if (last?.role === 'user') {
			setMessages(messages.slice(0, -1))
		}
		if (question) send(question)
	}

	const showOlder = async () => {
		try {
			const page = await api.messages(id, older ?? '')
			isFollowing.current = false
			setOlder(page.next)
			setMessages(now => [...(page.messages as Message[]), ...now])
		} catch (e) {
			setRefused(e)
		}
	}
	const onBranch = useCallback(
		async (turn: string) => {
			try {
				const made = await api.branch(id, turn)
				void store.invalidateQueries({ queryKey: ['threads'] })
				void navigate({ to: '/chat/$id', params: { id: made.id } })
			} catch (e) {
				setRefused(e)
			}
		},
		[id, navigate, store],
	)

	const box = useRef<HTMLDivElement>(null)
	const [isAtEnd, setAtEnd] = useState(true)
	const isFollowing = useRef(true)
	const toEnd = () => {
		isFollowing.current = true
		requestAnimationFrame(() => box.current?.scrollTo({ top: box.current.scrollHeight }))
	}
	useLayoutEffect(() => {
		if (isFollowing.current && box.current) box.current.scrollTop = box.current.scrollHeight
	}, [messages, status])
	useEffect(() => {
		if (!isNew) void api.viewed(id).then(() => store.invalidateQueries({ queryKey: ['threads'] }), () => {})
	}, [id])

	const isWaiting = status === 'submitted' || (status === 'streaming' && messages.at(-1)?.role === 'user')
	const isEmpty = messages.length === 0 && !isBusy
	return (
		<div className="flex min-h-0 grow flex-col">
			<div
				ref={box}
				className="relative min-h-0 grow overflow-y-auto"
				tabIndex={0}
				role="region"
				aria-label="Conversation"
				onScroll={e => {
					const b = e.currentTarget
					const near = b.scrollHeight - b.scrollTop - b.clientHeight < NEAR_END_PX
					isFollowing.current = near
					setAtEnd(near)
				}}
			>
				{isEmpty && !error ? (
					<Starters start={start} onAsk={send} />
				) : (
					<div className="mx-auto max-w-3xl space-y-6 px-4 py-6">
						{older && (
							<Button className="mx-auto flex" onClick={showOlder}>
								Earlier questions
							</Button>
						)}
						{messages.map((m, i) => (
							<MessageView key={m.id} message={m} isLive={isBusy && i === messages.length - 1} project={project} onBranch={onBranch} />
						))}
						{isWaiting && <p className="animate-pulse text-quiet">Thinking about it …</p>}
						{refused !== null && (
							<ProblemNote error={refused}>
								<Button onClick={() => setRefused(null)}>Close</Button>
							</ProblemNote>
						)}
						{error && (
							<ProblemNote error={error}>
								<Button onClick={again}>Try again</Button>
							</ProblemNote>
						)}
					</div>
				)}
			</div>
			<div className="relative mx-auto w-full max-w-3xl px-4 pb-3">
				{!isAtEnd && !isEmpty && (
					<Button className="absolute -top-12 left-1/2 -translate-x-1/2 rounded-full shadow" onClick={toEnd}>
						<ArrowDown aria-hidden className="size-4" /> Newest
					</Button>
				)}
				{isNew && isEmpty && start && <ProjectChoice projects={start.projects} value={project} onChange={setProject} className="mb-2" />}
				<Composer
					text={text}
					onText={keep}
					onAsk={() => send(text.trim())}
					onStop={() => {
						setStopping(true)
						api.stop(id).catch(() => setStopping(false))
					}}
					isBusy={isBusy}
					isStopping={isStopping}
					focusKey={id}
				/>
				<p aria-live="polite" role="status" className="sr-only">
					{isBusy ? 'The answer is being written.' : messages.at(-1)?.role === 'assistant' ? 'The answer is complete.' : ''}
				</p>
			</div>
		</div>
	)
}
