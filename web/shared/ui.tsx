import type { ButtonHTMLAttributes, ReactNode } from 'react'

type Props = ButtonHTMLAttributes<HTMLButtonElement>

const LOOKS = { plain: 'border-line bg-panel hover:bg-sunk', main: 'border-accent bg-accent text-on-accent' }

// isMain: what most people want to do here.
export function Button({ className = '', isMain = false, ...rest }: Props & { isMain?: boolean }) {
	return (
		<button
			type="button"
			className={`inline-flex min-h-9 items-center gap-1.5 rounded-md border px-3 text-sm disabled:opacity-60 ${LOOKS[isMain ? 'main' : 'plain']} ${className}`}
			{...rest}
		/>
	)
}

// A button that is a picture; label is its name.
export function IconButton({ label, className = '', children, ...rest }: Props & { label: string; children: ReactNode }) {
	return (
		<button
			type="button"
			aria-label={label}
			title={label}
			className={`grid size-9 shrink-0 place-items-center rounded-md text-quiet hover:bg-sunk hover:text-text disabled:opacity-60 ${className}`}
			{...rest}
		>
			{children}
		</button>
	)
}
