import type { ButtonHTMLAttributes, ReactNode } from 'react'

type Props = ButtonHTMLAttributes<HTMLButtonElement>

export function Button({ className = '', ...rest }: Props) {
	return (
		<button
			type="button"
			className={`inline-flex min-h-9 items-center gap-1.5 rounded-md border border-line bg-panel px-3 text-sm hover:bg-sunk disabled:opacity-60 ${className}`}
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
