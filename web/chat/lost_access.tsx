// Somebody was removed from the project while the page was open: what happened, and what can be done. What was typed stays.
import { useRef } from 'react'
import { Dialog } from '../shared/dialog'
import { Button } from '../shared/ui'

interface Props {
	project: string // its name
	hasOthers: boolean
	onClose: () => void
	onOther: () => void
}

export function LostAccess({ project, hasOthers, onClose, onOther }: Props) {
	const dialog = useRef<HTMLDialogElement>(null)
	return (
		<Dialog
			handle={dialog}
			role="alertdialog"
			labelledBy="lost-title"
			describedBy="lost-words"
			onClose={onClose}
			className="m-auto w-[min(30rem,calc(100vw-2rem))] p-5"
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
		</Dialog>
	)
}
