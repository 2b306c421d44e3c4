// Golden questions: what a model must answer right. They are written down here, asked, and how many answers were right is shown over time.
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Play, Plus } from 'lucide-react'
import { useEffect, useState } from 'react'
import { ProblemNote } from '../shared/problem'
import { Button } from '../shared/ui'
import { type Evaluation, type Known, manage } from './api'
import { More, Sure, area, field, moment, usePages } from './parts'

const MODES = {
	exact: 'exactly this value, or these rows',
	approximate: 'numbers within a tolerance',
	row_count: 'so many rows',
	contains: 'the answer has these words',
	structure: 'columns of these names',
} as const
type Mode = keyof typeof MODES

interface Fields {
	mode: Mode
	expected: string
	tolerance?: number
	sql?: string
	tags?: string[]
}
const percents = new Intl.NumberFormat(undefined, { style: 'percent', maximumFractionDigits: 0 })
const percent = (x: number) => percents.format(x)

function Editor({ project, of: old, onDone }: { project: string; of?: Known; onDone: () => void }) {
	const store = useQueryClient()
	const was = old?.fields as Fields | undefined
	const [question, setQuestion] = useState(old?.name ?? '')
	const [f, setFields] = useState<Fields>(was ?? { mode: 'contains', expected: '' })
	const save = useMutation({
		mutationFn: () => {
			const fields = { ...f, tolerance: f.mode === 'approximate' ? f.tolerance : undefined, sql: f.sql?.trim() || undefined, tags: f.tags?.map(t => t.trim()).filter(Boolean) }
			return old ? manage.changeKnown(project, 'golden', old.id, fields) : manage.addKnown(project, 'golden', question.trim(), fields)
		},
		onSuccess: async () => {
			await store.invalidateQueries({ queryKey: ['knowledge', project] })
			onDone()
		},
	})
	return (
		<form
			aria-label={old ? `Edit ${old.name}` : 'New golden question'}
			className="space-y-2 rounded-lg border border-line bg-panel p-3"
			onSubmit={e => {
				e.preventDefault()
				save.mutate()
			}}
		>
			{!old && (
				<textarea required minLength={3} maxLength={2000} rows={2} aria-label="Question" placeholder="How many customers are there?" value={question} onChange={e => setQuestion(e.target.value)} className={area} />
			)}
			<div className="grid gap-2 sm:grid-cols-[minmax(0,16rem)_minmax(0,1fr)]">
				<select aria-label="How an answer is compared" value={f.mode} onChange={e => setFields({ ...f, mode: e.target.value as Mode })} className={field}>
					{Object.entries(MODES).map(([m, words]) => (
						<option key={m} value={m}>
							{words}
						</option>
					))}
				</select>
				<input required aria-label="Expected" placeholder="3" value={f.expected} onChange={e => setFields({ ...f, expected: e.target.value })} className={field} />
			</div>
			{f.mode === 'approximate' && (
				<label className="flex items-center gap-2">
					largest relative difference
					<input
						type="number"
						min={0}
						max={1}
						step="any"
						value={f.tolerance ?? 0.01}
						onChange={e => setFields({ ...f, tolerance: Number(e.target.value) })}
						className={`${field} w-24`}
					/>
				</label>
			)}
			<input aria-label="Tags, with commas between them" placeholder="Tags" value={f.tags?.join(',') ?? ''} onChange={e => setFields({ ...f, tags: e.target.value ? e.target.value.split(',') : undefined })} className={`${field} w-full`} />
			{save.error && <ProblemNote error={save.error} />}
			<div className="flex gap-2">
				<Button type="submit" disabled={save.isPending}>
					Save
				</Button>
				<Button onClick={onDone}>Cancel</Button>
			</div>
		</form>
	)
}

// The share of right answers of each evaluation that came to its end, the oldest first.
function Trend({ of, onShow }: { of: Evaluation[]; onShow: (id: string) => void }) {
	const done = of.filter(e => e.status === 'done').slice(0, 40).reverse()
	if (!done.length) return null
	return (
		<figure className="rounded-lg border border-line bg-panel p-3">
			<figcaption className="mb-2 text-sm text-quiet">Right answers, evaluation by evaluation</figcaption>
			<div className="flex h-28 items-end gap-1">
				{done.map(e => (
					<button
						key={e.id}
						type="button"
						aria-label={`${moment(e.at)}: ${e.right} of ${e.questions} right`}
						title={`${moment(e.at)}: ${e.right} of ${e.questions} right, ${e.model}`}
						className="flex h-full max-w-12 min-w-2 grow flex-col justify-end rounded-sm bg-sunk"
						onClick={() => onShow(e.id)}
					>
						<span className={`w-full rounded-sm ${e.accuracy === 1 ? 'bg-good' : 'bg-accent'}`} style={{ height: `${Math.max(2, 100 * e.accuracy)}%` }} />
					</button>
				))}
			</div>
			<p className="mt-1 flex justify-between text-xs text-quiet tabular-nums">
				<span>{moment(done[0]!.at)}</span>
				{done.length > 1 && <span>{moment(done.at(-1)!.at)}</span>}
			</p>
		</figure>
	)
}

const HOW: Record<string, string> = { running: 'under way', done: '', cancelled: 'stopped', failed: 'failed', interrupted: 'was cut off' }

