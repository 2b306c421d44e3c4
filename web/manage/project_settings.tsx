// The settings of a project: what counts, where that comes from, what it does. Limits and instructions are changed here; what decides which
// files and hosts are reached is changed where the server runs.
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useId, useState } from 'react'
import { ProblemNote } from '../shared/problem'
import { Button } from '../shared/ui'
import { type ProjectSetting, manage } from './api'
import { More, area, field, usePages } from './parts'

const FROM: Record<ProjectSetting['place'], string> = { default: 'default', server: 'the server', project: 'this project', 'argus.yaml': 'argus.yaml' }
const numbers = new Intl.NumberFormat()
const words = (key: string) => key.replaceAll('_', ' ')

function Editor({ project, of: s, onDone }: { project: string; of: ProjectSetting; onDone: () => void }) {
	const store = useQueryClient()
	const id = useId()
	const isText = s.form === 'text'
	const [value, setValue] = useState(s.place === 'project' ? s.value : isText ? '' : s.value)
	const save = useMutation({
		mutationFn: () => manage.putProjectSetting(project, s.key, value.trim()),
		onSuccess: async () => {
			await store.invalidateQueries({ queryKey: ['project-settings', project] })
			onDone()
		},
	})
	return (
		<form
			className="mt-2 space-y-2"
			onSubmit={e => {
				e.preventDefault()
				save.mutate()
			}}
		>
			<label htmlFor={id} className="sr-only">
				New value of {words(s.key)}
			</label>
			{isText ? (
				<textarea id={id} autoFocus required rows={5} maxLength={s.max} value={value} onChange={e => setValue(e.target.value)} className={area} />
			) : (
				<span className="flex flex-wrap items-center gap-2">
					<input id={id} type="number" autoFocus required min={s.min} max={s.max} step={s.form === 'count' ? 1 : 'any'} value={value} onChange={e => setValue(e.target.value)} className={`${field} w-40`} />
					<span className="text-sm text-quiet">
						{numbers.format(s.min ?? 0)} to {numbers.format(s.max ?? 0)}
					</span>
				</span>
			)}
			<div className="flex gap-2">
				<Button type="submit" disabled={save.isPending}>
					Save
				</Button>
				<Button onClick={onDone}>Cancel</Button>
			</div>
			{save.error && <ProblemNote error={save.error} />}
		</form>
	)
}

function Row({ project, of: s }: { project: string; of: ProjectSetting }) {
	const store = useQueryClient()
	const [isEdited, setEdited] = useState(false)
	const reset = useMutation({
		mutationFn: () => manage.resetProjectSetting(project, s.key),
		onSuccess: () => store.invalidateQueries({ queryKey: ['project-settings', project] }),
	})
	const isSet = s.place === 'project' || s.place === 'argus.yaml'
	return (
		<li className="px-3 py-2" aria-label={words(s.key)}>
			<div className="flex flex-wrap items-baseline gap-x-3 gap-y-1">
				<code className="min-w-0 grow font-mono text-sm font-semibold break-all">{s.key}</code>
				{s.form !== 'text' || s.value.length < 60 ? <code className="min-w-0 font-mono text-sm break-all">{s.value || '(none)'}</code> : null}
				<span className={`rounded px-1.5 text-sm ${isSet ? 'bg-accent-soft' : 'bg-sunk text-quiet'}`}>{FROM[s.place]}</span>
			</div>
			{s.form === 'text' && s.value.length >= 60 && <p className="max-h-40 overflow-y-auto text-sm break-words whitespace-pre-wrap" tabIndex={0} role="region" aria-label={`Value of ${words(s.key)}`}>{s.value}</p>}
			<p className="text-sm break-words text-quiet">
				{s.help}
				{s.where && ` Set by ${s.where}.`}
				{isSet && s.by_default && ` By default ${s.by_default}.`}
			</p>
			{s.may_change && !isEdited && (
				<div className="mt-1 flex flex-wrap gap-2">
					<Button aria-label={`Change ${words(s.key)}`} onClick={() => setEdited(true)}>
						Change
					</Button>
					{isSet && (
						<Button aria-label={`Reset ${words(s.key)}`} disabled={reset.isPending} onClick={() => reset.mutate()}>
							Reset
						</Button>
					)}
				</div>
			)}
			{isEdited && <Editor project={project} of={s} onDone={() => setEdited(false)} />}
			{reset.error && <ProblemNote error={reset.error} />}
		</li>
	)
}

function Group({ name, project, of }: { name: string; project: string; of: ProjectSetting[] }) {
	if (!of.length) return null
	return (
		<section aria-label={name} className="space-y-1">
			<h3 className="font-medium">{name}</h3>
			<ul className="divide-y divide-line rounded-lg border border-line bg-panel">
				{of.map(s => (
					<Row key={s.key} project={project} of={s} />
				))}
			</ul>
		</section>
	)
}

export function ProjectSettings({ project }: { project: string }) {
	const list = usePages(['project-settings', project], cursor => manage.projectSettings(project, cursor))
	const all = list.data?.pages.flatMap(p => p.settings) ?? []
	const own = all.filter(s => s.may_change)
	return (
		<section aria-label="Project settings" className="space-y-4">
			<p className="text-sm text-quiet">
				{own.length || !all.length
					? 'A value of the project counts before that of the server. No limit can be wider than the server’s. Each change is in the audit table.'
					: 'This project is set where the server was started, and is changed there.'}
			</p>
			<Group name="Limits and instructions" project={project} of={own} />
			<Group name={own.length ? 'Changed where the server runs' : 'All settings'} project={project} of={all.filter(s => !s.may_change)} />
			<More list={list} />
		</section>
	)
}
