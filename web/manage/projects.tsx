// The caller's projects: made, renamed, removed. A project holds a database, documents, knowledge and members.
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { ProblemNote } from '../shared/problem'
import { Button } from '../shared/ui'
import { type Project, manage } from './api'
import { Sure, field } from './parts'

function useRefresh() {
	const store = useQueryClient()
	return () => {
		for (const key of ['projects', 'start', 'me']) void store.invalidateQueries({ queryKey: [key] })
	}
}

function Rename({ of: p, onDone }: { of: Project; onDone: () => void }) {
	const refresh = useRefresh()
	const [name, setName] = useState(p.name)
	const save = useMutation({
		mutationFn: () => manage.renameProject(p.id, name.trim()),
		onSuccess: () => {
			refresh()
			onDone()
		},
	})
	return (
		<form
			className="flex w-full flex-wrap gap-2"
			onSubmit={e => {
				e.preventDefault()
				save.mutate()
			}}
		>
			<input autoFocus required maxLength={500} aria-label={`New name of ${p.name || p.id}`} value={name} onChange={e => setName(e.target.value)} className={`${field} grow`} />
			<Button type="submit" disabled={save.isPending}>
				Save
			</Button>
			<Button onClick={onDone}>Cancel</Button>
			{save.error && <ProblemNote error={save.error} />}
		</form>
	)
}

function Row({ of: p, isSuper, onOpen }: { of: Project; isSuper: boolean; onOpen: () => void }) {
	const refresh = useRefresh()
	const [isRenamed, setRenamed] = useState(false)
	const remove = useMutation({ mutationFn: () => manage.removeProject(p.id), onSuccess: refresh })
	const name = p.name || p.id
	const mayChange = p.is_of_store && p.role === 'admin'
	if (isRenamed) return <Rename of={p} onDone={() => setRenamed(false)} />
	return (
		<>
			<span className="min-w-40 grow basis-0">
				<span className="font-medium break-words">{name}</span>
				<span className="block text-sm break-words text-quiet">
					{p.id !== name && (
						<>
							<code className="font-mono text-[0.9em]">{p.id}</code>,{' '}
						</>
					)}
					you are {p.role === 'admin' ? 'an admin' : p.role === 'analyst' ? 'an analyst' : 'a viewer'}
					{!p.has_database && ', no database yet'}
					{!p.is_of_store && ', and the settings of the server define it'}
				</span>
			</span>
			{p.role === 'admin' && (
				<Link
					to="/manage/$part"
					params={{ part: 'connections' }}
					onClick={onOpen}
					aria-label={`Connections of ${name}`}
					className="inline-flex min-h-9 items-center rounded-md border border-line bg-panel px-3 text-sm hover:bg-sunk"
				>
					Connections
				</Link>
			)}
			{mayChange && (
				<Button aria-label={`Rename ${name}`} onClick={() => setRenamed(true)}>
					Rename
				</Button>
			)}
			{mayChange && isSuper && <Sure label="Remove" name={name} busy={remove.isPending} onDo={() => remove.mutate()} />}
			{remove.error && <ProblemNote error={remove.error} />}
		</>
	)
}

function Add({ onMade }: { onMade: (id: string) => void }) {
	const refresh = useRefresh()
	const [id, setId] = useState('')
	const [name, setName] = useState('')
	const add = useMutation({
		mutationFn: () => manage.addProject(id.trim(), name.trim()),
		onSuccess: p => {
			setId('')
			setName('')
			refresh()
			onMade(p.id)
		},
	})
	return (
		<form
			aria-label="New project"
			className="space-y-2 rounded-lg border border-line bg-panel p-3"
			onSubmit={e => {
				e.preventDefault()
				add.mutate()
			}}
		>
			<div className="flex flex-wrap items-end gap-2">
				<label className="min-w-40 grow text-sm">
					Name
					<input maxLength={500} placeholder="Sales" value={name} onChange={e => setName(e.target.value)} className={`${field} w-full`} />
				</label>
				<label className="min-w-40 grow text-sm">
					Id, for addresses and commands; it cannot change
					<input required pattern="[A-Za-z0-9][A-Za-z0-9._\-]*" title="letters, digits, . _ -" maxLength={128} placeholder="sales" value={id} onChange={e => setId(e.target.value)} className={`${field} w-full font-mono`} />
				</label>
				<Button type="submit" disabled={add.isPending}>
					Make the project
				</Button>
			</div>
			{add.error && <ProblemNote error={add.error} />}
		</form>
	)
}

export function Projects({ projects, isSuper, onChoose }: { projects: Project[]; isSuper: boolean; onChoose: (id: string) => void }) {
	const [made, setMade] = useState('')
	const one = projects.find(p => p.id === made)
	return (
		<section aria-label="Projects" className="space-y-3">
			<p className="text-sm text-quiet">A project holds one database, one source of documents, what is known about them, and who may use them.</p>
			{isSuper && <Add onMade={setMade} />}
			{one && (
				<p role="status" className="rounded-lg border border-accent bg-accent-soft px-3 py-2">
					{one.name} is there.{' '}
					<Link to="/manage/$part" params={{ part: 'connections' }} onClick={() => onChoose(one.id)} className="underline underline-offset-4">
						Connect it to a database
					</Link>{' '}
					next, then add{' '}
					<Link to="/manage/$part" params={{ part: 'members' }} onClick={() => onChoose(one.id)} className="underline underline-offset-4">
						members
					</Link>
					.
				</p>
			)}
			<ul className="divide-y divide-line rounded-lg border border-line bg-panel empty:hidden">
				{projects.map(p => (
					<li key={p.id} className="flex flex-wrap items-center gap-2 px-3 py-2">
						<Row of={p} isSuper={isSuper} onOpen={() => onChoose(p.id)} />
					</li>
				))}
			</ul>
			{projects.length === 0 && (
				<p className="text-quiet">{isSuper ? 'There is no project yet. Make one above.' : 'You belong to no project yet. Ask an administrator to add you to one.'}</p>
			)}
		</section>
	)
}
