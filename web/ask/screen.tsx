// The screen of /ask: a question about the files of a project, its answer, and earlier ones.
import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate, useParams } from '@tanstack/react-router'
import { CircleX, LoaderCircle, Send, TriangleAlert } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { api } from '../shared/api'
import { ProblemNote } from '../shared/problem'
import { ProjectChoice } from '../shared/project_choice'
import { Button } from '../shared/ui'
import { when } from '../shared/words'
import { type Question, type Setup, isOver, questions } from './api'
import { Asked } from './asked'
import { Choose } from './setup'

function Mark({ of }: { of: Question }) {
	if (!isOver(of)) return <LoaderCircle aria-label="under way" className="size-4 shrink-0 animate-spin text-accent" />
	if (of.status === 'ok') return null
	if (of.status === 'partial') return <TriangleAlert aria-label="partial" className="size-4 shrink-0 text-warn" />
	return <CircleX aria-label="no answer" className="size-4 shrink-0 text-quiet" />
}

function Past({ project, chosen }: { project: string; chosen: string }) {
	const list = useInfiniteQuery({
		queryKey: ['questions', project],
		queryFn: ({ pageParam }) => questions.list(project, pageParam),
		initialPageParam: '',
		getNextPageParam: page => page.next ?? undefined,
		refetchInterval: q => (q.state.data?.pages.some(p => p.questions.some(x => !isOver(x))) ? 5000 : false),
	})
	const rows = list.data?.pages.flatMap(p => p.questions) ?? []
	return (
		<section aria-label="Earlier questions" className="min-w-0">
			<h2 className="font-medium">Earlier questions</h2>
			{list.error && <ProblemNote error={list.error} />}
			{list.isSuccess && rows.length === 0 && <p className="mt-1 text-sm text-quiet">What you ask is kept here, with its answer. Nobody else sees it.</p>}
			<ul className="mt-2 divide-y divide-line rounded-lg border border-line bg-panel empty:hidden">
				{rows.map(q => (
					<li key={q.id}>
						<Link
							to="/ask/$id"
							params={{ id: q.id }}
							aria-current={q.id === chosen ? 'page' : undefined}
							className={`flex items-center gap-2 px-3 py-2 hover:bg-sunk ${q.id === chosen ? 'bg-accent-soft' : ''}`}
						>
							<span className="min-w-0 grow">
								<span className="line-clamp-2 text-sm break-words">{q.question}</span>
								<span className="text-sm text-quiet">{when(q.asked_at)}</span>
							</span>
							<Mark of={q} />
						</Link>
					</li>
				))}
			</ul>
			{list.hasNextPage && (
				<Button className="mt-2" onClick={() => list.fetchNextPage()}>
					Older ones
				</Button>
			)}
		</section>
	)
}

function Teach({ setup, onAsk }: { setup: Setup; onAsk: (question: string) => void }) {
	return (
		<section aria-label="How it works" className="space-y-3">
			<p>
				Argus reads the project’s documentation and code and answers with citations. Each one was checked: the file was read, the section is there. Open a citation to see its lines.
			</p>
			<p className="text-quiet">
				{setup.has_model
					? `A model chooses what to read${setup.has_api ? ', and may read the project’s HTTP API' : ''}. It has ${setup.max_seconds} seconds.`
					: 'No model is set, so the section of the files that fits best is the answer. Ask with the words that the documentation uses.'}
			</p>
			{setup.starters.length > 0 && (
				<ul className="flex flex-wrap gap-2" aria-label="Questions to begin with">
					{setup.starters.map(q => (
						<li key={q}>
							<Button onClick={() => onAsk(q)}>{q}</Button>
						</li>
					))}
				</ul>
			)}
		</section>
	)
}

function NoFolder({ setup }: { setup: Setup }) {
	return (
		<p className="text-quiet">
			This project has no folder yet, so there is nothing to ask about.{' '}
			{setup.can_choose ? 'Choose one below.' : 'An administrator of the project chooses one here, or with “argus project set”.'}
		</p>
	)
}

