// One conversation: its messages, the answer that is being written, and the question that comes next.
import { useChat } from '@ai-sdk/react'
import { useQueryClient } from '@tanstack/react-query'
import { useLocation, useNavigate } from '@tanstack/react-router'
import { DefaultChatTransport } from 'ai'
import { ArrowDown } from 'lucide-react'
import { Suspense, lazy, useEffect, useMemo, useRef, useState } from 'react'
import { ArtifactCard } from '../artifacts/card'
import { Problem, type Start, api, ask } from '../shared/api'
import { ProblemNote } from '../shared/problem'
import { ProjectChoice } from '../shared/project_choice'
import { keepDraft } from '../shared/recipe_draft'
import { Button } from '../shared/ui'
import { commandOf, statementOf } from './commands'
import { Composer } from './composer'
import { LostAccess } from './lost_access'
import { type Actions, MessageView } from './message'
import { Talk, type TalkHandle, isWhole } from './talk'
import { type Answer, type Drawn, type Message, textOf, turnAt } from './types'

interface Earlier {
	next: string | null
	messages: Message[]
}

const MAX_PAGES = 20 // of earlier questions that are read for one link
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
const Find = lazy(() => import('./find'))

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

const focusOn = (message: HTMLElement) => message.querySelector<HTMLElement>('article')?.focus({ preventScroll: true })
const sqlOf = (answer: Message | undefined): string => {
	const said = answer?.parts.find(p => p.type === 'data-answer')?.data as Answer | undefined
	return said?.queries.findLast(q => q.ok && q.sql)?.sql ?? ''
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
	// A stream is read to its end after this screen was left: then nobody has seen the answer.
	const isHere = useRef(false)
	useEffect(() => {
		isHere.current = true
		return () => {
			isHere.current = false
		}
	}, [])
	const refresh = () => {
		void store.invalidateQueries({ queryKey: ['threads'] })
		if (isHere.current && document.visibilityState === 'visible') void api.viewed(id).then(() => store.invalidateQueries({ queryKey: ['threads'] }), () => {})
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
	const talk = useRef<TalkHandle>(null)
	const [isAtEnd, setAtEnd] = useState(true)
	const toEnd = () => talk.current?.toEnd()
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

	const cursor = useRef(olderAtFirst) // as older, but known before the page is drawn again: no page is read twice
	const reading = useRef<Promise<Earlier | null>>(null)
	const readOlder = (): Promise<Earlier | null> => {
		if (reading.current) return reading.current
		if (!cursor.current) return Promise.resolve(null)
		const read = async () => {
			try {
				const page = (await api.messages(id, cursor.current!)) as Earlier
				talk.current?.stay()
				cursor.current = page.next
				setOlder(page.next)
				setMessages(now => [...page.messages, ...now])
				return page
			} catch (e) {
				setRefused(e)
				return null
			} finally {
				reading.current = null
			}
		}
		return (reading.current = read())
	}
	const showOlder = () => void readOlder()
	const readAll = async () => {
		while (await readOlder());
	}
	// A link to an answer is its turn behind "#".
	const linked = useLocation({ select: l => l.hash })
	useEffect(() => {
		if (isNew || !linked) return
		const toAnswer = () => requestAnimationFrame(() => talk.current?.show(linked, focusOn))
		const find = async () => {
			if (latest.current.some(m => m.id === linked)) return toAnswer()
			let left = MAX_PAGES
			for (let page = await readOlder(); page; page = left-- > 0 ? await readOlder() : null)
				if (page.messages.some(m => m.id === linked)) return toAnswer()
			setHint('The answer that the link leads to is not in this conversation.')
		}
		void find()
	}, [linked])
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
			talk.current?.stay()
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
	const draft = (statement: string) => (busy.current ? setHint('Wait for the answer, then change the statement.') : keep(`/sql ${statement}`))
	const doing = useRef({ branch, retry, change, showVersion, draft })
	doing.current = { branch, retry, change, showVersion, draft }
	const actions = useMemo<Actions>(
		() => ({
			branch: turn => void doing.current.branch(turn),
			retry: turn => doing.current.retry(turn),
			change: (message, words) => doing.current.change(message, words),
			version: turn => void doing.current.showVersion(turn),
			edit: setEditing,
			draft: statement => doing.current.draft(statement),
		}),
		[],
	)
	const editLast = () => setEditing(messages.findLast(m => m.role === 'user')?.id ?? null)
	// Where the last answer comes from stands below it; it is opened and shown.
	const showWhy = () => {
		const last = messages.findLast(m => m.role === 'assistant')
		if (!last) return setHint('Nothing was answered yet.')
		talk.current?.show(last.id, found => {
			const why = found.querySelector<HTMLDetailsElement>('details[data-why]')
			if (!why) return setHint('The last answer rests on no query.')
			why.open = true
			why.scrollIntoView({ block: 'center' })
			why.querySelector('summary')?.focus()
		})
	}
	// Each question is a step, with the last statement that worked for it.
	const toRecipe = () => {
		const steps = messages.flatMap((m, i) => {
			if (m.role !== 'user') return []
			const sql = statementOf(textOf(m)) || sqlOf(messages[i + 1])
			return [{ prompt_template: statementOf(textOf(m)) ? 'Run a statement' : textOf(m), sql }]
		})
		if (!steps.length) return setHint('Ask something first: its questions become the steps of the recipe.')
		keepDraft({ project: project || (start?.projects[0]?.id ?? ''), steps })
		void navigate({ to: '/manage/$part', params: { part: 'recipes' } })
	}
	const [isFinding, setFinding] = useState<string | null>(null) // the words it begins with
	// The browser's own search finds only what is in the page. A second Ctrl+F leads to it.
	const isLong = !isWhole(messages) || older !== null
	useEffect(() => {
		if (!isLong) return
		const onKey = (e: KeyboardEvent) => {
			if (e.key.toLowerCase() !== 'f' || !(e.ctrlKey || e.metaKey) || e.altKey || e.shiftKey) return
			if ((e.target as HTMLElement).closest?.('[data-find], dialog')) return
			e.preventDefault()
			setFinding('')
		}
		addEventListener('keydown', onKey)
		return () => removeEventListener('keydown', onKey)
	}, [isLong])
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
			case 'find':
				return setFinding(rest)
			case 'why':
				return showWhy()
			case 'retry':
				return withLast(retry)
			case 'branch':
				return withLast(turn => void branch(turn))
			case 'edit':
				return editLast()
			case 'recipe':
				return toRecipe()
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

	useEffect(() => {
		if (!isNew) void api.viewed(id).then(() => store.invalidateQueries({ queryKey: ['threads'] }), () => {})
	}, [id])

	const isWaiting = status === 'submitted' || (status === 'streaming' && messages.at(-1)?.role === 'user')
	const isEmpty = messages.length === 0 && !isBusy
	const shown = viewed?.messages ?? messages
	return (
		<div className="flex min-h-0 grow flex-col">
			{isFinding !== null && (
				<Suspense fallback={null}>
					<Find
						key={isFinding}
						words={isFinding}
						messages={shown}
						hasOlder={older !== null && !viewed}
						onOlder={readAll}
						onShow={m => talk.current?.show(m)}
						onClose={() => setFinding(null)}
					/>
				</Suspense>
			)}
			<Talk
				messages={shown}
				editing={viewed ? null : editing}
				isBusy={isBusy}
				hasOlder={older !== null && !viewed}
				onOlder={showOlder}
				onAtEnd={setAtEnd}
				handle={talk}
				empty={isEmpty && !error ? <Starters start={start} onAsk={send} /> : undefined}
				draw={(m, i) => (
					<MessageView
						message={m}
						isLive={!viewed && isBusy && i === messages.length - 1}
						thread={id}
						turn={turnAt(shown, i)}
						place={i + 1}
						of={older !== null && !viewed ? -1 : shown.length}
						project={project}
						isEditing={!viewed && m.id === editing}
						mayChange={!viewed}
						actions={actions}
						drawArtifact={drawCard}
					/>
				)}
				head={
					older &&
					!viewed && (
						<Button className="mx-auto mb-6 flex" onClick={showOlder}>
							Earlier questions
						</Button>
					)
				}
				tail={
					<div className="mt-6 space-y-6 empty:hidden">
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
				}
			/>
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
					project={project || (start?.projects[0]?.id ?? '')}
				/>
				)}
				<p aria-live="polite" role="status" className="sr-only">
					{isBusy ? 'The answer is being written.' : messages.at(-1)?.role === 'assistant' ? 'The answer is complete.' : ''}
				</p>
			</div>
		</div>
	)
}
