// A place to drop a file, or to choose one; while it is sent, how far that is.
import { FileUp } from 'lucide-react'
import { useRef, useState } from 'react'
import { Button } from './ui'

export interface Sent {
	name: string
	share: number // 0 to 1
}

export function Progress({ of }: { of: Sent }) {
	return (
		<div>
			<p className="break-all" role="status">
				{of.name}: {of.share < 1 ? 'on its way' : 'the server reads it'}
			</p>
			<progress className="mt-2 w-full accent-[var(--accent)]" value={of.share} max={1} aria-label={`Upload of ${of.name}`} />
		</div>
	)
}

interface Props {
	label: string // of the field, for screen readers
	ends: string // ".csv,.tsv"
	hint: string
	sent: Sent | null
	busy: boolean
	onFile: (file: File) => void
}

export function DropFile({ label, ends, hint, sent, busy, onFile }: Props) {
	const picker = useRef<HTMLInputElement>(null)
	const [isOver, setOver] = useState(false)
	return (
		<div
			onDragOver={e => {
				e.preventDefault()
				setOver(true)
			}}
			onDragLeave={() => setOver(false)}
			onDrop={e => {
				e.preventDefault()
				setOver(false)
				const file = e.dataTransfer.files[0]
				if (file && !busy) onFile(file)
			}}
			className={`rounded-lg border border-dashed p-4 text-center ${isOver ? 'border-accent bg-accent-soft' : 'border-line'}`}
		>
			{sent ? (
				<Progress of={sent} />
			) : (
				<>
					<p className="text-sm text-quiet">{hint}</p>
					<Button className="mt-2" disabled={busy} onClick={() => picker.current?.click()}>
						<FileUp aria-hidden className="size-4" /> Choose a file
					</Button>
				</>
			)}
			<input
				ref={picker}
				type="file"
				accept={ends}
				aria-label={label}
				className="sr-only"
				tabIndex={-1}
				onChange={e => {
					const file = e.target.files?.[0]
					e.target.value = ''
					if (file) onFile(file)
				}}
			/>
		</div>
	)
}
