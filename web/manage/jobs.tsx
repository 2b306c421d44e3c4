// Jobs of workers, and the schedules that queue them. For superusers, and for admins of a project those of the project.
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Plus } from 'lucide-react'
import { useState } from 'react'
import { ProblemNote } from '../shared/problem'
import { Button } from '../shared/ui'
import { type Job, type JobKind, type Project, type Schedule, manage } from './api'
import { More, Sure, field, moment, usePages } from './parts'
import { recipeOf } from './recipe_fields'
import { ValueFields, firstValues } from './value_fields'

const LOOKS: Record<Job['state'], string> = { queued: 'text-quiet', running: 'text-warn', done: 'text-good', dead: 'text-bad', cancelled: 'text-warn' }
const WORDS: Record<Job['state'], string> = { queued: 'waits', running: 'runs', done: 'done', dead: 'failed', cancelled: 'cancelled' }
const WORKERS = { alive: 'running', dead: 'ended: another worker takes the job soon', unknown: 'on another machine' }
const POLL_MS = 3000

function JobRow({ of: j }: { of: Job }) {
	const store = useQueryClient()
	const done = () => void store.invalidateQueries({ queryKey: ['jobs'] })
	const cancel = useMutation({ mutationFn: () => manage.cancelJob(j.id), onSettled: done })
	const retry = useMutation({ mutationFn: () => manage.retryJob(j.id), onSettled: done })
	const isOver = j.state !== 'queued' && j.state !== 'running'
	const name = `${j.kind} ${j.what}`
	return (
		<li className="flex flex-wrap items-center gap-2 px-3 py-2">
			<div className="min-w-40 grow basis-60">
				<p className="break-words">
					<span className={LOOKS[j.state]}>{WORDS[j.state]}</span> <span className="font-medium">{name}</span>
					{j.wants_stop && !isOver && <span className="ml-2 text-warn">will be stopped</span>}
				</p>
				<p className="text-sm text-quiet">
					{moment(j.ended_at ?? j.started_at ?? j.created_at)} · attempt {j.attempts} of {j.max_attempts}
					{j.state === 'running' && j.worker && ` · worker ${j.worker}`}
					{j.state === 'running' && j.worker_state && ` · ${WORKERS[j.worker_state]}`}
				</p>
				{j.error && j.state !== 'done' && <p className="text-sm break-words text-bad">{j.error}</p>}
				{[cancel.error, retry.error].map((e, i) => e && <ProblemNote key={i} error={e} />)}
			</div>
			{isOver ? (
				<Button aria-label={`Run again: ${name}`} disabled={retry.isPending} onClick={() => retry.mutate()}>
					Run again
				</Button>
			) : (
				<Button aria-label={`Cancel: ${name}`} disabled={cancel.isPending || j.wants_stop} onClick={() => cancel.mutate()}>
					Cancel
				</Button>
			)}
		</li>
	)
}

const zone = Intl.DateTimeFormat().resolvedOptions().timeZone || 'UTC'
const USUAL = [
	['0 3 * * *', 'each night at 3'],
	['0 7 * * mon', 'Mondays at 7'],
	['0 * * * *', 'each hour'],
] as const

