// One artifact: how it looks, its code, its data, its versions, and what can be done with it.
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Pencil, RefreshCw, Share2, Trash2 } from 'lucide-react'
import { Suspense, lazy, useMemo, useRef, useState } from 'react'
import { type Artifact, api } from '../shared/api'
import { ProblemNote } from '../shared/problem'
import { Tabs } from '../shared/tabs'
import { useTheme } from '../shared/theme'
import { Button, IconButton } from '../shared/ui'
import { CodeTab } from './code_tab'
import { DataTab } from './data_tab'
import { ExportMenu } from './export'
import { ArtifactFrame, type Failure, type FrameHandle } from './frame'
import { VersionsTab } from './versions_tab'

const ShareDialog = lazy(() => import('../shares/dialog').then(m => ({ default: m.ShareDialog })))
const TABS = ['View', 'Code', 'Data', 'Versions'] as const
type Tab = (typeof TABS)[number]

function Title({ artifact, onRename }: { artifact: Artifact; onRename: (title: string) => void }) {
	const [text, setText] = useState<string | null>(null)
	if (text === null) {
		return (
			<>
				<h2 className="min-w-0 grow truncate font-semibold" title={artifact.title}>
					{artifact.title}
				</h2>
				<IconButton label="Rename the artifact" onClick={() => setText(artifact.title)}>
					<Pencil aria-hidden className="size-4" />
				</IconButton>
			</>
		)
	}
	const done = () => {
		setText(null)
		if (text.trim() && text.trim() !== artifact.title) onRename(text.trim())
	}
	return (
		<input
			autoFocus
			aria-label="New title of the artifact"
			value={text}
			maxLength={500}
			onChange={e => setText(e.target.value)}
			onBlur={done}
			onKeyDown={e => {
				if (e.key === 'Enter') done()
				if (e.key !== 'Escape') return
				e.stopPropagation()
				setText(null)
			}}
			className="min-h-9 min-w-0 grow rounded-md border border-accent bg-panel px-2"
		/>
	)
}

function Broken({ failure, onMend }: { failure: Failure; onMend: () => void }) {
	return (
		<div role="alert" className="m-3 space-y-2 rounded-lg border border-bad/40 bg-bad-soft px-4 py-3">
			<p className="font-medium">This artifact cannot be drawn.</p>
			<p className="font-mono text-[13px] break-words whitespace-pre-wrap">{failure.message}</p>
			{failure.stack && (
				<details className="text-sm">
					<summary>Where it happened</summary>
					<pre tabIndex={0} aria-label="Where it happened" className="max-h-48 overflow-auto font-mono text-[13px]">
						{failure.stack}
					</pre>
				</details>
			)}
			<Button onClick={onMend}>Ask the analyst to mend it</Button>
		</div>
	)
}

interface Props {
	project: string
	id: string
	onAsk: (question: string) => void
	onDeleted: () => void
}

