// What screens without a list at their side have around them.
import { Outlet } from '@tanstack/react-router'
import { Palette } from '../chat/palette'
import { Header, useCommands } from './shell'

export function PlainFrame() {
	const { commands, signOut } = useCommands()
	return (
		<div className="flex h-full flex-col">
			<Palette commands={commands} />
			<Header onSignOut={signOut} />
			<main className="min-h-0 grow overflow-y-auto">
				<Outlet />
			</main>
		</div>
	)
}
