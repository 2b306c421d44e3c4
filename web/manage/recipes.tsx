// Recipes: questions that are asked again with other values. The list, a form for their values, what their runs gave, and the editor.
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { ArrowLeft, Play, Plus, Share2 } from 'lucide-react'
import { useEffect, useState } from 'react'
import { Markdown } from '../shared/markdown'
import { ProblemNote } from '../shared/problem'
import { draftOf, dropDraft } from '../shared/recipe_draft'
import { Sql } from '../shared/sql'
import { Button } from '../shared/ui'
import { ShareDialog } from '../shares/dialog'
import { type Known, type RecipeRun, manage } from './api'
import { More, Sure, moment, usePages } from './parts'
import { RecipeEditor } from './recipe_editor'
import { type Recipe, recipeOf } from './recipe_fields'
import { ValueFields, firstValues } from './value_fields'

const STATES: Record<string, { word: string; look: string }> = {
	pending: { word: 'waits', look: 'text-quiet' },
	running: { word: 'under way', look: 'text-warn' },
	completed: { word: 'complete', look: 'text-good' },
	failed: { word: 'failed', look: 'text-bad' },
	cancelled: { word: 'stopped', look: 'text-warn' },
}
const isGoing = (status: string) => status === 'pending' || status === 'running'
const State = ({ of }: { of: string }) => <span className={STATES[of]?.look}>{STATES[of]?.word ?? of}</span>

function RunForm({ project, name, of, onBegun }: { project: string; name: string; of: Recipe; onBegun: (r: RecipeRun) => void }) {
	const store = useQueryClient()
	const [values, setValues] = useState(() => firstValues(of))
	const run = useMutation({
		mutationFn: () => manage.runRecipe(project, name, values),
		onSuccess: r => {
			void store.invalidateQueries({ queryKey: ['recipe-runs', project] })
			onBegun(r)
		},
	})
	return (
		<form
			aria-label={`Run ${name}`}
			className="space-y-3 rounded-lg border border-line bg-panel p-3"
			onSubmit={e => {
				e.preventDefault()
				run.mutate()
			}}
		>
			<ValueFields of={of} values={values} onChange={setValues} />
			<Button type="submit" disabled={run.isPending}>
				<Play aria-hidden className="size-4" /> {run.isPending ? 'Beginning …' : 'Run it'}
			</Button>
			{run.error && <ProblemNote error={run.error} />}
		</form>
	)
}

function Steps({ of: r }: { of: RecipeRun }) {
	return (
		<ol className="space-y-3">
			{r.steps.map(s => (
				<li key={s.step_order} className="rounded-lg border border-line bg-panel p-3">
					<p className="flex flex-wrap items-baseline gap-2">
						<span className="min-w-0 grow font-medium break-words">
							{s.step_order}. {s.prompt}
						</span>
						<State of={s.status} />
					</p>
					{s.sql && <Sql text={s.sql} />}
					{s.response && (
						<div className="mt-2">
							<Markdown text={s.response} />
						</div>
					)}
					{s.error && <p className="mt-2 text-bad">{s.error}</p>}
					{s.warning && <p className="mt-2 text-warn">{s.warning}</p>}
				</li>
			))}
		</ol>
	)
}