function NewSchedule({ projects, onDone }: { projects: Project[]; onDone: () => void }) {
	const store = useQueryClient()
	const [s, set] = useState({ name: '', cron: '0 3 * * *', zone, project: projects[0]?.id ?? '', kind: 'recipe' as JobKind, what: '' })
	const recipes = usePages(['knowledge', s.project, 'recipe', ''], cursor => manage.knowledge(s.project, 'recipe', '', cursor), s.project !== '' && s.kind === 'recipe')
	const [values, setValues] = useState<Record<string, string>>({})
	const add = useMutation({
		mutationFn: () => manage.addSchedule(s, values),
		onSuccess: async () => {
			await store.invalidateQueries({ queryKey: ['schedules'] })
			onDone()
		},
	})
	const names = recipes.data?.pages.flatMap(p => p.knowledge) ?? []
	const recipe = names.find(k => k.name === s.what)
	const choose = (what: string) => {
		const of = names.find(k => k.name === what)
		set({ ...s, what })
		setValues(of ? firstValues(recipeOf(of)) : {})
	}
	const change = (what: Partial<typeof s>) => {
		set({ ...s, what: '', ...what })
		setValues({})
	}
	return (
		<form
			aria-label="New schedule"
			className="space-y-3 rounded-lg border border-line bg-panel p-3"
			onSubmit={e => {
				e.preventDefault()
				add.mutate()
			}}
		>
			<div className="grid gap-2 sm:grid-cols-2">
				<input required pattern="[A-Za-z0-9][A-Za-z0-9._\-]{0,63}" title="letters, digits, . _ -" aria-label="Name of the schedule" placeholder="Name" value={s.name} onChange={e => set({ ...s, name: e.target.value })} className={field} />
				<select aria-label="Project of the schedule" value={s.project} onChange={e => change({ project: e.target.value })} className={field}>
					{projects.map(p => (
						<option key={p.id} value={p.id}>
							{p.name || p.id}
						</option>
					))}
				</select>
				<select aria-label="What it does" value={s.kind} onChange={e => change({ kind: e.target.value as JobKind })} className={field}>
					<option value="recipe">runs a recipe</option>
					<option value="audit">audits documents</option>
				</select>
				{s.kind === 'recipe' ? (
					<select required aria-label="Recipe" value={s.what} onChange={e => choose(e.target.value)} className={field}>
						<option value="">choose a recipe</option>
						{names.map(k => (
							<option key={k.id}>{k.name}</option>
						))}
					</select>
				) : (
					<input aria-label="Collection" placeholder="Collection; all without one" value={s.what} onChange={e => set({ ...s, what: e.target.value })} className={field} />
				)}
				<label className="flex flex-col gap-1">
					<span className="text-sm text-quiet">When: minute, hour, day of the month, month, weekday</span>
					<input required list="usual-times" aria-label="When" value={s.cron} onChange={e => set({ ...s, cron: e.target.value })} className={`${field} font-mono`} />
					<datalist id="usual-times">
						{USUAL.map(([cron, words]) => (
							<option key={cron} value={cron}>
								{words}
							</option>
						))}
					</datalist>
				</label>
				<label className="flex flex-col gap-1">
					<span className="text-sm text-quiet">Time zone</span>
					<input required value={s.zone} onChange={e => set({ ...s, zone: e.target.value })} className={field} />
				</label>
			</div>
			{s.kind === 'recipe' && recipe && <ValueFields of={recipeOf(recipe)} values={values} onChange={setValues} />}
			{add.error && <ProblemNote error={add.error} />}
			<div className="flex gap-2">
				<Button type="submit" disabled={add.isPending}>
					Save
				</Button>
				<Button onClick={onDone}>Cancel</Button>
			</div>
		</form>
	)
}

