// The screen of / and of /chat/ID: conversations on the left, one of them beside.
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate, useParams } from '@tanstack/react-router'
import { ChartNoAxesCombined, Menu, Share2, WifiOff, X } from 'lucide-react'
import { Suspense, lazy, useEffect, useRef, useState, useSyncExternalStore } from 'react'
import { placeOf, useOpen, usePlace } from '../artifacts/place'
import { type Start, api, newId } from '../shared/api'
import { ProblemNote } from '../shared/problem'
import { Header, useCommands } from '../shared/shell'
import { Button, IconButton } from '../shared/ui'
import { type Asker, Conversation, type Outside } from './conversation'
import { Palette } from './palette'
import { ThreadList } from './thread_list'
import type { Message } from './types'

const NARROW_PX = 1024 // below this the panel lies over the conversation
const ShareDialog = lazy(() => import('../shares/dialog').then(m => ({ default: m.ShareDialog })))
const ArtifactPanel = lazy(() => import('../artifacts/panel'))

// The dialog for the conversation of that id, when the server has told what it is.
function ShareThread({ id, onClose }: { id: string; onClose: () => void }) {
	const thread = useQuery({ queryKey: ['thread', id], queryFn: () => api.thread(id) })
	if (!thread.data) return null
	return <ShareDialog thing={{ kind: 'thread', id, project: thread.data.project, title: thread.data.title }} onClose={onClose} />
}

function useOnline() {
	return useSyncExternalStore(
		tell => {
			addEventListener('online', tell)
			addEventListener('offline', tell)
			return () => {
				removeEventListener('online', tell)
				removeEventListener('offline', tell)
			}
		},
		() => navigator.onLine,
	)
}

// A conversation that the server has; its answer under way is read from the stream.
function Known({ id, ...rest }: { id: string; start?: Start; onAsked: () => void; asker: Asker; outside: Outside }) {
	const history = useQuery({ queryKey: ['messages', id], queryFn: () => api.messages(id), gcTime: 0, staleTime: Infinity })
	useEffect(() => {
		if (history.data) document.title = `${history.data.thread.title} · Argus`
	}, [history.data])
	if (history.error) {
		return (
			<div className="mx-auto w-full max-w-3xl p-4">
				<ProblemNote error={history.error}>
					<Button onClick={() => history.refetch()}>Try again</Button>
				</ProblemNote>
			</div>
		)
	}
	if (!history.data) return <p className="grow p-6 text-quiet">Loading the conversation …</p>
	return (
		<Conversation
			id={id}
			before={history.data.messages as Message[]}
			older={history.data.next}
			isNew={false}
			project={history.data.thread.project}
			{...rest}
		/>
	)
}