function Results({ project, id }: { project: string; id: string }) {
	const one = useQuery({
		queryKey: ['evaluation', project, id],
		queryFn: () => manage.evaluation(project, id),
		refetchInterval: q => (q.state.data?.status === 'running' ? 1000 : false),
	})
	const store = useQueryClient()
	const stop = useMutation({
		mutationFn: () => manage.stopEvaluation(project, id),
		onSettled: () => void store.invalidateQueries({ queryKey: ['evaluation', project, id] }),
	})
	const e = one.data
	const isOver = e !== undefined && e.status !== 'running'
	useEffect(() => {
		if (isOver) void store.invalidateQueries({ queryKey: ['evaluations', project] })
	}, [isOver, project, store])
	if (one.error) return <ProblemNote error={one.error} />
	if (!e) return null
	const wrong = e.results.filter(r => !r.ok)
	return (
		<section aria-label="Evaluation" className="space-y-2">
			<p role="status" className="flex flex-wrap items-baseline gap-x-3">
				<span className="font-medium">
					{e.status === 'running' ? `${e.asked} of ${e.questions} asked` : `${e.right} of ${e.questions} right, ${percent(e.accuracy)}`}
				</span>
				{HOW[e.status] && <span className="text-warn">{HOW[e.status]}</span>}
				{e.accuracy_before !== undefined && <span className="text-quiet">before: {percent(e.accuracy_before)}</span>}
				<span className="text-quiet">
					{moment(e.at)}, {(e.latency_ms / 1000).toFixed(1)} s{e.usd > 0 && `, $${e.usd.toFixed(4)}`}, model {e.model}
				</span>
			</p>
			{e.status === 'running' && (
				<Button disabled={stop.isPending} onClick={() => stop.mutate()}>
					Stop
				</Button>
			)}
			{e.error && <p className="text-bad">{e.error}</p>}
			{wrong.length > 0 && (
				<ul aria-label="Wrong answers" className="divide-y divide-line rounded-lg border border-line bg-panel">
					{wrong.map(r => (
						<li key={r.id} className="px-3 py-2">
							<p className="break-words">
								<span className="text-bad">{r.error ? 'error' : 'wrong'}</span> {r.question}
								{r.ok_before === true && <span className="ml-2 rounded bg-warn-soft px-1.5 text-sm text-warn">was right</span>}
							</p>
							<p className="text-sm break-words text-quiet">{r.why}</p>
						</li>
					))}
				</ul>
			)}
			{e.status === 'done' && wrong.length === 0 && <p className="text-good">Each answer is right.</p>}
		</section>
	)
}

function Row({ project, of: k, mayEdit }: { project: string; of: Known; mayEdit: boolean }) {
	const store = useQueryClient()
	const [isEdited, setEdited] = useState(false)
	const remove = useMutation({
		mutationFn: () => manage.removeKnown(project, 'golden', k.id),
		onSuccess: () => void store.invalidateQueries({ queryKey: ['knowledge', project] }),
	})
	const f = k.fields as unknown as Fields
	if (isEdited) return <Editor project={project} of={k} onDone={() => setEdited(false)} />
	return (
		<div className="flex flex-wrap items-center gap-2 px-3 py-2">
			<div className="min-w-40 grow basis-0">
				<p className="break-words">{k.name}</p>
				<p className="text-sm break-words text-quiet">
					{MODES[f.mode]}: {f.expected.length > 120 ? `${f.expected.slice(0, 120)} …` : f.expected}
					{f.tags?.map(t => (
						<span key={t} className="ml-2 rounded bg-sunk px-1.5">
							{t}
						</span>
					))}
				</p>
			</div>
			{mayEdit && (
				<>
					<Button aria-label={`Edit ${k.name}`} onClick={() => setEdited(true)}>
						Edit
					</Button>
					<Sure label="Delete" name={k.name} busy={remove.isPending} onDo={() => remove.mutate()} />
				</>
			)}
			{remove.error && <ProblemNote error={remove.error} />}
		</div>
	)
}

export function Golden({ project, role }: { project: string; role: string | undefined }) {
	const store = useQueryClient()
	const [isNew, setNew] = useState(false)
	const [shown, setShown] = useState('')
	const questions = usePages(['knowledge', project, 'golden', ''], cursor => manage.knowledge(project, 'golden', '', cursor))
	const past = usePages(['evaluations', project], cursor => manage.evaluations(project, cursor))
	const run = useMutation({
		mutationFn: () => manage.evaluate(project),
		onSuccess: e => {
			setShown(e.id)
			void store.invalidateQueries({ queryKey: ['evaluations', project] })
		},
	})
	const rows = questions.data?.pages.flatMap(p => p.knowledge) ?? []
	const evaluations = past.data?.pages.flatMap(p => p.evaluations) ?? []
	const mayEdit = role === 'analyst' || role === 'admin'
	const one = shown || evaluations[0]?.id
	return (
		<section aria-label="Golden questions" className="space-y-4">
			<p className="text-sm text-quiet">Questions whose answers are known. Ask them after each change of model, knowledge or database, and see whether the answers are still right.</p>
			{mayEdit && (
				<div className="flex flex-wrap gap-2">
					<Button onClick={() => setNew(true)}>
						<Plus aria-hidden className="size-4" /> New question
					</Button>
					{rows.length > 0 && (
						<Button disabled={run.isPending} onClick={() => run.mutate()}>
							<Play aria-hidden className="size-4" /> Ask all of them
						</Button>
					)}
				</div>
			)}
			{run.error && <ProblemNote error={run.error} />}
			{isNew && <Editor project={project} onDone={() => setNew(false)} />}
			<Trend of={evaluations} onShow={setShown} />
			{one && <Results key={one} project={project} id={one} />}
			<More list={past} />
			<ul className="divide-y divide-line rounded-lg border border-line bg-panel empty:hidden">
				{rows.map(k => (
					<li key={k.id}>
						<Row project={project} of={k} mayEdit={mayEdit} />
					</li>
				))}
			</ul>
			{questions.isSuccess && rows.length === 0 && !isNew && (
				<p className="text-quiet">There is no golden question yet. Write one down here, or with /golden after an answer in argus chat.</p>
			)}
			<More list={questions} />
		</section>
	)
}
