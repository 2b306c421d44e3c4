// One conversation: its messages, the answer that is being written, and the question that comes next.
import { useChat } from '@ai-sdk/react'
import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { DefaultChatTransport } from 'ai'
import { ArrowDown } from 'lucide-react'
import { Suspense, lazy, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react'
import { ArtifactCard } from '../artifacts/card'
import { Problem, type Start, api, ask } from '../shared/api'
import { ProblemNote } from '../shared/problem'
import { ProjectChoice } from '../shared/project_choice'
import { Button } from '../shared/ui'
import { commandOf, statementOf } from './commands'
import { Composer } from './composer'
import { LostAccess } from './lost_access'
import { type Actions, MessageView } from './message'
import { type Drawn, type Message, textOf, turnAt } from './types'

const NEAR_END_PX = 80
const drawCard = (drawn: Drawn, project: string) => <ArtifactCard drawn={drawn} project={project} />

// Only the question goes to the server: it has the rest.
const transport = new DefaultChatTransport<Message>({
	api: '/api/chat',
	fetch: ask as typeof fetch,
	prepareSendMessagesRequest: ({ id, messages, body, trigger, messageId }) => {
		const message = messages.findLast(m => m.role === 'user')
		const sql = message ? statementOf(textOf(message)) : ''
		return { body: { ...body, id, message, trigger, messageId, sql: sql || undefined } }
	},
})

const Help = lazy(() => import('./help'))

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

// What the server says of each message beside its words: the versions of a question that was replaced.
function withNotes(page: Message[], now: Message[]): Message[] {
	const known = new Map(page.map((m, i) => [turnAt(page, i) + m.role, m.metadata]))
	return now.map((m, i) => {
		const metadata = known.get(turnAt(now, i) + m.role)
		return metadata ? { ...m, metadata } : m
	})
}

const isRemoved = (e: unknown) => e instanceof Problem && e.status === 403

function EarlierVersion({ onNewest, onBranch }: { onNewest: () => void; onBranch: () => void }) {
	return (
		<div role="status" className="flex flex-wrap items-center gap-2 rounded-2xl border border-line bg-panel p-3">
			<p className="min-w-48 grow">This is an earlier version.</p>
			<Button onClick={onNewest}>Show the newest</Button>
			<Button onClick={onBranch}>Go on from this one</Button>
		</div>
	)
}

// What a command of the composer does beyond the conversation.
export interface Outside {
	onNew: (project?: string) => void
	onFind: (words: string) => void
	onArtifacts: () => void
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
	outside: Outside
}

export function Conversation({ id, before, older: olderAtFirst, isNew, start, project: known, onAsked, asker, outside }: Props) {
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
	const [editing, setEditing] = useState<string | null>(null) // id of the question that is changed
	const [viewed, setViewed] = useState<{ turn: string; messages: Message[] } | null>(null) // an earlier version
	const [hint, setHint] = useState('') // what was wrong with a command
	const [isHelpOpen, setHelpOpen] = useState(false)
	const replacing = useRef<string | null>(null) // the changed question; '' = another answer; null = nothing is replaced
	const { messages, status, error, sendMessage, regenerate, resumeStream, clearError, setMessages } = useChat<Message>({
		id,
		messages: before,
		transport,
		resume: !isNew,
		experimental_throttle: 50,
		onFinish: ({ isError }) => {
			setStopping(false)
			refresh()
			if (replacing.current !== null && !isError) {
				replacing.current = null
				void api.messages(id).then(({ messages: page }) => setMessages(now => withNotes(page as Message[], now)), setRefused)
			}
			void store.invalidateQueries({ queryKey: ['artifact'] }) // it may have a new version
			void store.invalidateQueries({ queryKey: ['artifacts'] })
		},
		onError: e => {
			setStopping(false)
			if (replacing.current !== null) undo(e)
			else if (isRemoved(e)) takeBack()
		},
	})
	const isBusy = status === 'submitted' || status === 'streaming'
	const latest = useRef(messages)
	latest.current = messages
	const busy = useRef(isBusy)
	busy.current = isBusy

	const keep = (t: string) => {
		setText(t)
		setHint('')
		if (t) sessionStorage.setItem(`draft-${id}`, t)
		else sessionStorage.removeItem(`draft-${id}`)
	}
	// The project is not the caller's any more: the question goes back into its field.
	const [isLost, setLost] = useState(false)
	const takeBack = () => {
		const last = latest.current.at(-1)
		if (last?.role === 'user') {
			keep(textOf(last))
			setMessages(latest.current.slice(0, -1))
		}
		setLost(true)
		void store.invalidateQueries({ queryKey: ['start'] })
	}
	// Nothing was replaced: what the server has is shown again, and a changed question goes into the field. If the new answer
	// was begun it is read on.
	const undo = async (why: unknown) => {
		const words = replacing.current ?? ''
		replacing.current = null
		try {
			const { messages: kept } = await api.messages(id)
			setMessages(kept as Message[])
			clearError()
			if ((kept as Message[]).at(-1)?.role === 'user') return void resumeStream()
			if (words) keep(words)
			if (isRemoved(why)) takeBack()
			else setRefused(why)
		} catch (e) {
			setRefused(e)
		}
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
	const branch = async (turn: string) => {
		try {
			const made = await api.branch(id, turn)
			void store.invalidateQueries({ queryKey: ['threads'] })
			void navigate({ to: '/chat/$id', params: { id: made.id } })
		} catch (e) {
			setRefused(e)
		}
	}
	const showVersion = async (turn: string) => {
		if (latest.current.some(m => m.id === turn)) return setViewed(null)
		try {
			isFollowing.current = false
			setViewed({ turn, messages: (await api.version(id, turn)).messages as Message[] })
		} catch (e) {
			setRefused(e)
		}
	}
	const replace = (words: string, work: () => Promise<void>) => {
		if (busy.current) return
		clearError()
		setRefused(null)
		replacing.current = words
		toEnd()
		void work().then(() => store.invalidateQueries({ queryKey: ['threads'] }))
	}
	const retry = (turn: string) => replace('', () => regenerate({ messageId: turn }))
	const change = (message: string, words: string) => {
		setEditing(null)
		replace(words, () => sendMessage({ text: words, messageId: message }))
	}
	const doing = useRef({ branch, retry, change, showVersion })
	doing.current = { branch, retry, change, showVersion }
	const actions = useMemo<Actions>(
		() => ({
			branch: turn => void doing.current.branch(turn),
			retry: turn => doing.current.retry(turn),
			change: (message, words) => doing.current.change(message, words),
			version: turn => void doing.current.showVersion(turn),
			edit: setEditing,
		}),
		[],
	)
	const editLast = () => setEditing(messages.findLast(m => m.role === 'user')?.id ?? null)
	// Where the last answer comes from stands below it; it is opened and shown.
	const showWhy = () => {
		const all = box.current?.querySelectorAll<HTMLDetailsElement>('details[data-why]')
		const last = all?.[all.length - 1]
		if (!last) return setHint('Nothing was answered yet.')
		last.open = true
		last.scrollIntoView({ block: 'center' })
		last.querySelector('summary')?.focus()
	}
	const run = (name: string, rest: string) => {
		const last = messages.findLast(m => m.role === 'assistant')?.id
		const wanted = start?.projects.find(p => [p.id, p.name].some(x => x.toLowerCase() === rest.toLowerCase()))
		const withLast = (work: (turn: string) => void) => (last ? work(last) : setHint('Nothing was answered yet.'))
		switch (name) {
			case 'sql':
				return rest ? send(`/sql ${rest}`) : setHint('Write a statement behind it, like /sql select 1')
			case 'tables':
				return send(rest ? `Which columns does the table ${rest} have?` : 'Which tables are there?')
			case 'project':
				if (rest && !wanted) return setHint(`There is no project ${rest}. There is: ${start?.projects.map(p => p.name).join(', ')}.`)
				keep('')
				return outside.onNew(wanted?.id)
			case 'new':
				keep('')
				return outside.onNew()
			case 'threads':
				keep('')
				return outside.onFind(rest)
		}
		keep('')
		switch (name) {
			case 'help':
				return setHelpOpen(true)
			case 'why':
				return showWhy()
			case 'retry':
				return withLast(retry)
			case 'branch':
				return withLast(turn => void branch(turn))
			case 'edit':
				return editLast()
			case 'artifact':
				return outside.onArtifacts()
		}
		keep(`/${name} ${rest}`.trim())
		setHint(`There is no command /${name}. /help lists them.`)
	}
	const submit = () => {
		const command = commandOf(text)
		if (command) run(command.name, command.rest)
		else send(text.trim())
	}

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
	const shown = viewed?.messages ?? messages
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
					<div className="talk group/talk mx-auto max-w-3xl space-y-6 px-4 py-6" data-busy={isBusy || undefined}>
						{older && !viewed && (
							<Button className="mx-auto flex" onClick={showOlder}>
								Earlier questions
							</Button>
						)}
						{shown.map((m, i) => (
							<MessageView
								key={m.id}
								message={m}
								isLive={!viewed && isBusy && i === messages.length - 1}
								thread={id}
								turn={turnAt(shown, i)}
								project={project}
								isEditing={!viewed && m.id === editing}
								mayChange={!viewed}
								actions={actions}
								drawArtifact={drawCard}
							/>
						))}
						{isWaiting && !viewed && <p className="animate-pulse text-quiet">Thinking about it …</p>}
						{refused !== null && (
							<ProblemNote error={refused}>
								<Button onClick={() => setRefused(null)}>Close</Button>
							</ProblemNote>
						)}
						{error && !isRemoved(error) && (
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
				{hint && (
					<p role="alert" className="mb-2 rounded-md bg-warn-soft px-3 py-1.5 text-sm text-warn">
						{hint}
					</p>
				)}
				{isLost && (
					<LostAccess
						project={start?.projects.find(p => p.id === project)?.name ?? project}
						hasOthers={(start?.projects ?? []).some(p => p.id !== project)}
						onClose={() => setLost(false)}
						onOther={() => outside.onNew(start?.projects.find(p => p.id !== project)?.id)}
					/>
				)}
				{isHelpOpen && (
					<Suspense fallback={null}>
						<Help onClose={() => setHelpOpen(false)} />
					</Suspense>
				)}
				{isNew && isEmpty && start && <ProjectChoice projects={start.projects} value={project} onChange={setProject} className="mb-2" />}
				{viewed ? (
					<EarlierVersion onNewest={() => setViewed(null)} onBranch={() => void branch(viewed.messages.at(-1)?.id ?? viewed.turn)} />
				) : (
				<Composer
					text={text}
					onText={keep}
					onAsk={submit}
					onEditLast={editLast}
					onStop={() => {
						setStopping(true)
						api.stop(id).catch(() => setStopping(false))
					}}
					isBusy={isBusy}
					isStopping={isStopping}
					focusKey={id}
				/>
				)}
				<p aria-live="polite" role="status" className="sr-only">
					{isBusy ? 'The answer is being written.' : messages.at(-1)?.role === 'assistant' ? 'The answer is complete.' : ''}
				</p>
			</div>
		</div>
	)
}
