// What a project knows: found by words and by kind, written and changed; learnings are set aside, or taken back into use.
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Plus } from 'lucide-react'
import { useDeferredValue, useState } from 'react'
import { ProblemNote } from '../shared/problem'
import { Button } from '../shared/ui'
import { KINDS, type Kind, type Known, manage } from './api'
import { KnowledgeForm, type Written } from './knowledge_form'
import { More, Sure, day, field, usePages } from './parts'

const WORDS: Record<Kind, string> = { entry: 'entries', table: 'tables', metric: 'metrics', learning: 'learnings', golden: 'golden questions', recipe: 'recipes' }
const told = (v: unknown) => (typeof v === 'string' ? v : JSON.stringify(v))

const ELSEWHERE: Partial<Record<string, { part: string; name: string }>> = { golden: { part: 'golden-questions', name: 'Golden questions' }, recipe: { part: 'recipes', name: 'Recipes' } }
const NEW: Written[] = ['entry', 'metric', 'learning']

function Row({ project, of: k, role }: { project: string; of: Known; role: string | undefined }) {
	const [isEdited, setEdited] = useState(false)
	const store = useQueryClient()
	const done = () => void store.invalidateQueries({ queryKey: ['knowledge', project] })
	const remove = useMutation({ mutationFn: () => manage.removeKnown(project, k.kind, k.id), onSuccess: done })
	const judge = useMutation({ mutationFn: (right: boolean) => manage.judge(project, k.id, right, 'A person said so on the page.'), onSuccess: done })
	const fields = Object.entries(k.fields as Record<string, unknown>).filter(([, v]) => v !== null && v !== '' && !(Array.isArray(v) && !v.length))
	const elsewhere = ELSEWHERE[k.kind]
	const isWriter = role === 'admin' || (role === 'analyst' && k.kind !== 'table')
	const mayRemove = role === 'admin' || (isWriter && k.kind !== 'recipe')
	if (isEdited)
		return (
			<li>
				<KnowledgeForm project={project} kind={k.kind as Written} of={k} onDone={() => setEdited(false)} />
			</li>
		)
	return (
		<li className="px-3 py-2">
			<details>
				<summary className="flex flex-wrap items-baseline gap-2">
					<span className="rounded bg-sunk px-1.5 text-sm text-quiet">{k.kind}</span>
					<span className="min-w-0 grow font-medium break-words">{k.name}</span>
					{k.status === 'review' && <span className="rounded bg-warn-soft px-1.5 text-sm text-warn">set aside</span>}
					<span className="text-sm text-quiet">{k.uses === 0 ? 'not used yet' : k.uses === 1 ? 'used once' : `used ${k.uses} times`}</span>
				</summary>
				<dl className="mt-2 space-y-2 text-sm">
					{fields.map(([name, v]) => (
						<div key={name}>
							<dt className="text-quiet">{name.replaceAll('_', ' ')}</dt>
							<dd className={`break-words whitespace-pre-wrap ${name === 'sql' ? 'font-mono text-[0.9em]' : ''}`}>{told(v)}</dd>
						</div>
					))}
				</dl>
				<p className="mt-2 text-sm text-quiet">
					by {k.author}, changed {day(k.changed_at)}
				</p>
				<div className="mt-2 flex flex-wrap gap-2">
					{isWriter && !elsewhere && (
						<Button aria-label={`Edit ${k.name}`} onClick={() => setEdited(true)}>
							Edit
						</Button>
					)}
					{isWriter && elsewhere && (
						<Link to="/manage/$part" params={{ part: elsewhere.part }} className="inline-flex min-h-9 items-center text-sm text-accent underline">
							Edit it in {elsewhere.name}
						</Link>
					)}
					{isWriter && k.kind === 'learning' && (
						<Button disabled={judge.isPending} onClick={() => judge.mutate(k.status === 'review')}>
							{k.status === 'review' ? 'It is right: use it again' : 'It is wrong: set it aside'}
						</Button>
					)}
					{mayRemove && <Sure label="Delete" name={k.name} busy={remove.isPending} onDo={() => remove.mutate()} />}
				</div>
				{judge.error && <ProblemNote error={judge.error} />}
				{remove.error && <ProblemNote error={remove.error} />}
			</details>
		</li>
	)
}

export function Knowledge({ project, role }: { project: string; role: string | undefined }) {
	const [made, setMade] = useState<Written | null>(null)
	const [kind, setKind] = useState<Kind | ''>('')
	const [words, setWords] = useState('')
	const q = useDeferredValue(words.trim())
	const list = usePages(['knowledge', project, kind, q], cursor => manage.knowledge(project, kind, q, cursor))
	const rows = list.data?.pages.flatMap(p => p.knowledge) ?? []
	return (
		<section aria-label="Knowledge" className="space-y-3">
			<p className="text-sm text-quiet">What the analyst reads about this project before it answers: entries, notes on tables, metrics, and what it learned from errors.</p>
			<div className="flex flex-wrap gap-2">
				<select aria-label="Kind of knowledge" value={kind} onChange={e => setKind(e.target.value as Kind | '')} className={field}>
					<option value="">everything</option>
					{KINDS.map(k => (
						<option key={k} value={k}>
							{WORDS[k]}
						</option>
					))}
				</select>
				<input type="search" aria-label="Search knowledge" placeholder="Search" value={words} onChange={e => setWords(e.target.value)} className={`${field} grow sm:max-w-80`} />
			</div>
			{(role === 'analyst' || role === 'admin') && (
				<div className="flex flex-wrap gap-2">
					{NEW.map(w => (
						<Button key={w} aria-pressed={made === w} onClick={() => setMade(made === w ? null : w)}>
							<Plus aria-hidden className="size-4" /> New {w}
						</Button>
					))}
				</div>
			)}
			{made && <KnowledgeForm key={made} project={project} kind={made} onDone={() => setMade(null)} />}
			<ul className="divide-y divide-line rounded-lg border border-line bg-panel empty:hidden">
				{rows.map(k => (
					<Row key={`${k.kind}/${k.id}`} project={project} of={k} role={role} />
				))}
			</ul>
			{list.isSuccess && rows.length === 0 && (
				<p className="text-quiet">
					{q || kind ? 'Nothing matches.' : 'Nothing is written down for this project yet. Write an entry or a metric here; the analyst adds what it learns from corrected errors.'}
				</p>
			)}
			<More list={list} />
		</section>
	)
}
