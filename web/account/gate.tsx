// What stands before the screens: signing in, when the server asks for it.
import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { type ReactNode, useRef, useState } from 'react'
import type { Me } from '../shared/api'
import { needSignIn, useSignInNeeded } from '../shared/session'
import { Setup, SignIn } from './sign_in'

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
	if (link) return <Setup token={link} onIn={onIn} />
	return (
		<>
			<div className="h-full" inert={isNeeded}>
				{children}
			</div>
			{isNeeded && <SignIn onIn={onIn} />}
		</>
	)
}