export function AskScreen() {
	const id = useParams({ strict: false }).id ?? ''
	const navigate = useNavigate()
	const store = useQueryClient()
	const box = useRef<HTMLTextAreaElement>(null)
	const [chosen, setChosen] = useState('')
	const [text, setText] = useState('')
	const [isOffline, setOffline] = useState(false)
	const start = useQuery({ queryKey: ['start'], queryFn: api.start, staleTime: Infinity })
	const projects = start.data?.projects ?? []
	const project = chosen || projects[0]?.id || ''
	const setup = useQuery({ queryKey: ['ask-setup', project], queryFn: () => questions.setup(project), enabled: project !== '' })
	const send = useMutation({
		mutationFn: (question: string) => questions.ask(project, question, isOffline),
		onSuccess: q => {
			setText('')
			void store.invalidateQueries({ queryKey: ['questions'] })
			void navigate({ to: '/ask/$id', params: { id: q.id } })
		},
	})
	const put = (question: string) => {
		if (question.trim() && !send.isPending) send.mutate(question.trim())
	}
	useEffect(() => {
		document.title = 'Ask · Argus'
	}, [])
	return (
		<div className="mx-auto grid w-full max-w-6xl gap-6 p-4 lg:grid-cols-[minmax(0,1fr)_18rem]">
			<div className="min-w-0 space-y-5">
				<form
					aria-label="Ask about the project"
					className="space-y-2"
					onSubmit={e => {
						e.preventDefault()
						put(text)
					}}
				>
					<div className="flex flex-wrap items-center gap-3">
						<h1 className="grow text-lg font-semibold">
							<label htmlFor="ask-question">Ask about the documentation and code</label>
						</h1>
						<ProjectChoice projects={projects} value={project} onChange={setChosen} />
					</div>
					<div className="flex items-end gap-2 rounded-xl border border-line bg-panel p-2 focus-within:border-accent">
						<textarea
							id="ask-question"
							ref={box}
							rows={2}
							maxLength={8000}
							value={text}
							disabled={setup.data !== undefined && !setup.data.has_folder}
							placeholder={setup.data?.starters[0] ?? 'How do I …?'}
							onChange={e => setText(e.target.value)}
							onKeyDown={e => {
								if (e.key === 'Enter' && !e.shiftKey && !e.nativeEvent.isComposing) {
									e.preventDefault()
									put(text)
								}
							}}
							className="min-w-0 grow resize-none bg-transparent px-2 py-1 outline-none"
						/>
						<button
							type="submit"
							aria-label="Ask"
							title="Ask"
							disabled={!text.trim() || send.isPending}
							className="grid size-10 shrink-0 place-items-center rounded-lg bg-accent text-on-accent disabled:opacity-50"
						>
							<Send aria-hidden className="size-5" />
						</button>
					</div>
					{setup.data?.has_model && (
						<label className="flex items-center gap-1.5 text-sm text-quiet">
							<input type="checkbox" checked={isOffline} onChange={e => setOffline(e.target.checked)} className="size-4 accent-(--accent)" />
							without the model: the section of the files that fits best
						</label>
					)}
				</form>
				{[start.error, setup.error, send.error].map((e, i) => e && <ProblemNote key={i} error={e} />)}
				{start.isSuccess && !projects.length && <p className="text-quiet">You are a member of no project yet.</p>}
				{setup.data && !setup.data.has_folder && <NoFolder setup={setup.data} />}
				{id ? (
					<Asked
						key={id}
						id={id}
						onAgain={q => {
							setText(q)
							box.current?.focus()
						}}
					/>
				) : (
					setup.data?.has_folder && <Teach setup={setup.data} onAsk={put} />
				)}
				{setup.data?.can_choose && <Choose key={project} project={project} of={setup.data} />}
			</div>
			{project && <Past project={project} chosen={id} />}
		</div>
	)
}
