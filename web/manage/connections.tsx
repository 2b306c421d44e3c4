// What a project is connected to: its database, and its source of documents. Administrators set and try them.
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Check, CircleX } from 'lucide-react'
import { useState } from 'react'
import { ProblemNote } from '../shared/problem'
import { Button } from '../shared/ui'
import { type Connection, type ConnectionKind, type ConnectionTest, manage } from './api'
import { Sure } from './parts'

const KINDS: { kind: ConnectionKind; name: string; use: string; example: string }[] = [
	{ kind: 'database', name: 'Database', use: 'Conversations and SQL use it, and read only.', example: 'postgresql://reader@db.example.com:5432/shop' },
	{ kind: 'documents', name: 'Documents', use: 'Audits read its collections.', example: 'mongodb://reader@db.example.com:27017/shop' },
]
const wide = 'min-h-9 w-full min-w-0 rounded-md border border-line bg-panel px-2 font-mono text-sm focus:border-accent focus:outline-none'

function Tested({ of }: { of: ConnectionTest }) {
	const n = of.schemas.reduce((sum, s) => sum + s.tables.length, 0)
	if (!of.works)
		return (
			<div role="alert" className="flex gap-2 rounded-md bg-bad-soft px-3 py-2">
				<CircleX aria-hidden className="mt-1 size-4 shrink-0 text-bad" />
				<p className="min-w-0 break-words">
					It does not answer: {of.problem}. {of.hint && `${of.hint[0]!.toUpperCase()}${of.hint.slice(1)}.`}
				</p>
			</div>
		)
	return (
		<div role="status" className="rounded-md bg-sunk px-3 py-2">
			<p className="flex items-center gap-2">
				<Check aria-hidden className="size-4 text-good" />
				{n ? `It works, and shows ${n} ${n === 1 ? 'table' : 'tables'}.` : 'It works, and shows no table.'}
			</p>
			{of.schemas.map(s => (
				<details key={s.name}>
					<summary className="text-sm">
						<span className="font-mono">{s.name}</span>: {s.tables.length}
					</summary>
					<p className="font-mono text-sm break-words text-quiet">{s.tables.join(', ')}</p>
				</details>
			))}
		</div>
	)
}

function One({ project, of, now, canChange }: { project: string; of: (typeof KINDS)[number]; now: Connection | undefined; canChange: boolean }) {
	const store = useQueryClient()
	const [address, setAddress] = useState(now?.address ?? '')
	const [password, setPassword] = useState('')
	const body = { address: address.trim(), ...(password ? { password } : {}) }
	const done = () => {
		setPassword('')
		void store.invalidateQueries({ queryKey: ['connections', project] })
		void store.invalidateQueries({ queryKey: ['projects'] })
	}
	const save = useMutation({ mutationFn: () => manage.putConnection(project, of.kind, body), onSuccess: done })
	const test = useMutation({ mutationFn: () => manage.testConnection(project, of.kind, body) })
	const remove = useMutation({ mutationFn: () => manage.removeConnection(project, of.kind), onSuccess: () => (setAddress(''), done()) })
	const busy = save.isPending || test.isPending || remove.isPending
	return (
		<form
			aria-label={of.name}
			className="space-y-2 rounded-lg border border-line bg-panel p-4"
			onSubmit={e => {
				e.preventDefault()
				save.mutate()
			}}
		>
			<h3 className="font-medium">{of.name}</h3>
			<p className="text-sm text-quiet">{of.use}</p>
			{!canChange && <p className="font-mono text-sm break-all">{now ? now.address || 'a file or folder of the server' : 'not connected'}</p>}
			{canChange && (
				<>
					<label className="block text-sm">
						Address
						<input required value={address} placeholder={of.example} onChange={e => setAddress(e.target.value)} className={wide} />
					</label>
					<label className="block text-sm">
						Password
						<input
							type="password"
							autoComplete="new-password"
							value={password}
							placeholder={now?.has_password && address === now.address ? 'kept encrypted; type another one to replace it' : ''}
							onChange={e => setPassword(e.target.value)}
							className={wide}
						/>
					</label>
					<div className="flex flex-wrap gap-2">
						<Button type="submit" disabled={busy || !address.trim()}>
							Save
						</Button>
						<Button disabled={busy || !address.trim()} onClick={() => test.mutate()}>
							{test.isPending ? 'Trying …' : 'Try it'}
						</Button>
						{now && <Sure label="Disconnect" name={of.name} busy={busy} onDo={() => remove.mutate()} />}
					</div>
				</>
			)}
			{save.isSuccess && !test.data && (
				<p role="status" className="text-good">
					Saved.
				</p>
			)}
			{test.data && <Tested of={test.data} />}
			{[save.error, test.error, remove.error].map((e, i) => e && <ProblemNote key={i} error={e} />)}
		</form>
	)
}

export function Connections({ project }: { project: string }) {
	const list = useQuery({ queryKey: ['connections', project], queryFn: () => manage.connections(project) })
	if (list.error) return <ProblemNote error={list.error} />
	if (!list.data) return <p className="text-quiet">Loading …</p>
	const { connections, can_change, hosts, folders } = list.data
	return (
		<section aria-label="Connections" className="space-y-4">
			<p className="text-sm text-quiet">
				{can_change
					? `A password is kept encrypted and never shown again. The server allows ${hosts.length ? `the hosts ${hosts.join(', ')}` : 'no host (connection_hosts)'} and ${
							folders.length ? `SQLite files below ${folders.join(', ')}` : 'no SQLite file (connection_folders)'
						}.`
					: 'You cannot change the connections of this project here: the settings of the server define it, or you are not an administrator of it.'}
			</p>
			{KINDS.map(k => (
				<One key={k.kind} project={project} of={k} now={connections.find(c => c.kind === k.kind)} canChange={can_change} />
			))}
		</section>
	)
}
