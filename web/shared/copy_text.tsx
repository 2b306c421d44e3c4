// A button that copies a text, and says so for a moment.
import { Check, Copy } from 'lucide-react'
import { useState } from 'react'
import { Button } from './ui'

export function CopyText({ text, label }: { text: string; label: string }) {
	const [isCopied, setCopied] = useState(false)
	return (
		<Button
			onClick={async () => {
				await navigator.clipboard.writeText(text)
				setCopied(true)
				setTimeout(() => setCopied(false), 1500)
			}}
		>
			{isCopied ? <Check aria-hidden className="size-4" /> : <Copy aria-hidden className="size-4" />}
			{isCopied ? 'Copied' : label}
		</Button>
	)
}