export function ArtifactView({ project, id, onAsk, onDeleted }: Props) {
	const store = useQueryClient()
	const theme = useTheme()
	const [tab, setTab] = useState<Tab>('View')
	const [version, setVersion] = useState(0) // 0 = the newest
	const [failure, setFailure] = useState<Failure | null>(null)
	const [refused, setRefused] = useState<unknown>(null)
	const [fate, setFate] = useState<'' | 'asked' | 'deleted'>('')
	const [isSharing, setSharing] = useState(false)
	const frame = useRef<FrameHandle>(null)
	const key = ['artifact', project, id, version]
	const one = useQuery({ queryKey: key, queryFn: () => api.artifact(project, id, version), enabled: fate !== 'deleted' })
	const artifact = one.data
	const isDocument = artifact !== undefined && artifact.type !== 'react' && artifact.type !== 'plotly'
	// Of the version that is there, so that a new one is never drawn with the data of the last.
	const drawn = [...key, artifact?.version]
	const isHere = artifact !== undefined && fate !== 'deleted'
	const live = useQuery({
		queryKey: [...drawn, 'data'],
		queryFn: () => api.artifactData(project, id, artifact!.version),
		enabled: isHere,
		staleTime: 60_000,
		refetchOnWindowFocus: false,
	})
	const page = useQuery({
		queryKey: [...drawn, 'page'],
		queryFn: () => api.artifactPage(project, id, artifact!.version),
		enabled: isHere && isDocument,
		staleTime: 60_000,
		refetchOnWindowFocus: false,
	})
	const code = isDocument ? page.data : artifact?.code
	const data = live.data?.data
	const show = useMemo(() => (code !== undefined && data ? { code, data, theme } : null), [code, data, theme])
	const refresh = () => {
		setRefused(null)
		void store.invalidateQueries({ queryKey: ['artifact', project, id] })
	}
	const attempt = async (what: () => Promise<unknown>) => {
		try {
			setRefused(null)
			await what()
			void store.invalidateQueries({ queryKey: ['artifacts'] })
		} catch (e) {
			setRefused(e)
		}
	}
	const remove = () =>
		attempt(async () => {
			await api.removeArtifact(project, id)
			setFate('deleted')
		})
	const bringBack = () =>
		attempt(async () => {
			await api.undeleteArtifact(project, id)
			setFate('')
			refresh()
		})
	const rename = (title: string) => attempt(() => api.renameArtifact(project, id, title).then(refresh))
	const mend = () =>
		onAsk(
			`The artifact “${artifact!.title}” (${id}) cannot be drawn: ${failure!.message.slice(0, 1000)}\nPlease correct it with update_artifact.`,
		)

	if (fate === 'deleted') {
		return (
			<div role="status" className="m-4 space-y-3 rounded-lg bg-warn-soft px-4 py-3">
				<p>“{artifact?.title}” was deleted. It can be brought back for 30 days.</p>
				<div className="flex gap-2">
					<Button onClick={() => void bringBack()}>Bring back</Button>
					<Button onClick={onDeleted}>All artifacts</Button>
				</div>
				{refused !== null && <ProblemNote error={refused} />}
			</div>
		)
	}
	if (one.error || !artifact) {
		return <div className="p-4">{one.error ? <ProblemNote error={one.error} /> : <p className="text-quiet">Loading the artifact …</p>}</div>
	}
	const problem = refused ?? live.error ?? page.error
	const errors = live.data?.results.filter(r => r.error) ?? []
	return (
		<>
			<div className="flex items-center gap-1 px-3 pt-2">
				<Title artifact={artifact} onRename={t => void rename(t)} />
				<IconButton label="Read the data again" onClick={refresh} disabled={live.isFetching}>
					<RefreshCw aria-hidden className={`size-4 ${live.isFetching ? 'animate-spin' : ''}`} />
				</IconButton>
				<ExportMenu project={project} artifact={artifact} data={live.data} page={page.data} frame={frame} onRefused={setRefused} />
				<IconButton label="Share the artifact" onClick={() => setSharing(true)}>
					<Share2 aria-hidden className="size-4" />
				</IconButton>
				<IconButton label="Delete the artifact" onClick={() => setFate('asked')}>
					<Trash2 aria-hidden className="size-4" />
				</IconButton>
			</div>
			{isSharing && (
				<Suspense fallback={null}>
					<ShareDialog
						thing={{ kind: 'artifact', id, project, title: artifact.title, version: artifact.version }}
						onClose={() => setSharing(false)}
					/>
				</Suspense>
			)}
			{fate === 'asked' && (
				<div role="alertdialog" aria-label="Delete this artifact?" className="m-3 flex flex-wrap items-center gap-2 rounded-md bg-bad-soft px-3 py-2 text-sm">
					<p className="grow">Delete this artifact with all its versions?</p>
					<Button autoFocus onClick={() => void remove()}>
						Delete
					</Button>
					<Button onClick={() => setFate('')}>Keep</Button>
				</div>
			)}
			<Tabs label="Parts of the artifact" tabs={TABS} chosen={tab} onChoose={setTab} />
			{version !== 0 && version !== artifact.versions && (
				<p role="status" className="flex flex-wrap items-center gap-2 bg-warn-soft px-4 py-1.5 text-sm">
					<span className="grow">This is version {version}, an older one.</span>
					<Button onClick={() => setVersion(0)}>Show the newest</Button>
				</p>
			)}
			{problem && (
				<div className="p-3">
					<ProblemNote error={problem} />
				</div>
			)}
			<div id="tab-panel" role="tabpanel" aria-labelledby={`tab-${tab}`} className="relative min-h-0 grow">
				{/* The frame stays while another tab is shown: a picture of it can still be taken. */}
				<div className={`absolute inset-0 flex flex-col ${tab === 'View' ? '' : 'invisible'}`}>
					{failure && <Broken failure={failure} onMend={mend} />}
					{errors.map(e => (
						<p key={e.name} className="bg-warn-soft px-4 py-2 text-sm">
							The data “{e.name}” could not be read: {e.error}
						</p>
					))}
					<div className={`min-h-0 grow ${failure ? 'hidden' : ''}`}>
						{show ? (
							<ArtifactFrame
								key={`${artifact.type} ${artifact.version}`}
								kind={artifact.type}
								title={artifact.title}
								show={show}
								onFailure={setFailure}
								handle={frame}
							/>
						) : (
							!problem && <p className="p-4 text-quiet">Reading its data …</p>
						)}
					</div>
				</div>
				{tab !== 'View' && (
					<div className="absolute inset-0 overflow-y-auto bg-page" tabIndex={0}>
						{tab === 'Code' && <CodeTab artifact={artifact} />}
						{tab === 'Data' && live.data && <DataTab artifact={artifact} data={live.data} />}
						{tab === 'Versions' && (
							<VersionsTab
								project={project}
								id={id}
								shown={artifact.version}
								onShow={v => {
									setFailure(null)
									setVersion(v)
									setTab('View')
								}}
							/>
						)}
					</div>
				)}
			</div>
		</>
	)
}
