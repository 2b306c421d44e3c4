// Accounts: made with a link for a password, disabled, removed. For superusers.
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { ProblemNote } from '../shared/problem'
import { Button } from '../shared/ui'
import { type User, manage } from './api'
import { More, Secret, Sure, day, field, usePages } from './parts'

const address = (token: string) => `${location.origin}/setup#${token}`

export function People() {
	const store = useQueryClient()
	const list = usePages(['users'], manage.users)
	const [name, setName] = useState('')
	const [isSuper, setSuper] = useState(false)
	const [made, setMade] = useState<User | null>(null)
	const done = (u?: User | void) => {
		if (u?.link_token) setMade(u)
		void store.invalidateQueries({ queryKey: ['users'] })
	}
	const add = useMutation({
		mutationFn: () => manage.addUser(name.trim(), isSuper),
		onSuccess: u => {
			setName('')
			setSuper(false)
			done(u)
		},
	})
	const change = useMutation({ mutationFn: (c: { name: string; what: { superuser?: boolean; active?: boolean } }) => manage.changeUser(c.name, c.what), onSuccess: () => done() })
	const link = useMutation({ mutationFn: (n: string) => manage.linkUser(n), onSuccess: u => done(u) })
	const remove = useMutation({ mutationFn: (n: string) => manage.removeUser(n), onSuccess: () => done() })
	const rows = list.data?.pages.flatMap(p => p.users) ?? []
	const busy = change.isPending || link.isPending || remove.isPending
	return (
		<section aria-label="People" className="space-y-3">
			<p className="text-sm text-quiet">Accounts of this server. A new one gets a link by which its owner chooses a password. What an account may do in a project is set under “Members”.</p>
			<form
				className="flex flex-wrap items-center gap-2"
				onSubmit={e => {
					e.preventDefault()
					add.mutate()
				}}
			>
				<input required aria-label="Name of the new account" placeholder="Name" value={name} onChange={e => setName(e.target.value)} className={field} />
				<label className="flex items-center gap-1.5">
					<input type="checkbox" checked={isSuper} onChange={e => setSuper(e.target.checked)} className="size-4 accent-(--accent)" />
					manages everything
				</label>
				<Button type="submit" disabled={add.isPending}>
					Add
				</Button>
			</form>
			{made?.link_token && (
				<Secret text={address(made.link_token)} label="Copy the link">
					Give this link to {made.name}. It works once, within {made.link_hours} hours, and asks for a new password. It is not shown again.
				</Secret>
			)}
			{[add.error, change.error, link.error, remove.error].map((e, i) => e && <ProblemNote key={i} error={e} />)}
			<ul className="divide-y divide-line rounded-lg border border-line bg-panel empty:hidden">
				{rows.map(u => (
					<li key={u.name} className="flex flex-wrap items-center gap-2 px-3 py-2">
						<span className="min-w-0 grow">
							<span className="font-medium break-all">{u.name}</span>
							{u.superuser && <span className="ml-2 rounded bg-accent-soft px-1.5 text-sm">manages everything</span>}
							{!u.active && <span className="ml-2 rounded bg-warn-soft px-1.5 text-sm text-warn">disabled</span>}
							<span className="block text-sm text-quiet">
								{u.has_password ? (u.seen_at ? `last sign-in ${day(u.seen_at)}` : 'never signed in') : 'has no password yet'}
							</span>
						</span>
						<Button disabled={busy} aria-label={`New link for ${u.name}`} onClick={() => link.mutate(u.name)}>
							New link
						</Button>
						<Button disabled={busy} aria-label={`${u.active ? 'Disable' : 'Enable'} ${u.name}`} onClick={() => change.mutate({ name: u.name, what: { active: !u.active } })}>
							{u.active ? 'Disable' : 'Enable'}
						</Button>
						<Sure label="Remove" name={u.name} busy={busy} onDo={() => remove.mutate(u.name)} />
					</li>
				))}
			</ul>
			<More list={list} />
		</section>
	)
}