function Run({ project, id, onBack }: { project: string; id: string; onBack: () => void }) {
	const store = useQueryClient()
	const [isSharing, setSharing] = useState(false)
	const run = useQuery({
		queryKey: ['recipe-run', project, id],
		queryFn: () => manage.recipeRun(project, id),
		refetchInterval: q => (q.state.data && isGoing(q.state.data.status) ? 1000 : false),
	})
	const again = () => {
		void store.invalidateQueries({ queryKey: ['recipe-run', project, id] })
		void store.invalidateQueries({ queryKey: ['recipe-runs', project] })
	}
	const stop = useMutation({ mutationFn: () => manage.stopRecipeRun(project, id), onSettled: again })
	const resume = useMutation({ mutationFn: () => manage.resumeRecipeRun(project, id), onSettled: again })
	const r = run.data
	const isOver = r !== undefined && !isGoing(r.status)
	useEffect(() => {
		if (isOver) void store.invalidateQueries({ queryKey: ['recipe-runs', project] })
	}, [isOver, project, store])
	return (
		<section aria-label="Run" className="space-y-3">
			<Button onClick={onBack}>
				<ArrowLeft aria-hidden className="size-4" /> Back to the recipe
			</Button>
			{run.error && <ProblemNote error={run.error} />}
			{r && (
				<>
					<p role="status" className="flex flex-wrap items-center gap-x-3 gap-y-1">
						<State of={r.status} />
						<span className="text-quiet">
							{r.user}, {moment(r.started_at)}
							{r.duration_ms !== undefined && `, ${(r.duration_ms / 1000).toFixed(1)} s`}
						</span>
						{Object.entries(r.values as Record<string, string>).map(([k, v]) => (
							<span key={k} className="rounded bg-sunk px-1.5 text-sm break-all">
								{k} = {v}
							</span>
						))}
					</p>
					<div className="flex gap-2 empty:hidden">
						{isGoing(r.status) && (
							<Button disabled={stop.isPending} onClick={() => stop.mutate()}>
								Stop
							</Button>
						)}
						{(r.status === 'failed' || r.status === 'cancelled') && (
							<Button disabled={resume.isPending} onClick={() => resume.mutate()}>
								Go on where it stopped
							</Button>
						)}
						{isOver && (
							<Button onClick={() => setSharing(true)}>
								<Share2 aria-hidden className="size-4" /> Share the run
							</Button>
						)}
					</div>
					{isSharing && <ShareDialog thing={{ kind: 'recipe_run', id: r.run, project, title: r.recipe }} onClose={() => setSharing(false)} />}
					{[stop.error, resume.error].map((e, i) => e && <ProblemNote key={i} error={e} />)}
					{r.error && <p className="text-bad">{r.error}</p>}
					<Steps of={r} />
				</>
			)}
		</section>
	)
}

function History({ project, name, onShow }: { project: string; name: string; onShow: (id: string) => void }) {
	const list = usePages(['recipe-runs', project, name], cursor => manage.recipeRuns(project, name, cursor))
	const rows = list.data?.pages.flatMap(p => p.runs) ?? []
	return (
		<section aria-label="Runs" className="space-y-2">
			<h4 className="font-medium">Runs</h4>
			<ul className="divide-y divide-line rounded-lg border border-line bg-panel empty:hidden">
				{rows.map(r => (
					<li key={r.run}>
						<button
							type="button"
							className="grid w-full gap-x-3 px-3 py-2 text-left text-sm hover:bg-sunk sm:grid-cols-[11rem_8rem_6rem_minmax(0,1fr)]"
							onClick={() => onShow(r.run)}
						>
							<span className="tabular-nums">{moment(r.started_at)}</span>
							<span className="truncate">{r.user}</span>
							<State of={r.status} />
							<span className="truncate text-quiet">
								{r.error ||
									Object.entries(r.values as Record<string, string>)
										.map(([k, v]) => `${k} = ${v}`)
										.join(', ')}
							</span>
						</button>
					</li>
				))}
			</ul>
			{list.isSuccess && rows.length === 0 && <p className="text-quiet">It was not run yet.</p>}
			<More list={list} />
		</section>
	)
}

