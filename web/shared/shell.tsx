// What each screen has at its top: where else to go, who is signed in, the theme; and the palette.
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, useLocation, useNavigate } from '@tanstack/react-router'
import { LogOut, Moon, Sun } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { api } from './api'
import { PARTS, placed } from './places'
import { needSignIn } from './session'
import { setTheme, useTheme } from './theme'
import { IconButton } from './ui'

const PLACES = [
	['/', 'Chat'],
	['/audits', 'Audits'],
	['/ask', 'Ask'],
	['/manage', 'Manage'],
] as const

export interface Command {
	name: string
	run: () => void
	isSearched?: boolean // it is listed only once words are typed
}

// The commands that each screen has; onLeft: what else is to be done when somebody signs out.
export function useCommands(onLeft?: () => void): { commands: Command[]; signOut: () => Promise<void> } {
	const navigate = useNavigate()
	const store = useQueryClient()
	const theme = useTheme()
	const me = useQuery({ queryKey: ['me'], queryFn: api.me, staleTime: Infinity })
	const other = theme === 'dark' ? 'light' : 'dark'
	const signOut = async () => {
		const place = me.data?.sign_out
		await api.logout()
		if (place) {
			location.assign(place)
			return
		}
		store.clear()
		onLeft?.()
		await navigate({ to: '/' })
		needSignIn(true)
	}
	return {
		commands: [
			...PLACES.map(([to, name]) => ({ name: `Go to ${name}`, run: () => void navigate({ to }) })),
			{ name: 'Audits: quality of all collections', isSearched: true, run: () => void navigate({ to: '/audits/quality' }) },
			{ name: 'Audits: findings to review', isSearched: true, run: () => void navigate({ to: '/audits/review' }) },
			...PARTS.map(part => ({ name: `Manage: ${part}`, isSearched: true, run: () => void navigate({ to: '/manage/$part', params: { part: placed(part) } }) })),
			{ name: `Use the ${other} theme`, run: () => setTheme(other) },
			...(me.data?.by === 'session' ? [{ name: 'Sign out', run: () => void signOut() }] : []),
		],
		signOut,
	}
}

// lead, more: what a screen has before the name, and before the theme.
export function Header({ lead, more, onSignOut }: { lead?: ReactNode; more?: ReactNode; onSignOut: () => Promise<void> }) {
	const theme = useTheme()
	const [isLeaving, setLeaving] = useState(false)
	const start = useQuery({ queryKey: ['start'], queryFn: api.start, staleTime: Infinity })
	const me = useQuery({ queryKey: ['me'], queryFn: api.me, staleTime: Infinity })
	const other = theme === 'dark' ? 'light' : 'dark'
	const isChat = useLocation({ select: l => /^\/(chat\/|setup|$)/.test(l.pathname) })
	return (
		<header className="flex h-13 shrink-0 items-center gap-1 border-b border-line bg-panel px-2 sm:gap-2 sm:px-3">
			{lead}
			<p className="font-semibold tracking-tight max-sm:sr-only">Argus</p>
			<nav aria-label="Parts of Argus" className="flex sm:gap-1">
				{PLACES.map(([to, name]) => (
					<Link
						key={to}
						to={to}
						activeOptions={{ exact: to === '/', includeSearch: false, includeHash: false }}
						{...(to === '/' && isChat ? { 'data-here': true, 'aria-current': 'page' as const } : {})}
						className="rounded-md px-1 py-1 text-sm sm:px-2.5 text-quiet hover:bg-sunk hover:text-text data-[status=active]:bg-accent-soft data-[status=active]:text-text data-here:bg-accent-soft data-here:text-text"
					>
						{name}
					</Link>
				))}
			</nav>
			{start.data?.demo && (
				<p className="truncate rounded-full max-sm:shrink-0 bg-warn-soft px-1 py-0.5 text-xs whitespace-nowrap text-warn sm:px-2.5 sm:text-sm" title="A script answers a few questions about the example shop">
					Demo<span className="max-sm:sr-only">: a script answers, no model</span>
				</p>
			)}
			<span className="grow" />
			{me.data?.by === 'session' && (
				<>
					<span className="max-w-40 truncate text-sm text-quiet max-sm:sr-only">{me.data.user}</span>
					<IconButton
						label="Sign out"
						disabled={isLeaving}
						onClick={() => {
							setLeaving(true)
							void onSignOut().finally(() => setLeaving(false))
						}}
					>
						<LogOut aria-hidden className="size-5" />
					</IconButton>
				</>
			)}
			{more}
			<IconButton label={`Use the ${other} theme`} onClick={() => setTheme(other)}>
				{theme === 'dark' ? <Sun aria-hidden className="size-5" /> : <Moon aria-hidden className="size-5" />}
			</IconButton>
		</header>
	)
}
