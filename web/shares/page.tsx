// What a share link shows: what it is, by whom, of when; then the copy itself, read-only.
import { Eye, Moon, Sun } from 'lucide-react'
import { Suspense, lazy, useEffect, useState } from 'react'
import { SignIn } from '../account/sign_in'
import { Problem } from '../shared/api'
import { ProblemNote } from '../shared/problem'
import { setTheme, useTheme } from '../shared/theme'
import { Button, IconButton } from '../shared/ui'
import { type Shared, openAsMember, openPublic } from './api'

const Conversation = lazy(() => import('./conversation'))
const SharedArtifactView = lazy(() => import('./artifact').then(m => ({ default: m.SharedArtifactView })))

const times = new Intl.DateTimeFormat(undefined, { dateStyle: 'long', timeStyle: 'short' })
const Time = ({ at }: { at: string }) => <time dateTime={at}>{times.format(new Date(at))}</time>

function Bar({ isCopy }: { isCopy: boolean }) {
	const theme = useTheme()
	const other = theme === 'dark' ? 'light' : 'dark'
	return (
		<header className="flex h-13 shrink-0 items-center gap-3 border-b border-line bg-panel px-4 print:hidden">
			<p className="font-semibold tracking-tight">Argus</p>
			{isCopy && (
				<p className="flex items-center gap-1.5 rounded-full bg-accent-soft px-2.5 py-0.5 text-sm">
					<Eye aria-hidden className="size-4" /> Read-only
				</p>
			)}
			<span className="grow" />
			<IconButton label={`Use the ${other} theme`} onClick={() => setTheme(other)}>
				{theme === 'dark' ? <Sun aria-hidden className="size-5" /> : <Moon aria-hidden className="size-5" />}
			</IconButton>
		</header>
	)
}

const FATES: Record<string, string> = { completed: 'It is complete.', failed: 'It failed.', cancelled: 'It was stopped.' }

// What was run, and with which values.
function Run({ run }: { run: NonNullable<Shared['content']['run']> }) {
	const values = Object.entries(run.values as Record<string, string>)
	return (
		<>
			<p>
				Run by {run.user} <Time at={run.started_at} />. {FATES[run.status]} {run.error}
			</p>
			{values.length > 0 && (
				<dl aria-label="Values of the run" className="flex flex-wrap gap-x-6 gap-y-1">
					{values.map(([name, value]) => (
						<div key={name} className="flex gap-2">
							<dt className="text-quiet">{name}</dt>
							<dd className="font-medium break-words">{value}</dd>
						</div>
					))}
				</dl>
			)}
		</>
	)
}

const KINDS: Record<Shared['kind'], string> = { thread: 'Shared conversation', artifact: 'Shared artifact', recipe_run: 'Shared run of a recipe' }

function About({ shared }: { shared: Shared }) {
	const { run } = shared.content
	return (
		<div className="space-y-2 border-b border-line pb-4">
			<p className="text-sm text-quiet">{KINDS[shared.kind]}</p>
			<h1 className="text-xl font-semibold break-words sm:text-2xl">{shared.title}</h1>
			<p className="text-quiet">
				Shared by <strong className="font-medium text-text">{shared.by}</strong>. This is a copy of <Time at={shared.copied_at} />
				{shared.kind === 'thread' ? ': later questions and answers are not in it.' : shared.newest ? '. New versions of the artifact appear here.' : ': later changes are not in it.'}{' '}
				It is read-only.
				{shared.expires_at && (
					<>
						{' '}
						The link works until <Time at={shared.expires_at} />.
					</>
				)}
			</p>
			{run && <Run run={run} />}
		</div>
	)
}

// The same words for every link that does not work: the server says no more.
function Dead({ onSignIn }: { onSignIn?: () => void }) {
	return (
		<section className="mx-auto max-w-xl space-y-3 px-4 py-16">
			<h1 className="text-2xl font-semibold">This link does not work</h1>
			<p>It may have expired, its maker may have revoked it, or a part of the address is missing.</p>
			<p>Ask the person who sent it to you for a new one.</p>
			{onSignIn && (
				<div className="space-y-3 border-t border-line pt-4">
					<p>Some links are for people who have an account here. If yours may be one of them, sign in.</p>
					<Button onClick={onSignIn}>Sign in</Button>
				</div>
			)}
		</section>
	)
}

const statusOf = (e: unknown) => (e instanceof Problem ? e.status : -1)

// As nobody, and when that is refused as whoever is signed in here. 401: nobody is.
async function openLink(token: string): Promise<Shared> {
	try {
		return await openPublic(token)
	} catch (e) {
		if (statusOf(e) !== 404) throw e
	}
	return openAsMember(token)
}

export function SharedPage({ token }: { token: string }) {
	const [shared, setShared] = useState<Shared | null>(null)
	const [refused, setRefused] = useState<unknown>(null)
	const [isSigning, setSigning] = useState(false)
	const load = () => {
		setRefused(null)
		openLink(token).then(setShared, setRefused)
	}
	useEffect(load, [token])
	useEffect(() => {
		if (shared) document.title = `${shared.title} · shared by ${shared.by} · Argus`
		else if (refused !== null) document.title = 'This link does not work · Argus'
	}, [shared, refused])
	const status = refused === null ? 0 : statusOf(refused)
	if (isSigning) {
		return (
			<SignIn
				onIn={() => {
					setSigning(false)
					load()
				}}
			/>
		)
	}
	return (
		<div className="flex min-h-full flex-col">
			<Bar isCopy={shared !== null} />
			<main className="flex grow flex-col">
				{!shared && refused === null && (
					<p role="status" className="p-6 text-quiet">
						Opening the link …
					</p>
				)}
				{(status === 404 || status === 401) && <Dead onSignIn={status === 401 ? () => setSigning(true) : undefined} />}
				{refused !== null && status !== 404 && status !== 401 && (
					<div className="mx-auto w-full max-w-3xl p-4">
						<ProblemNote error={refused}>
							<Button onClick={load}>Try again</Button>
						</ProblemNote>
					</div>
				)}
				{shared && (
					<div className={`mx-auto flex w-full grow flex-col gap-6 px-4 py-6 ${shared.kind === 'artifact' ? 'max-w-6xl' : 'max-w-3xl'}`}>
						<About shared={shared} />
						<Suspense fallback={<p className="text-quiet">Loading …</p>}>
							{shared.content.messages ? (
								<Conversation messages={shared.content.messages} artifacts={shared.content.artifacts} />
							) : (
								shared.content.artifacts.map(a => <SharedArtifactView key={a.id} artifact={a} isAlone />)
							)}
						</Suspense>
					</div>
				)}
			</main>
		</div>
	)
}
