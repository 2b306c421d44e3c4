// A button that copies a text, and says so for a moment.
import { Check, Copy } from 'lucide-react'
import { useState } from 'react'
import { Button } from './ui'

// A page that was saved, or came without TLS, may have no clipboard.
async function copy(text: string) {
	if (navigator.clipboard) return navigator.clipboard.writeText(text)
	const box = document.createElement('textarea')
	box.value = text
	document.body.append(box)
	box.select()
	document.execCommand('copy')
	box.remove()
}

export function CopyText({ text, label }: { text: string; label: string }) {
	const [isCopied, setCopied] = useState(false)
	return (
		<Button
			onClick={async () => {
				await copy(text)
				setCopied(true)
				setTimeout(() => setCopied(false), 1500)
			}}
		>
			{isCopied ? <Check aria-hidden className="size-4" /> : <Copy aria-hidden className="size-4" />}
			{isCopied ? 'Copied' : label}
		</Button>
	)
}