export function ChatScreen() {
	const named = useParams({ strict: false }).id
	const navigate = useNavigate()
	const store = useQueryClient()
	const isOnline = useOnline()
	const [draft, setDraft] = useState(newId) // the id of a conversation that this page began
	const [isListOpen, setListOpen] = useState(false)
	const start = useQuery({ queryKey: ['start'], queryFn: api.start, staleTime: Infinity })
	const id = named ?? draft
	const [shared, setShared] = useState('') // the conversation whose dialog is open
	const place = usePlace()
	const openArtifacts = useOpen()
	const asker: Asker = useRef(null) // the conversation's way to ask, for the panel beside it
	const listArtifacts = () => openArtifacts(place.artifacts ? undefined : start.data?.projects[0]?.id)
	const [wanted, setWanted] = useState(place.project) // the project of the next conversation
	const [search, setSearch] = useState('')
	const searchField = useRef<HTMLInputElement>(null)
	const begin = (project?: string) => {
		setWanted(project)
		setDraft(newId())
		document.title = 'Argus'
	}
	const { commands, signOut } = useCommands(() => begin())
	useEffect(() => {
		setListOpen(false)
		setShared('')
	}, [named])
	useEffect(() => {
		if (!isListOpen) return
		const close = (e: KeyboardEvent) => e.key === 'Escape' && setListOpen(false)
		addEventListener('keydown', close)
		return () => removeEventListener('keydown', close)
	}, [isListOpen])
	const onAsked = () => {
		if (!named) void navigate({ to: '/chat/$id', params: { id }, search: s => ({ ...placeOf(s), project: undefined }), replace: true })
	}
	const outside: Outside = {
		onNew: project => void navigate({ to: '/' }).then(() => begin(project)),
		onFind: words => {
			setSearch(words)
			setListOpen(true) // of a narrow page
			requestAnimationFrame(() => searchField.current?.focus())
		},
		onArtifacts: listArtifacts,
	}
	const list = <ThreadList open={named ?? ''} onNew={() => begin()} onShare={setShared} search={search} onSearch={setSearch} field={searchField} />
	return (
		<div className="flex h-full flex-col">
			<Palette
				commands={[
					{ name: 'New conversation', run: () => void navigate({ to: '/' }).then(() => begin()) },
					{ name: 'Artifacts', run: listArtifacts },
					...(named ? [{ name: 'Share this conversation', run: () => setShared(named) }] : []),
					...commands,
				]}
			/>
			<Header
				onSignOut={signOut}
				lead={
					<IconButton
						label={isListOpen ? 'Close the list of conversations' : 'Open the list of conversations'}
						className="md:hidden"
						aria-expanded={isListOpen}
						onClick={() => setListOpen(!isListOpen)}
					>
						{isListOpen ? <X aria-hidden className="size-5" /> : <Menu aria-hidden className="size-5" />}
					</IconButton>
				}
				more={
					start.data && start.data.projects.length > 0 ? (
						<>
							{named && (
								<IconButton label="Share the conversation" className="max-sm:hidden" onClick={() => setShared(named)}>
									<Share2 aria-hidden className="size-5" />
								</IconButton>
							)}
							<IconButton label="Artifacts" aria-expanded={place.artifacts !== undefined} onClick={listArtifacts}>
								<ChartNoAxesCombined aria-hidden className="size-5" />
							</IconButton>
						</>
					) : null
				}
			/>
			{shared && (
				<Suspense fallback={null}>
					<ShareThread key={shared} id={shared} onClose={() => setShared('')} />
				</Suspense>
			)}
			{!isOnline && (
				<p role="status" className="flex items-center gap-2 bg-warn-soft px-4 py-2 text-warn">
					<WifiOff aria-hidden className="size-4" /> This device is offline. What you typed is kept.
				</p>
			)}
			<div className="relative flex min-h-0 grow">
				<aside className="hidden w-72 shrink-0 border-r border-line bg-page md:flex">{list}</aside>
				{isListOpen && (
					<aside className="absolute inset-y-0 left-0 z-20 flex w-full bg-page shadow-lg sm:w-80 md:hidden">{list}</aside>
				)}
				<main className="flex min-w-0 grow flex-col">
					{start.error && !start.data && (
						<div className="mx-auto w-full max-w-3xl p-4">
							<ProblemNote error={start.error}>
								<Button onClick={() => store.invalidateQueries()}>Try again</Button>
							</ProblemNote>
						</div>
					)}
					{id === draft ? (
						<Conversation key={id} id={id} before={[]} older={null} isNew project={wanted} start={start.data} onAsked={onAsked} asker={asker} outside={outside} />
					) : (
						<Known key={id} id={id} start={start.data} onAsked={onAsked} asker={asker} outside={outside} />
					)}
				</main>
				{place.artifacts && (
					<Suspense fallback={null}>
						<ArtifactPanel
							project={place.artifacts}
							id={place.artifact}
							start={start.data}
							onAsk={question => {
								if (innerWidth < NARROW_PX) openArtifacts()
								asker.current?.(question)
							}}
						/>
					</Suspense>
				)}
			</div>
		</div>
	)
}
