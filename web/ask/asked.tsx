// One question: what is done for it while it runs, then its answer with what led there.
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Check, CircleX, LoaderCircle, Square } from 'lucide-react'
import { useRef, useState } from 'react'
import { CopyText } from '../shared/copy_text'
import { Markdown } from '../shared/markdown'
import { ProblemNote } from '../shared/problem'
import { Button } from '../shared/ui'
import { count, many, when } from '../shared/words'
import { type Answer, type AskEvent, type Call, type Progress, type Question, isOver, questions } from './api'
import { Citations } from './citations'

const TOOLS: Record<string, string> = {
	read_file: 'Read',
	list_files: 'List',
	search_files: 'Search',
	outline: 'Read the headings of',
	query_api: 'Ask the API',
}

// What a call is about, out of its arguments.
function subject(args: Record<string, unknown>): string {
	const some = [args.method, args.path ?? args.query ?? args.pattern]
	return some.filter(x => typeof x === 'string' && x).join(' ')
}

function parsed(text: string | undefined): Record<string, unknown> {
	try {
		return JSON.parse(text ?? '{}') as Record<string, unknown>
	} catch {
		return {} // it was cut
	}
}

function Step({ event }: { event: AskEvent }) {
	if (event.type === 'tool_input')
		return (
			<li>
				{TOOLS[event.tool ?? ''] ?? event.tool} <span className="font-mono break-all">{subject(parsed(event.args))}</span>
			</li>
		)
	if (event.type === 'tool_output') return <li className={`pl-4 ${event.ok ? 'text-quiet' : 'text-bad'}`}>{event.summary || (event.ok ? 'done' : 'it failed')}</li>
	if (event.type === 'error') return <li className="text-bad">{event.message}</li>
	return null
}

function Bar({ of }: { of: Progress | undefined }) {
	if (!of) return null
	return (
		<div className="flex flex-wrap items-center gap-3 text-sm text-quiet">
			<span>
				{of.phase}
				{of.done > 0 && `: ${count(of.done)}${of.total ? ` of ${count(of.total)}` : ''} ${of.unit}`}
			</span>
			{of.total > 0 && <progress className="h-2 min-w-40 grow accent-[var(--accent)]" value={of.done} max={of.total} aria-label={of.phase} />}
		</div>
	)
}

export function Running({ question }: { question: Question }) {
	const store = useQueryClient()
	const [events, setEvents] = useState<AskEvent[]>([])
	const last = useRef(0)
	const next = useQuery({
		queryKey: ['ask-events', question.id],
		queryFn: async () => {
			const page = await questions.events(question.id, last.current)
			last.current = page.last
			if (page.events.length) setEvents(before => [...before, ...page.events])
			if (isOver(page.question)) {
				await store.invalidateQueries({ queryKey: ['question', question.id] })
				void store.invalidateQueries({ queryKey: ['questions'] })
			}
			return page
		},
		refetchInterval: 1000, // a user may ask 120 times a minute
		gcTime: 0,
		structuralSharing: false,
	})
	const stop = useMutation({ mutationFn: () => questions.stop(question.id) })
	const isStopping = stop.isPending || next.data?.question.is_stopping
	const steps = events.filter(e => ['tool_input', 'tool_output', 'error'].includes(e.type))
	return (
		<section aria-label="Progress" className="space-y-3 rounded-lg border border-line bg-panel p-4">
			<div className="flex flex-wrap items-center gap-3">
				<p role="status" className="flex grow items-center gap-2">
					<LoaderCircle aria-hidden className="size-4 animate-spin text-accent" />
					{isStopping ? 'Stopping …' : steps.length ? 'Looking for the answer …' : 'Searching the files …'}
				</p>
				<Button disabled={isStopping} onClick={() => stop.mutate()}>
					<Square aria-hidden className="size-4" /> Stop
				</Button>
			</div>
			<Bar of={next.data?.progress} />
			{steps.length > 0 && (
				<ol className="max-h-72 space-y-1 overflow-y-auto text-sm" tabIndex={0} aria-label="Steps">
					{steps.map(e => (
						<Step key={e.seq} event={e} />
					))}
				</ol>
			)}
			{next.error && <ProblemNote error={next.error} />}
			{stop.error && <ProblemNote error={stop.error} />}
		</section>
	)
}

