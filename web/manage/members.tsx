// Who may do what in a project. For its admins.
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { ProblemNote } from '../shared/problem'
import { Button } from '../shared/ui'
import { type Role, manage } from './api'
import { More, RoleChoice, Sure, field, usePages } from './parts'

export function Members({ project }: { project: string }) {
	const store = useQueryClient()
	const list = usePages(['members', project], cursor => manage.members(project, cursor))
	const [name, setName] = useState('')
	const [role, setRole] = useState<Role>('viewer')
	const done = () => void store.invalidateQueries({ queryKey: ['members', project] })
	const put = useMutation({ mutationFn: (m: { user: string; role: Role }) => manage.putMember(project, m.user, m.role), onSuccess: done })
	const remove = useMutation({ mutationFn: (user: string) => manage.removeMember(project, user), onSuccess: done })
	const rows = list.data?.pages.flatMap(p => p.members) ?? []
	return (
		<section aria-label="Members" className="space-y-3">
			<p className="text-sm text-quiet">Viewers read and ask; analysts also begin audits and save what they learned; admins also change what the project knows, and this list.</p>
			<form
				className="flex flex-wrap items-center gap-2"
				onSubmit={e => {
					e.preventDefault()
					put.mutate({ user: name.trim(), role }, { onSuccess: () => setName('') })
				}}
			>
				<input required aria-label="Name of the new member" placeholder="Name" value={name} onChange={e => setName(e.target.value)} className={field} />
				<RoleChoice label="Role of the new member" value={role} onChange={setRole} />
				<Button type="submit" disabled={put.isPending}>
					Add
				</Button>
			</form>
			{[put.error, remove.error].map((e, i) => e && <ProblemNote key={i} error={e} />)}
			<ul className="divide-y divide-line rounded-lg border border-line bg-panel empty:hidden">
				{rows.map(m => (
					<li key={m.user} className="flex flex-wrap items-center gap-2 px-3 py-2">
						<span className="min-w-0 grow font-medium break-all">{m.user}</span>
						<RoleChoice label={`Role of ${m.user}`} value={m.role as Role} onChange={r => put.mutate({ user: m.user, role: r })} />
						<Sure label="Remove" name={m.user} busy={remove.isPending} onDo={() => remove.mutate(m.user)} />
					</li>
				))}
			</ul>
			{list.isSuccess && rows.length === 0 && <p className="text-quiet">This project has no members yet. Accounts that manage everything can use it.</p>}
			<More list={list} />
		</section>
	)
}
