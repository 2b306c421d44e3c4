// A question: changed in its place, and its versions.
import { ChevronLeft, ChevronRight, Pencil } from 'lucide-react'
import { Suspense, lazy, useState } from 'react'
import { Button, IconButton } from '../shared/ui'
import { isStatement, statementOf } from './commands'
import { MAX_QUESTION } from './composer'

interface FormProps {
	text: string
	onDone: (text: string) => void
	onCancel: () => void
	project: string
}

const SqlEditor = lazy(() => import('../shared/sql_editor'))

function EditForm({ text, onDone, onCancel, project }: FormProps) {
	const [now, setNow] = useState(text)
	const trimmed = now.trim()
	const isGood = trimmed !== '' && [...now].length <= MAX_QUESTION
	return (
		<form
			className="w-full space-y-2 rounded-2xl border border-accent bg-panel p-3"
			onSubmit={e => {
				e.preventDefault()
				if (isGood) onDone(trimmed)
			}}
		>
			{isStatement(text) ? (
				<Suspense fallback={<p className="text-quiet">Loading the editor …</p>}>
					<SqlEditor
						value={statementOf(now)}
						onChange={sql => setNow(`/sql ${sql}`)}
						project={project}
						label="The changed statement"
						max={MAX_QUESTION - '/sql '.length}
						isFocused
						onEnter={() => isGood && onDone(trimmed)}
						onLeave={onCancel}
					/>
				</Suspense>
			) : (
				<textarea
					autoFocus
					aria-label="The changed question"
					rows={Math.min(8, now.split('\n').length + 1)}
					value={now}
					onChange={e => setNow(e.target.value)}
					onFocus={e => e.currentTarget.setSelectionRange(now.length, now.length)}
					onKeyDown={e => {
						if (e.nativeEvent.isComposing) return
						if (e.key === 'Escape') onCancel()
						else if (e.key === 'Enter' && !e.shiftKey) e.currentTarget.form!.requestSubmit()
						else return
						e.preventDefault()
					}}
					className="w-full resize-none bg-transparent px-1 focus:outline-none"
				/>
			)}
			<p className="text-sm text-quiet">What followed this question is kept as an earlier version.</p>
			<div className="flex justify-end gap-2">
				<Button onClick={onCancel}>Cancel</Button>
				<Button type="submit" disabled={!isGood} isMain>
					Ask again
				</Button>
			</div>
		</form>
	)
}

interface Props {
	text: string
	isOwn: boolean // false: somebody else's, to be read
	order: { place?: number; of?: number } // among the messages
	versions: string[] // turns, oldest first; none = there is one
	place: number // of this one among them
	isEditing: boolean
	project: string
	mayEdit: boolean
	onEdit: () => void
	onDone: (text: string) => void
	onCancel: () => void
	onVersion: (turn: string) => void
}

export function Question({ text, isOwn, order, versions, place, isEditing, project, mayEdit, onEdit, onDone, onCancel, onVersion }: Props) {
	return (
		<article
			aria-label={isOwn ? 'Your question' : 'Question'}
			aria-posinset={order.place}
			aria-setsize={order.of}
			tabIndex={order.place && -1}
			className="group/question flex flex-col items-end gap-1"
		>
			{isEditing ? (
				<EditForm text={text} onDone={onDone} onCancel={onCancel} project={project} />
			) : (
				<div className="flex w-full items-center justify-end gap-1">
					{mayEdit && (
						<IconButton
							label="Change the question"
							onClick={onEdit}
							className="opacity-0 group-focus-within/question:opacity-100 group-hover/question:opacity-100 group-data-busy/talk:hidden pointer-coarse:opacity-100 print:hidden"
						>
							<Pencil aria-hidden className="size-4" />
						</IconButton>
					)}
					<p className="max-w-[85%] rounded-2xl rounded-br-md bg-accent-soft px-4 py-2 break-words whitespace-pre-wrap">{text}</p>
				</div>
			)}
			{!isEditing && versions.length > 1 && (
				<div role="group" aria-label="Versions of this question" className="flex items-center text-sm text-quiet">
					<IconButton label="Earlier version" disabled={place <= 0} onClick={() => onVersion(versions[place - 1]!)}>
						<ChevronLeft aria-hidden className="size-4" />
					</IconButton>
					<span className="tabular-nums">
						{place + 1} of {versions.length}
					</span>
					<IconButton label="Later version" disabled={place >= versions.length - 1} onClick={() => onVersion(versions[place + 1]!)}>
						<ChevronRight aria-hidden className="size-4" />
					</IconButton>
				</div>
			)}
		</article>
	)
}
