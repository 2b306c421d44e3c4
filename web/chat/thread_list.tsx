// The caller's conversations, last changed first: search, rename, delete.
import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { Pencil, Plus, Search, Share2, Trash2 } from 'lucide-react'
import { type RefObject, useDeferredValue, useState } from 'react'
import { type Thread, api } from '../shared/api'
import { ProblemNote } from '../shared/problem'
import { Button, IconButton } from '../shared/ui'

const days = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' })
const hours = new Intl.DateTimeFormat(undefined, { timeStyle: 'short' })
const when = (at: string) => {
	const d = new Date(at)
	return d.toDateString() === new Date().toDateString() ? hours.format(d) : days.format(d)
}

function Row({ thread, isOpen, onGone, onShare }: { thread: Thread; isOpen: boolean; onGone: () => void; onShare: () => void }) {
	const store = useQueryClient()
	const [mode, setMode] = useState<'' | 'rename' | 'delete'>('')
	const [title, setTitle] = useState(thread.title)
	const refresh = () => store.invalidateQueries({ queryKey: ['threads'] })
	if (mode === 'rename') {
		const done = async () => {
			setMode('')
			if (title.trim() && title !== thread.title) await api.rename(thread.id, title.trim()).then(refresh, () => {})
		}
		return (
			<li className="px-1 py-1">
				<input
					autoFocus
					aria-label="New name of the conversation"
					value={title}
					maxLength={200}
					onChange={e => setTitle(e.target.value)}
					onBlur={done}
					onKeyDown={e => {
						if (e.key === 'Enter') void done()
						if (e.key === 'Escape') setMode('')
					}}
					className="w-full rounded-md border border-accent bg-panel px-2 py-1.5"
				/>
			</li>
		)
	}
	if (mode === 'delete') {
		return (
			<li className="mx-1 my-1 space-y-2 rounded-md bg-bad-soft px-2 py-2 text-sm" role="alertdialog" aria-label="Delete this conversation?">
				<p className="break-words">Delete “{thread.title}”?</p>
				<div className="flex gap-2">
					<Button autoFocus onClick={() => setMode('')}>
						Keep
					</Button>
					<Button
						className="text-bad"
						onClick={() => {
							void api.remove(thread.id).then(() => {
								void refresh()
								if (isOpen) onGone()
							})
						}}
					>
						Delete
					</Button>
				</div>
			</li>
		)
	}
	return (
		<li className={`group relative rounded-md ${isOpen ? 'bg-accent-soft' : 'hover:bg-sunk'}`}>
			<Link
				to="/chat/$id"
				params={{ id: thread.id }}
				aria-current={isOpen ? 'page' : undefined}
				className="block rounded-md py-1.5 pr-2 pl-3 pointer-coarse:pr-31"
			>
				<span className="flex items-center gap-2">
					{thread.unread && !isOpen && (
						<span className="size-2 shrink-0 rounded-full bg-accent">
							<span className="sr-only">Unread: </span>
						</span>
					)}
					<span className={`min-w-0 truncate ${thread.unread && !isOpen ? 'font-semibold' : ''}`}>{thread.title}</span>
				</span>
				<span className="text-xs text-quiet">{thread.running ? 'answering …' : when(thread.updated_at)}</span>
			</Link>
			<span className="absolute top-1.5 right-1 hidden rounded-md bg-panel shadow-sm group-focus-within:flex group-hover:flex pointer-coarse:flex">
				<IconButton label={`Share “${thread.title}”`} onClick={onShare}>
					<Share2 aria-hidden className="size-4" />
				</IconButton>
				<IconButton label={`Rename “${thread.title}”`} onClick={() => setMode('rename')}>
					<Pencil aria-hidden className="size-4" />
				</IconButton>
				<IconButton label={`Delete “${thread.title}”`} onClick={() => setMode('delete')}>
					<Trash2 aria-hidden className="size-4" />
				</IconButton>
			</span>
		</li>
	)
}

interface ListProps {
	open: string
	onNew: () => void
	onShare: (id: string) => void
	search: string
	onSearch: (words: string) => void
	field: RefObject<HTMLInputElement | null>
}

export function ThreadList({ open, onNew, onShare, search, onSearch, field }: ListProps) {
	const navigate = useNavigate()
	const q = useDeferredValue(search.trim())
	const list = useInfiniteQuery({
		queryKey: ['threads', q],
		queryFn: ({ pageParam }) => api.threads(q, pageParam),
		initialPageParam: '',
		getNextPageParam: page => page.next ?? undefined,
		placeholderData: before => before,
		refetchInterval: page => (page.state.data?.pages.some(p => p.threads.some(t => t.running)) ? 3000 : false),
	})
	// First the address: the new conversation is the one of "/".
	const begin = () => void navigate({ to: '/' }).then(onNew)
	const threads = list.data?.pages.flatMap(p => p.threads) ?? []
	return (
		<nav aria-label="Conversations" className="flex min-h-0 min-w-0 grow flex-col gap-2 p-3">
			<Button
				onClick={begin}
			>
				<Plus aria-hidden className="size-4" /> New conversation
			</Button>
			<label className="flex items-center gap-2 rounded-md border border-line bg-panel px-2 focus-within:border-accent">
				<Search aria-hidden className="size-4 text-quiet" />
				<input
					ref={field}
					type="search"
					aria-label="Search conversations"
					placeholder="Search"
					value={search}
					onChange={e => onSearch(e.target.value)}
					className="min-h-9 w-full min-w-0 bg-transparent placeholder:text-quiet focus:outline-none"
				/>
			</label>
			{list.error && <ProblemNote error={list.error} />}
			{list.isSuccess && threads.length === 0 && (
				<p className="px-1 text-sm text-quiet">{q ? 'No conversation has these words.' : 'Your conversations are listed here after your first question.'}</p>
			)}
			<ul className="min-h-0 grow space-y-0.5 overflow-y-auto">
				{threads.map(t => (
					<Row
						key={t.id}
						thread={t}
						isOpen={t.id === open}
						onGone={begin}
						onShare={() => onShare(t.id)}
					/>
				))}
				{list.hasNextPage && (
					<li>
						<Button className="w-full justify-center" onClick={() => list.fetchNextPage()}>
							Older ones
						</Button>
					</li>
				)}
			</ul>
		</nav>
	)
}
