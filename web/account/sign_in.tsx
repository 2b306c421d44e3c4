// Signing in, over whatever stood there: what was typed stays.
import { type FormEvent, type ReactNode, useEffect, useRef, useState } from 'react'
import { type Me, Problem, api } from '../shared/api'
import { ProblemNote } from '../shared/problem'
import { tellSignedIn } from '../shared/session'

const MIN_PASSWORD = 10

function Card({ title, children }: { title: string; children: ReactNode }) {
	return (
		<div role="dialog" aria-modal aria-labelledby="sign-in-title" className="fixed inset-0 z-40 grid place-items-center overflow-y-auto bg-page p-4">
			<div className="w-full max-w-sm space-y-4 rounded-xl border border-line bg-panel p-6 shadow-sm">
				<h1 id="sign-in-title" className="text-xl font-semibold">
					{title}
				</h1>
				{children}
			</div>
		</div>
	)
}

const field = 'mt-1 block min-h-10 w-full rounded-md border border-line bg-page px-3'

function Go({ isBusy, children }: { isBusy: boolean; children: ReactNode }) {
	return (
		<button type="submit" disabled={isBusy} className="min-h-10 w-full rounded-md bg-accent font-medium text-on-accent disabled:opacity-60">
			{children}
		</button>
	)
}

// A request is under way, or was refused.
function useForm(run: () => Promise<Me>, onIn: (me: Me) => void) {
	const [isBusy, setBusy] = useState(false)
	const [error, setError] = useState<unknown>(null)
	const submit = async (e: FormEvent) => {
		e.preventDefault()
		setBusy(true)
		setError(null)
		try {
			onIn(await run())
		} catch (refused) {
			setError(refused)
		}
		setBusy(false)
	}
	return { isBusy, error, setError, submit }
}

const refusals: Record<string, string> = {
	denied: 'You did not sign in there.',
	strange: 'The sign-in took too long, or began in another window. Try again.',
	unavailable: 'The service that signs you in does not answer. Try again in a moment.',
	no_account: 'You have no account here. Ask the operator of this server for one.',
	no_name: 'The service that signs you in gives no name that an account can have. Ask the operator of this server.',
	name_taken: 'An account with your name belongs to somebody else. Ask the operator of this server.',
	inactive: 'Your account is not active. Ask the operator of this server.',
}

// Leads to the issuer and back. With an open screen that is another window, so that nothing of the screen is lost.
function IssuerButton({ name, isAgain }: { name: string; isAgain: boolean }) {
	const back = isAgain ? '/signed-in' : location.pathname + location.search
	const place = `/api/auth/oidc/login?return=${encodeURIComponent(back)}`
	return (
		<>
			<a
				href={place}
				onClick={e => {
					if (isAgain && window.open(place, '_blank')) e.preventDefault()
				}}
				className="grid min-h-10 w-full place-items-center rounded-md border border-line bg-page px-3 text-center font-medium hover:bg-sunk"
			>
				Sign in with {name}
				{isAgain && <span className="sr-only"> in a new window</span>}
			</a>
			<p className="flex items-center gap-3 text-sm text-quiet before:h-px before:grow before:bg-line after:h-px after:grow after:bg-line">or</p>
		</>
	)
}

// The end of a sign-in in a window of its own.
export function SignedIn() {
	useEffect(() => {
		tellSignedIn()
		window.close()
	}, [])
	return (
		<Card title="You are signed in">
			<p>Close this window, and go on in the other one.</p>
		</Card>
	)
}

interface SignInProps {
	onIn: (me: Me) => void
	refusal?: { reason: string; reference: string } | null
	isAgain?: boolean // a screen is open below
}

export function SignIn({ onIn, refusal, isAgain = false }: SignInProps) {
	const [issuer, setIssuer] = useState('')
	useEffect(() => void api.signInWays().then(w => setIssuer(w.issuer_name), () => undefined), []) // without it the password is left
	const [name, setName] = useState('')
	const [password, setPassword] = useState('')
	const first = useRef<HTMLInputElement>(null)
	const { isBusy, error, submit } = useForm(() => api.login(name.trim(), password), onIn)
	useEffect(() => first.current?.focus(), [])
	const isWrong = error instanceof Problem && error.status === 401
	return (
		<Card title="Sign in to Argus">
			{refusal && (
				<p role="alert" className="text-bad">
					{refusals[refusal.reason] ?? 'The sign-in was refused. Try again, or ask the operator of this server.'}
					{refusal.reference && <span className="block text-sm text-quiet">Reference {refusal.reference}</span>}
				</p>
			)}
			{issuer && <IssuerButton name={issuer} isAgain={isAgain} />}
			<form onSubmit={submit} className="space-y-4">
				<label className="block">
					Name
					<input ref={first} required autoComplete="username" autoCapitalize="none" value={name} onChange={e => setName(e.target.value)} className={field} />
				</label>
				<label className="block">
					Password
					<input required type="password" autoComplete="current-password" value={password} onChange={e => setPassword(e.target.value)} className={field} />
				</label>
				{isWrong ? (
					<p role="alert" className="text-bad">
						The name or the password is wrong.
					</p>
				) : (
					error !== null && <ProblemNote error={error} />
				)}
				<Go isBusy={isBusy}>Sign in</Go>
				<p className="text-sm text-quiet">Forgot it? The operator of this server makes a new link with: argus user link NAME.</p>
			</form>
		</Card>
	)
}

// The screen of /setup#TOKEN: a password for a link, which is good once.
export function Setup({ token, onIn }: { token: string; onIn: (me: Me) => void }) {
	const [password, setPassword] = useState('')
	const [again, setAgain] = useState('')
	const first = useRef<HTMLInputElement>(null)
	const { isBusy, error, setError, submit } = useForm(async () => {
		if (password !== again) throw new Error('The two passwords differ.')
		return api.setup(token, password)
	}, onIn)
	useEffect(() => first.current?.focus(), [])
	return (
		<Card title="Choose your password">
			<form onSubmit={submit} className="space-y-4">
				<label className="block">
					Password
					<input
						ref={first}
						required
						minLength={MIN_PASSWORD}
						type="password"
						autoComplete="new-password"
						aria-describedby="password-help"
						value={password}
						onChange={e => {
							setPassword(e.target.value)
							setError(null)
						}}
						className={field}
					/>
				</label>
				<p id="password-help" className="text-sm text-quiet">
					{MIN_PASSWORD} characters at least.
				</p>
				<label className="block">
					The same again
					<input required type="password" autoComplete="new-password" value={again} onChange={e => setAgain(e.target.value)} className={field} />
				</label>
				{error !== null && <ProblemNote error={error} />}
				<Go isBusy={isBusy}>Save and sign in</Go>
			</form>
		</Card>
	)
}
