// Sharing: who may open it and until when, the new link (shown once), and the links that there are.
import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query'
import { Link2, X } from 'lucide-react'
import { type FormEvent, useRef, useState } from 'react'
import { CopyText } from '../shared/copy_text'
import { Dialog } from '../shared/dialog'
import { ProblemNote } from '../shared/problem'
import { Button, IconButton } from '../shared/ui'
import { type Share, shares } from './api'
import { NAMES, ShareRow } from './row'

const HOUR_MS = 3_600_000
const ENDS = [
	['1', 'in a day'],
	['7', 'in a week'],
	['30', 'in 30 days'],
	['365', 'in a year'],
	['', 'never'],
] as const
const AUDIENCES = [
	['public', 'Everybody who has the link', 'Nobody needs to sign in.'],
	['project', 'Members of the project', 'They sign in first.'],
	['users', 'People that I name', 'They sign in first, also when they are not members of the project.'],
] as const
const COPIES: Record<Share['kind'], string> = {
	thread: 'The link shows a copy of this conversation as it is now, with its SQL, results and charts. Later answers are not in it.',
	artifact: 'The link shows a copy with the data as it is now, and the queries that read it.',
	recipe_run: 'The link shows a copy of this run: its values, its questions and answers, with SQL, results and charts.',
}
const field = 'min-h-9 rounded-md border border-line bg-panel px-2'

function Made({ share, onOther }: { share: Share; onOther: () => void }) {
	const address = location.origin + share.path!
	return (
		<section aria-label="The new link" className="space-y-2 rounded-lg bg-accent-soft px-3 py-3">
			<p className="font-medium">The link is ready. Copy it now: it is not shown again.</p>
			<input
				readOnly
				autoFocus
				aria-label="Address of the new link"
				value={address}
				onFocus={e => e.currentTarget.select()}
				className={`${field} w-full font-mono text-[13px]`}
			/>
			<div className="flex flex-wrap gap-2">
				<CopyText text={address} label="Copy the link" />
				<Button onClick={onOther}>Make another</Button>
			</div>
		</section>
	)
}

export interface Thing {
	kind: Share['kind']
	id: string
	project: string
	title: string
	version?: number // of an artifact: the one that is shown
}

function NewLink({ thing, onMade }: { thing: Thing; onMade: (s: Share) => void }) {
	const [audience, setAudience] = useState<Share['audience']>('project')
	const [names, setNames] = useState('')
	const [days, setDays] = useState('30')
	const [isNewest, setNewest] = useState(true)
	const [isBusy, setBusy] = useState(false)
	const [refused, setRefused] = useState<unknown>(null)
	const users = names.split(/[,\s]+/).filter(Boolean)
	const submit = async (e: FormEvent) => {
		e.preventDefault()
		setBusy(true)
		setRefused(null)
		try {
			onMade(
				await shares.make(thing.project, {
					kind: thing.kind,
					thing: thing.id,
					audience,
					...(thing.kind === 'artifact' && { version: isNewest ? 0 : thing.version }),
					...(audience === 'users' && { users }),
					...(days && { expires_at: new Date(Date.now() + Number(days) * 24 * HOUR_MS).toISOString() }),
				}),
			)
		} catch (error) {
			setRefused(error)
		}
		setBusy(false)
	}
	return (
		<form onSubmit={submit} className="space-y-4">
			<fieldset className="space-y-1">
				<legend className="mb-1 font-medium">Who may open it</legend>
				{AUDIENCES.map(([value, name, help]) => (
					<label key={value} className="flex gap-2.5 rounded-md px-1 py-1 hover:bg-sunk">
						<input
							type="radio"
							name="audience"
							checked={audience === value}
							onChange={() => setAudience(value)}
							aria-describedby={`audience-${value}`}
							aria-label={name}
							className="mt-1 size-4 shrink-0 accent-(--accent)"
						/>
						<span>
							<span className="block">{name}</span>
							<span id={`audience-${value}`} className="block text-sm text-quiet">
								{help}
							</span>
						</span>
					</label>
				))}
			</fieldset>
			{audience === 'users' && (
				<label className="block">
					Names of users, with commas between them
					<input required autoFocus value={names} onChange={e => setNames(e.target.value)} autoCapitalize="none" className={`${field} mt-1 block w-full`} />
				</label>
			)}
			<div className="flex flex-wrap gap-x-6 gap-y-3">
				<label className="flex items-center gap-2">
					Expires
					<select value={days} onChange={e => setDays(e.target.value)} className={field}>
						{ENDS.map(([value, name]) => (
							<option key={value} value={value}>
								{name}
							</option>
						))}
					</select>
				</label>
				{thing.kind === 'artifact' && (
					<label className="flex items-center gap-2">
						It shows
						<select value={isNewest ? '0' : '1'} onChange={e => setNewest(e.target.value === '0')} className={field}>
							<option value="0">always the newest version</option>
							<option value="1">version {thing.version}</option>
						</select>
					</label>
				)}
			</div>
			<p className="text-sm text-quiet">
				{COPIES[thing.kind]}
			</p>
			{refused !== null && <ProblemNote error={refused} />}
			<button type="submit" disabled={isBusy} className="min-h-10 w-full rounded-md bg-accent font-medium text-on-accent disabled:opacity-60">
				{isBusy ? 'Copying …' : 'Make a link'}
			</button>
		</form>
	)
}