function ScheduleRow({ of: c }: { of: Schedule }) {
	const store = useQueryClient()
	const [isEdited, setEdited] = useState(false)
	const [cron, setCron] = useState(c.cron)
	const done = () => void store.invalidateQueries({ queryKey: ['schedules'] })
	const change = useMutation({
		mutationFn: (what: { paused?: boolean; cron?: string }) => manage.changeSchedule(c.name, what),
		onSuccess: () => {
			setEdited(false)
			done()
		},
	})
	const remove = useMutation({ mutationFn: () => manage.removeSchedule(c.name), onSuccess: done })
	const last = c.last_job as Job | null
	return (
		<li className="flex flex-wrap items-center gap-2 px-3 py-2">
			<div className="min-w-40 grow basis-60">
				<p className="break-words">
					<span className="font-medium">{c.name}</span>{' '}
					<span className="text-quiet">
						{c.kind} {c.what}
					</span>
					{c.paused && <span className="ml-2 rounded bg-warn-soft px-1.5 text-sm text-warn">paused</span>}
				</p>
				<p className="text-sm text-quiet">
					<code className="font-mono">{c.cron}</code> {c.zone}
					{c.next_at && `, next ${moment(c.next_at)}`}
				</p>
				<p className="text-sm">
					{last ? (
						<>
							last: <span className={LOOKS[last.state]}>{WORDS[last.state]}</span> {moment(last.ended_at ?? last.created_at)} <span className="break-words text-bad">{last.state !== 'done' && last.error}</span>
						</>
					) : (
						<span className="text-quiet">has not run yet</span>
					)}
				</p>
				{isEdited && (
					<form
						className="mt-1 flex flex-wrap gap-2"
						onSubmit={e => {
							e.preventDefault()
							change.mutate({ cron })
						}}
					>
						<input required autoFocus aria-label={`When ${c.name} is due`} value={cron} onChange={e => setCron(e.target.value)} className={`${field} font-mono`} />
						<Button type="submit">Save</Button>
						<Button onClick={() => setEdited(false)}>Cancel</Button>
					</form>
				)}
				{[change.error, remove.error].map((e, i) => e && <ProblemNote key={i} error={e} />)}
			</div>
			{!isEdited && (
				<Button aria-label={`Edit ${c.name}`} onClick={() => setEdited(true)}>
					Edit
				</Button>
			)}
			<Button aria-label={`${c.paused ? 'Resume' : 'Pause'} ${c.name}`} disabled={change.isPending} onClick={() => change.mutate({ paused: !c.paused })}>
				{c.paused ? 'Resume' : 'Pause'}
			</Button>
			<Sure label="Delete" name={c.name} busy={remove.isPending} onDo={() => remove.mutate()} />
		</li>
	)
}

export function Schedules({ projects }: { projects: Project[] }) {
	const [isNew, setNew] = useState(false)
	const list = usePages(['schedules'], manage.schedules)
	const rows = list.data?.pages.flatMap(p => p.schedules) ?? []
	return (
		<section aria-label="Schedules" className="space-y-3">
			<p className="text-sm text-quiet">A schedule queues an audit or a recipe again and again.</p>
			{isNew ? (
				<NewSchedule projects={projects.filter(p => p.role === 'admin')} onDone={() => setNew(false)} />
			) : (
				<Button onClick={() => setNew(true)}>
					<Plus aria-hidden className="size-4" /> New schedule
				</Button>
			)}
			<ul className="divide-y divide-line rounded-lg border border-line bg-panel empty:hidden">
				{rows.map(c => (
					<ScheduleRow key={c.name} of={c} />
				))}
			</ul>
			{list.isSuccess && rows.length === 0 && !isNew && <p className="text-quiet">There is no schedule yet. Make one that runs each night, on Mondays or each hour.</p>}
			<More list={list} />
		</section>
	)
}

export function Jobs() {
	const [state, setState] = useState('')
	const list = usePages(['jobs', state], cursor => manage.jobs(state, cursor), true, POLL_MS)
	const rows = list.data?.pages.flatMap(p => p.jobs) ?? []
	const workers = new Set(rows.filter(j => j.state === 'running' && j.worker_state !== 'dead').map(j => j.worker)).size
	return (
		<section aria-label="Jobs" className="space-y-3">
			<p className="text-sm text-quiet">Audits and runs of recipes that workers do: of this server, or of “argus worker” on any machine with the same store.</p>
			<div className="flex flex-wrap items-center gap-3">
				<select aria-label="State of the jobs" value={state} onChange={e => setState(e.target.value)} className={field}>
					<option value="">all</option>
					{Object.entries(WORDS).map(([s, word]) => (
						<option key={s} value={s}>
							{word}
						</option>
					))}
				</select>
				<p role="status" className="text-sm text-quiet">
					{workers === 0 ? 'No worker runs a job now.' : workers === 1 ? 'One worker runs a job now.' : `${workers} workers run jobs now.`}
				</p>
			</div>
			<ul className="divide-y divide-line rounded-lg border border-line bg-panel empty:hidden">
				{rows.map(j => (
					<JobRow key={j.id} of={j} />
				))}
			</ul>
			{list.isSuccess && rows.length === 0 && <p className="text-quiet">{state ? 'No job matches.' : 'No job yet. Audits and schedules queue jobs, and workers run them.'}</p>}
			<More list={list} />
		</section>
	)
}
