// Somebody was removed from the project while the page was open: what happened, and what can be done. What was typed stays.
import { useEffect, useRef } from 'react'
import { Button } from '../shared/ui'

interface Props {
	project: string // its name
	hasOthers: boolean
	onClose: () => void
	onOther: () => void
}

export function LostAccess({ project, hasOthers, onClose, onOther }: Props) {
	const dialog = useRef<HTMLDialogElement>(null)
	useEffect(() => dialog.current?.showModal(), [])
	return (
		<dialog
			ref={dialog}
			role="alertdialog"
			aria-labelledby="lost-title"
			aria-describedby="lost-words"
			onClose={onClose}
			className="m-auto w-[min(30rem,calc(100vw-2rem))] rounded-xl border border-line bg-panel p-5 text-text shadow-xl backdrop:bg-black/40"
		>
			<h2 id="lost-title" className="text-lg font-semibold">
				You cannot ask about {project || 'this project'} any more
			</h2>
			<div id="lost-words" className="mt-2 space-y-2">
				<p>Your access to the project ended while this page was open. Nothing was asked.</p>
				<p>What you typed is kept in the field. Ask an admin of the project to give you access again, then send it once more.</p>
			</div>
			<div className="mt-4 flex flex-wrap gap-2">
				<Button autoFocus onClick={() => dialog.current?.close()}>
					Keep reading
				</Button>
				{hasOthers && <Button onClick={onOther}>Ask about another project</Button>}
			</div>
		</dialog>
	)
}