export function ShareDialog({ thing, onClose }: { thing: Thing; onClose: () => void }) {
	const store = useQueryClient()
	const dialog = useRef<HTMLDialogElement>(null)
	const [made, setMade] = useState<Share | null>(null)
	const [refused, setRefused] = useState<unknown>(null)
	const key = ['shares', thing.project, thing.kind, thing.id]
	const list = useInfiniteQuery({
		queryKey: key,
		queryFn: ({ pageParam }) => shares.list(thing.project, thing.kind, thing.id, pageParam),
		staleTime: 0, // openings are counted meanwhile
		initialPageParam: '',
		getNextPageParam: page => page.next ?? undefined,
	})
	const refresh = () => store.invalidateQueries({ queryKey: key })
	const revoke = (s: Share) => {
		setRefused(null)
		shares.revoke(thing.project, s.id).then(() => {
			if (made?.id === s.id) setMade(null)
			return refresh()
		}, setRefused)
	}
	const rows = list.data?.pages.flatMap(p => p.shares) ?? []
	const name = `Share the ${NAMES[thing.kind]}`
	return (
		<Dialog handle={dialog} label={name} onClose={onClose} className="m-auto max-h-[92dvh] w-[min(34rem,calc(100vw-1.5rem))] overflow-hidden p-0">
			<div className="flex max-h-[92dvh] flex-col">
				<div className="flex items-center gap-2 border-b border-line py-2 pr-2 pl-5">
					<Link2 aria-hidden className="size-5 shrink-0 text-accent" />
					<h2 className="min-w-0 grow truncate font-semibold">{name}</h2>
					<IconButton label="Close" onClick={() => dialog.current?.close()}>
						<X aria-hidden className="size-5" />
					</IconButton>
				</div>
				<div className="min-h-0 space-y-5 overflow-y-auto px-5 py-4">
					<p className="truncate text-quiet" title={thing.title}>
						{thing.title}
					</p>
					{made ? (
						<Made share={made} onOther={() => setMade(null)} />
					) : (
						<NewLink
							thing={thing}
							onMade={s => {
								setMade(s)
								void refresh()
							}}
						/>
					)}
					<section className="space-y-2 border-t border-line pt-4" aria-label="Existing links">
						<h3 className="font-medium">Existing links</h3>
						{list.error && <ProblemNote error={list.error} />}
						{refused !== null && <ProblemNote error={refused} />}
						{list.data && rows.length === 0 && <p className="text-sm text-quiet">None yet. Each link has a line here, with how often it was opened.</p>}
						<ul className="space-y-2">
							{rows.map(s => (
								<ShareRow key={s.id} share={s} onRevoke={() => revoke(s)} />
							))}
						</ul>
						{list.hasNextPage && <Button onClick={() => void list.fetchNextPage()}>Older links</Button>}
					</section>
				</div>
			</div>
		</Dialog>
	)
}
