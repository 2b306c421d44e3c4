// A recipe is made or changed: its variables, and its steps with questions and SQL that name them as {{name}}.
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Plus, X } from 'lucide-react'
import { Suspense, lazy, useState } from 'react'
import { ProblemNote } from '../shared/problem'
import { Button, IconButton } from '../shared/ui'
import { type Known, manage } from './api'
import { area, field } from './parts'
import { type Recipe, type Step, TYPES, TYPE_WORDS, type Variable, type VariableType, fieldsOf, recipeOf, unknownNames } from './recipe_fields'

const SqlEditor = lazy(() => import('../shared/sql_editor'))
const NONE: Recipe = { description: '', variables: [], steps: [{ prompt_template: '', sql: '' }], is_shared: true }
const changed = <T,>(list: T[], at: number, what: Partial<T>) => list.map((x, i) => (i === at ? { ...x, ...what } : x))
const without = <T,>(list: T[], at: number) => list.filter((_, i) => i !== at)

function VariableRow({ of: v, n, onChange, onRemove }: { of: Variable; n: number; onChange: (what: Partial<Variable>) => void; onRemove: () => void }) {
	const called = v.name || `variable ${n}`
	return (
		<li className="space-y-2 rounded-lg border border-line bg-panel p-2">
			<div className="grid gap-2 sm:grid-cols-[minmax(0,8rem)_minmax(0,1fr)_8rem_minmax(0,9rem)_auto]">
				<input
					required
					pattern="\w{1,60}"
					title="letters, digits and _"
					aria-label={`Name of variable ${n}`}
					placeholder="name"
					value={v.name}
					onChange={e => onChange({ name: e.target.value })}
					className={`${field} font-mono`}
				/>
				<input maxLength={200} aria-label={`What people read for ${called}`} placeholder="What people read" value={v.label} onChange={e => onChange({ label: e.target.value })} className={field} />
				<select aria-label={`Type of ${called}`} value={v.type} onChange={e => onChange({ type: e.target.value as VariableType })} className={field}>
					{TYPES.map(t => (
						<option key={t} value={t}>
							{TYPE_WORDS[t]}
						</option>
					))}
				</select>
				<input maxLength={1000} aria-label={`Default of ${called}`} placeholder="default" value={v.default ?? ''} onChange={e => onChange({ default: e.target.value })} className={field} />
				<IconButton label={`Remove ${called}`} onClick={onRemove}>
					<X aria-hidden className="size-4" />
				</IconButton>
			</div>
			{v.type === 'select' && (
				<input
					required
					aria-label={`Choices of ${called}, with commas between them`}
					placeholder="North, South"
					value={v.options.join(',')}
					onChange={e => onChange({ options: e.target.value.split(',') })}
					className={`${field} w-full`}
				/>
			)}
		</li>
	)
}

function StepRow({ project, of: s, n, onChange, onRemove }: { project: string; of: Step; n: number; onChange: (what: Partial<Step>) => void; onRemove?: () => void }) {
	return (
		<li className="space-y-2 rounded-lg border border-line bg-panel p-2">
			<div className="flex items-center gap-2">
				<span className="grow text-sm text-quiet">Step {n}</span>
				{onRemove && (
					<IconButton label={`Remove step ${n}`} onClick={onRemove}>
						<X aria-hidden className="size-4" />
					</IconButton>
				)}
			</div>
			<textarea
				required
				rows={2}
				maxLength={10000}
				aria-label={`Question of step ${n}`}
				placeholder="How much was sold in {{region}}?"
				value={s.prompt_template}
				onChange={e => onChange({ prompt_template: e.target.value })}
				className={area}
			/>
			<div className="flex rounded-md border border-line focus-within:border-accent">
				<Suspense fallback={<p className="px-2 py-1 text-quiet">Loading the editor …</p>}>
					<SqlEditor value={s.sql} onChange={sql => onChange({ sql })} project={project} label={`SQL of step ${n}`} hint="SQL that answers it; without any a model does" rows={2} />
				</Suspense>
			</div>
		</li>
	)
}

