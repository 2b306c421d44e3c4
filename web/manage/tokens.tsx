// Tokens: for programs, and to connect MCP clients.
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { ProblemNote } from '../shared/problem'
import { Button } from '../shared/ui'
import { type Role, type Token, manage } from './api'
import { More, RoleChoice, Secret, Sure, day, field, usePages } from './parts'

export function Tokens() {
	const store = useQueryClient()
	const list = usePages(['tokens'], manage.tokens)
	const [name, setName] = useState('')
	const [role, setRole] = useState<Role>('analyst')
	const [days, setDays] = useState('90')
	const [made, setMade] = useState<Token | null>(null)
	const done = () => void store.invalidateQueries({ queryKey: ['tokens'] })
	const add = useMutation({
		mutationFn: () => manage.addToken(name.trim(), role, Number(days)),
		onSuccess: t => {
			setName('')
			setMade(t as Token)
			done()
		},
	})
	const revoke = useMutation({ mutationFn: (id: string) => manage.revoke(id), onSuccess: done })
	const rows = (list.data?.pages.flatMap(p => p.tokens) ?? []).filter(t => !t.revoked_at)
	return (
		<section aria-label="Tokens" className="space-y-3">
			<p className="text-sm text-quiet">A token lets a program or an MCP client call this server as you, with at most the role that you choose. “Connect” shows how a client uses it.</p>
			<form
				className="flex flex-wrap items-center gap-2"
				onSubmit={e => {
					e.preventDefault()
					add.mutate()
				}}
			>
				<input required maxLength={64} aria-label="What the token is for" placeholder="What it is for" value={name} onChange={e => setName(e.target.value)} className={field} />
				<RoleChoice label="Highest role of the token" value={role} onChange={setRole} />
				<label className="flex items-center gap-1.5">
					expires after
					<input type="number" min={1} max={3650} required aria-label="Days until the token expires" value={days} onChange={e => setDays(e.target.value)} className={`${field} w-20`} />
					days
				</label>
				<Button type="submit" disabled={add.isPending}>
					Make a token
				</Button>
			</form>
			{made?.token && (
				<Secret text={made.token} label="Copy the token">
					This is the token “{made.name}”. It is not shown again.
				</Secret>
			)}
			{[add.error, revoke.error].map((e, i) => e && <ProblemNote key={i} error={e} />)}
			<ul className="divide-y divide-line rounded-lg border border-line bg-panel empty:hidden">
				{rows.map(t => (
					<li key={t.id} className="flex flex-wrap items-center gap-2 px-3 py-2">
						<span className="min-w-0 grow">
							<span className="font-medium break-all">{t.name || t.id}</span>
							<span className="block text-sm text-quiet">
								{t.role}
								{t.expires_at && `, until ${day(t.expires_at)}`}
								{t.used_at ? `, last used ${day(t.used_at)}` : ', never used'}
							</span>
						</span>
						<Sure label="Revoke" name={t.name || t.id} busy={revoke.isPending} onDo={() => revoke.mutate(t.id)} />
					</li>
				))}
			</ul>
			{list.isSuccess && rows.length === 0 && <p className="text-quiet">You have no token.</p>}
			<More list={list} />
		</section>
	)
}