function Calls({ list }: { list: Call[] }) {
	if (!list.length) return null
	return (
		<details className="rounded-lg border border-line bg-panel">
			<summary className="px-3 py-2 font-medium">{many(list.length, 'call')} led there</summary>
			<ol className="divide-y divide-line border-t border-line">
				{list.map((c, i) => (
					<li key={i}>
						<details>
							<summary className="flex items-center gap-2 px-3 py-2 text-sm hover:bg-sunk">
								{c.ok ? <Check aria-label="it worked" className="size-4 shrink-0 text-good" /> : <CircleX aria-label="it failed" className="size-4 shrink-0 text-bad" />}
								<span className="min-w-0 grow">
									{TOOLS[c.tool] ?? c.tool} <span className="font-mono break-all">{subject(c.args)}</span>
								</span>
							</summary>
							<pre className="max-h-80 overflow-auto bg-sunk px-3 py-2 font-mono text-[0.82rem] whitespace-pre-wrap" tabIndex={0} aria-label={`What ${c.tool} gave`}>
								{c.result}
							</pre>
						</details>
					</li>
				))}
			</ol>
		</details>
	)
}

function Words({ id, answer }: { id: string; answer: Answer }) {
	const { usage } = answer as { usage: { model_calls?: number; input_tokens?: number; output_tokens?: number; usd?: number } }
	return (
		<div className="space-y-4">
			{answer.answer && (
				<section aria-label="Answer" className="rounded-lg border border-line bg-panel p-4">
					<Markdown text={answer.answer} />
					<div className="mt-3 flex flex-wrap items-center gap-3 border-t border-line pt-2 text-sm text-quiet">
						<span className="grow">
							{answer.mode === 'offline'
								? 'From the index of the files, without a model'
								: `By a model: ${many(usage.model_calls ?? 0, 'call')}, ${count((usage.input_tokens ?? 0) + (usage.output_tokens ?? 0))} tokens${usage.usd ? `, ${usage.usd.toFixed(3)} US dollars` : ''}`}
						</span>
						<CopyText text={answer.answer} label="Copy the answer" />
					</div>
				</section>
			)}
			<Citations id={id} list={answer.citations} />
			{answer.answer && !answer.citations.length && (
				<p className="text-sm text-warn">
					{answer.source ? (
						<>
							Its source is <span className="font-mono">{answer.source}</span>, which has no lines to show.
						</>
					) : (
						'No file proves this answer.'
					)}
				</p>
			)}
			<Calls list={answer.tool_calls} />
		</div>
	)
}

const ENDS: Record<string, string> = {
	partial: 'The answer is partial.',
	failed: 'There is no answer.',
	cancelled: 'The question was stopped.',
	interrupted: 'The server stopped while it looked for the answer. Ask again.',
}

export function Asked({ id, onAgain }: { id: string; onAgain: (question: string) => void }) {
	const found = useQuery({ queryKey: ['question', id], queryFn: () => questions.get(id) })
	const q = found.data
	if (found.error) return <ProblemNote error={found.error} />
	if (!q) return <p className="text-quiet">Loading …</p>
	const text = q.answer?.question || q.question
	return (
		<article aria-label="Question and answer" className="space-y-4">
			<div>
				<h2 className="text-lg font-semibold break-words">{text}</h2>
				<p className="text-sm text-quiet">{when(q.asked_at)}</p>
			</div>
			{!isOver(q) && <Running key={id} question={q} />}
			{isOver(q) && q.status !== 'ok' && (
				<div role="status" className="rounded-lg border border-line bg-warn-soft px-4 py-3">
					<p className="font-medium text-warn">{ENDS[q.status]}</p>
					{q.why && <p className="break-words">{q.why[0]!.toUpperCase() + q.why.slice(1)}.</p>}
					<Button className="mt-2" onClick={() => onAgain(text)}>
						Ask again
					</Button>
				</div>
			)}
			{q.answer && <Words id={id} answer={q.answer} />}
		</article>
	)
}
