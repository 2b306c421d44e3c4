// A share link in a list: what it shows, for whom, until when, how often it was opened.
import { Button } from '../shared/ui'
import type { Share } from './api'

export const NAMES: Record<Share['kind'], string> = { thread: 'conversation', artifact: 'artifact', recipe_run: 'run' }
const times = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' })
export const when = (at: string) => times.format(new Date(at))
export const forWhom = (s: Share) => (s.audience === 'public' ? 'Everybody' : s.audience === 'project' ? 'Members of the project' : s.users.join(', '))

function fate(s: Share): string {
	if (s.state === 'revoked') return `revoked ${when(s.revoked_at!)}`
	if (s.state === 'expired') return `expired ${when(s.expires_at!)}`
	return s.expires_at ? `until ${when(s.expires_at)}` : 'without an end'
}

export function ShareRow({ share, withTitle = false, onRevoke }: { share: Share; withTitle?: boolean; onRevoke: () => void }) {
	const isActive = share.state === 'active'
	const opened = share.opens === 0 ? 'not opened' : `opened ${share.opens === 1 ? 'once' : `${share.opens} times`}, last ${when(share.opened_at!)}`
	return (
		<li className="flex items-center gap-3 rounded-lg border border-line px-3 py-2">
			<span className="min-w-0 grow">
				{withTitle && (
					<span className="block break-words">
						{share.title || NAMES[share.kind]} <span className="text-sm text-quiet">{NAMES[share.kind]}</span>
					</span>
				)}
				<span className={`block break-words ${isActive ? 'font-medium' : 'text-quiet line-through'}`}>
					{forWhom(share)}
					{share.kind === 'artifact' && (share.version ? `, version ${share.version}` : ', the newest version')}
				</span>
				<span className="block text-sm text-quiet">
					{fate(share)}; {opened}; made {when(share.created_at)} by {share.user}
				</span>
			</span>
			{isActive && (
				<Button onClick={onRevoke} aria-label={`Revoke the link for ${forWhom(share)}, made ${when(share.created_at)}`}>
					Revoke
				</Button>
			)}
		</li>
	)
}
