// What stands before the screens: signing in, when the server asks for it.
import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { type Me, api } from '../shared/api'
import { needSignIn, onSignedInElsewhere, useSignInNeeded } from '../shared/session'
import { Setup, SignIn, SignedIn } from './sign_in'

// Why the issuer led somebody back without a session; the address does not keep it.
function takeRefusal(): { reason: string; reference: string } | null {
	const q = new URLSearchParams(location.search)
	const reason = q.get('sign_in')
	if (!reason) return null
	history.replaceState(null, '', '/')
	return { reason, reference: (q.get('reference') ?? '').slice(0, 8) }
}
const refusal = takeRefusal()

export function Gate({ children }: { children: ReactNode }) {
	const store = useQueryClient()
	const navigate = useNavigate()
	const isNeeded = useSignInNeeded()
	const [link, setLink] = useState(() => (location.pathname === '/setup' ? location.hash.slice(1) : ''))
	const last = useRef('')
	const onIn = (me: Me) => {
		const isOther = last.current !== '' && last.current !== me.user
		last.current = me.user
		setLink('')
		needSignIn(false)
		if (link || isOther) {
			store.clear()
			void navigate({ to: '/', replace: true })
		}
		void store.invalidateQueries()
	}
	useEffect(() => (isNeeded ? onSignedInElsewhere(() => void api.me().then(onIn, () => undefined)) : undefined))
	if (location.pathname === '/signed-in') return <SignedIn />
	if (link) return <Setup token={link} onIn={onIn} />
	return (
		<>
			<div className="h-full" inert={isNeeded}>
				{children}
			</div>
			{isNeeded && <SignIn onIn={onIn} refusal={last.current ? null : refusal} isAgain={store.getQueryData(['start']) !== undefined} />}
		</>
	)
}
