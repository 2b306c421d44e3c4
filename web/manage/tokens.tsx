// Tokens: for programs, and to connect MCP clients; with what those need.
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { CopyText } from '../shared/copy_text'
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
					good for
					<input type="number" min={1} max={3650} required aria-label="Days that the token is good for" value={days} onChange={e => setDays(e.target.value)} className={`${field} w-20`} />
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
			<More list={list} />
		</section>
	)
}

function Snippet({ title, text }: { title: string; text: string }) {
	return (
		<section aria-label={title} className="overflow-hidden rounded-lg border border-line">
			<h3 className="bg-panel px-3 py-2 font-medium">{title}</h3>
			<pre className="overflow-x-auto border-y border-line bg-sunk px-3 py-2 font-mono text-[0.85rem]" tabIndex={0} aria-label={`For ${title}`}>
				{text}
			</pre>
			<div className="bg-panel px-2 py-1.5">
				<CopyText text={text} label={`Copy for ${title}`} />
			</div>
		</section>
	)
}

export function Connect() {
	const url = `${location.origin}/mcp`
	const config = (more: object) => JSON.stringify(more, null, 2)
	const headers = { Authorization: 'Bearer YOUR-TOKEN' }
	return (
		<section aria-label="Connect" className="space-y-4">
			<p>
				Programs that speak the Model Context Protocol use the databases, documents and knowledge of your projects at <code className="font-mono break-all">{url}</code>, with a token of the part
				“Tokens”. Each call is checked and recorded as yours.
			</p>
			<Snippet title="Clients that read mcp.json" text={config({ mcpServers: { argus: { type: 'http', url, headers } } })} />
			<Snippet title="Claude Code" text={`claude mcp add --transport http argus ${url} --header "Authorization: Bearer YOUR-TOKEN"`} />
			<Snippet title="Visual Studio Code" text={config({ servers: { argus: { type: 'http', url, headers } } })} />
			<Snippet title="curl" text={`curl ${location.origin}/api/projects -H "Authorization: Bearer YOUR-TOKEN"`} />
		</section>
	)
}