function OneRecipe({ project, of: k, mayEdit, mayRemove, onBack }: { project: string; of: Known; mayEdit: boolean; mayRemove: boolean; onBack: () => void }) {
	const store = useQueryClient()
	const [isEdited, setEdited] = useState(false)
	const [run, setRun] = useState('')
	const recipe = recipeOf(k)
	const remove = useMutation({
		mutationFn: () => manage.removeKnown(project, 'recipe', k.id),
		onSuccess: () => {
			void store.invalidateQueries({ queryKey: ['knowledge', project] })
			onBack()
		},
	})
	if (run) return <Run project={project} id={run} onBack={() => setRun('')} />
	if (isEdited) return <RecipeEditor project={project} of={k} onDone={() => setEdited(false)} />
	return (
		<section aria-label={k.name} className="space-y-4">
			<Button onClick={onBack}>
				<ArrowLeft aria-hidden className="size-4" /> All recipes
			</Button>
			<div>
				<h3 className="font-semibold break-words">{k.name}</h3>
				<p className="text-quiet">{recipe.description}</p>
			</div>
			{k.status === 'active' ? <RunForm key={k.version} project={project} name={k.name} of={recipe} onBegun={r => setRun(r.run)} /> : <p className="text-warn">It is not in use.</p>}
			<ol className="space-y-1 text-sm">
				{recipe.steps.map((s, i) => (
					<li key={i} className="flex gap-2">
						<span className="text-quiet">{i + 1}.</span>
						<span className="min-w-0 break-words">
							{s.prompt_template}
							{s.sql && <code className="block font-mono text-[0.85em] break-words text-quiet">{s.sql}</code>}
						</span>
					</li>
				))}
			</ol>
			<div className="flex flex-wrap gap-2 empty:hidden">
				{mayEdit && <Button onClick={() => setEdited(true)}>Edit</Button>}
				{mayRemove && <Sure label="Delete" name={k.name} busy={remove.isPending} onDo={() => remove.mutate()} />}
			</div>
			{remove.error && <ProblemNote error={remove.error} />}
			<History project={project} name={k.name} onShow={setRun} />
		</section>
	)
}

export function Recipes({ project, role }: { project: string; role: string | undefined }) {
	const [chosen, setChosen] = useState('')
	const [draft] = useState(() => draftOf(project))
	const [isNew, setNew] = useState(draft !== null)
	useEffect(dropDraft, [])
	const list = usePages(['knowledge', project, 'recipe', ''], cursor => manage.knowledge(project, 'recipe', '', cursor))
	const rows = list.data?.pages.flatMap(p => p.knowledge) ?? []
	const one = rows.find(k => k.id === chosen)
	const mayEdit = role === 'analyst' || role === 'admin'
	if (isNew) return <RecipeEditor project={project} steps={draft?.steps} onDone={id => (setNew(false), setChosen(id ?? ''))} />
	if (one) return <OneRecipe project={project} of={one} mayEdit={mayEdit} mayRemove={role === 'admin'} onBack={() => setChosen('')} />
	return (
		<section aria-label="Recipes" className="space-y-3">
			<p className="text-sm text-quiet">A recipe asks the same questions again, with other values each time.</p>
			{mayEdit && (
				<Button onClick={() => setNew(true)}>
					<Plus aria-hidden className="size-4" /> New recipe
				</Button>
			)}
			<ul className="divide-y divide-line rounded-lg border border-line bg-panel empty:hidden">
				{rows.map(k => (
					<li key={k.id} className="relative px-3 py-2 hover:bg-sunk">
						<div className="flex flex-wrap items-baseline gap-2">
							<button type="button" className="min-w-0 grow text-left font-medium break-words after:absolute after:inset-0" onClick={() => setChosen(k.id)}>
								{k.name}
							</button>
							<span className="text-sm text-quiet">{recipeOf(k).is_shared ? 'shared' : `only for ${k.author} and admins`}</span>
						</div>
						<p className="text-sm text-quiet">{recipeOf(k).description}</p>
					</li>
				))}
			</ul>
			{list.isSuccess && rows.length === 0 && <p className="text-quiet">There is no recipe yet. Make one here, or type /recipe in a conversation to keep its questions.</p>}
			<More list={list} />
		</section>
	)
}
