// A dialog of the browser: focus stays in it and goes back where it was, Escape closes it, the page behind it is inert
// (docs/decisions/0046). It is open as long as it is drawn.
import { type ReactNode, type RefObject, useLayoutEffect, useRef } from 'react'

interface Props {
	label?: string
	labelledBy?: string
	describedBy?: string
	role?: 'alertdialog' // a click beside it does not close it
	className?: string // its place, size and padding
	onClose: () => void
	handle?: RefObject<HTMLDialogElement | null>
	children: ReactNode
}

export function Dialog({ label, labelledBy, describedBy, role, className = '', onClose, handle, children }: Props) {
	const own = useRef<HTMLDialogElement>(null)
	const dialog = handle ?? own
	useLayoutEffect(() => {
		const shown = dialog.current!
		shown.showModal()
		return () => shown.close() // gives the focus back
	}, [])
	return (
		<dialog
			ref={dialog}
			role={role}
			aria-label={label}
			aria-labelledby={labelledBy}
			aria-describedby={describedBy}
			onClose={onClose}
			onClick={e => !role && e.target === dialog.current && dialog.current.close()}
			className={`rounded-xl border border-line bg-panel text-text shadow-xl backdrop:bg-black/40 ${className}`}
		>
			{children}
		</dialog>
	)
}