// steps: of a new one, to begin with.
export function RecipeEditor({ project, of: old, steps, onDone }: { project: string; of?: Known; steps?: Step[]; onDone: (id?: string) => void }) {
	const store = useQueryClient()
	const [name, setName] = useState(old?.name ?? '')
	const [r, setRecipe] = useState<Recipe>(() => (old ? recipeOf(old) : steps ? { ...NONE, steps } : NONE))
	const change = (what: Partial<Recipe>) => setRecipe({ ...r, ...what })
	const save = useMutation({
		mutationFn: () => (old ? manage.changeKnown(project, 'recipe', old.id, fieldsOf(r)) : manage.addKnown(project, 'recipe', name.trim(), fieldsOf(r))),
		onSuccess: async k => {
			await store.invalidateQueries({ queryKey: ['knowledge', project] })
			onDone(k.id)
		},
	})
	const unknown = unknownNames(r)
	return (
		<form
			aria-label={old ? `Edit ${old.name}` : 'New recipe'}
			className="space-y-4"
			onSubmit={e => {
				e.preventDefault()
				save.mutate()
			}}
		>
			<div className="grid gap-2">
				{old ? (
					<h3 className="font-semibold break-words">{old.name}</h3>
				) : (
					<input required maxLength={200} aria-label="Name of the recipe" placeholder="Name" value={name} onChange={e => setName(e.target.value)} className={field} />
				)}
				<input required maxLength={2000} aria-label="What it does" placeholder="What it does" value={r.description} onChange={e => change({ description: e.target.value })} className={field} />
				<label className="flex items-center gap-2">
					<input type="checkbox" checked={r.is_shared} onChange={e => change({ is_shared: e.target.checked })} className="size-4 accent-(--accent)" />
					everybody in the project may run it
				</label>
			</div>
			<section aria-label="Variables" className="space-y-2">
				<h4 className="font-medium">Variables</h4>
				<ul className="space-y-2 empty:hidden">
					{r.variables.map((v, i) => (
						<VariableRow key={i} of={v} n={i + 1} onChange={what => change({ variables: changed(r.variables, i, what) })} onRemove={() => change({ variables: without(r.variables, i) })} />
					))}
				</ul>
				<Button onClick={() => change({ variables: [...r.variables, { name: unknown[0] ?? '', type: 'string', label: '', options: [] }] })}>
					<Plus aria-hidden className="size-4" /> Add a variable
				</Button>
			</section>
			<section aria-label="Steps" className="space-y-2">
				<h4 className="font-medium">Steps</h4>
				<p className="text-sm text-quiet">Each step is a question, and knows the answers before it. Write {'{{name}}'} where the value of a variable belongs; in SQL without quotes.</p>
				<ol className="space-y-2">
					{r.steps.map((s, i) => (
						<StepRow
							project={project}
							key={i}
							of={s}
							n={i + 1}
							onChange={what => change({ steps: changed(r.steps, i, what) })}
							onRemove={r.steps.length > 1 ? () => change({ steps: without(r.steps, i) }) : undefined}
						/>
					))}
				</ol>
				<Button onClick={() => change({ steps: [...r.steps, { prompt_template: '', sql: '' }] })}>
					<Plus aria-hidden className="size-4" /> Add a step
				</Button>
			</section>
			{unknown.length > 0 && (
				<p role="status" className="text-warn">
					{unknown.map(n => `{{${n}}}`).join(', ')}: add a variable of this name.
				</p>
			)}
			{save.error && <ProblemNote error={save.error} />}
			<div className="flex gap-2">
				<Button type="submit" className="border-accent" disabled={save.isPending}>
					{save.isPending ? 'Saving …' : 'Save'}
				</Button>
				<Button onClick={() => onDone(old?.id)}>Cancel</Button>
			</div>
		</form>
	)
}
