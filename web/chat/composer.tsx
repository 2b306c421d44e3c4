// Where a question is written. Enter asks, Shift+Enter begins a line; what was typed stays until it was asked.
import { ArrowUp, Square } from 'lucide-react'
import { useEffect, useLayoutEffect, useRef } from 'react'

const MAX_QUESTION = 10000 // characters, as the server has it

interface Props {
	text: string
	onText: (t: string) => void
	onAsk: () => void
	onStop: () => void
	isBusy: boolean
	isStopping: boolean
	focusKey: string
}

export function Composer({ text, onText, onAsk, onStop, isBusy, isStopping, focusKey }: Props) {
	const area = useRef<HTMLTextAreaElement>(null)
	useEffect(() => area.current?.focus({ preventScroll: true }), [focusKey])
	useLayoutEffect(() => {
		const a = area.current!
		a.style.height = 'auto'
		a.style.height = `${Math.min(a.scrollHeight, 240)}px`
	}, [text])
	const left = MAX_QUESTION - [...text].length
	const mayAsk = text.trim() !== '' && left >= 0 && !isBusy
	return (
		<form
			className="flex items-end gap-2 rounded-2xl border border-line bg-panel p-2 shadow-sm focus-within:border-accent"
			onSubmit={e => {
				e.preventDefault()
				if (mayAsk) onAsk()
			}}
		>
			<textarea
				ref={area}
				rows={1}
				value={text}
				onChange={e => onText(e.target.value)}
				onKeyDown={e => {
					if (e.key !== 'Enter' || e.shiftKey || e.nativeEvent.isComposing) return
					e.preventDefault()
					if (mayAsk) onAsk()
				}}
				aria-label="Your question"
				aria-describedby="composer-help"
				placeholder="Ask about your data"
				className="min-h-9 min-w-0 grow resize-none bg-transparent px-2 py-1.5 placeholder:text-quiet focus:outline-none"
			/>
			<span id="composer-help" className="sr-only">
				Enter asks, Shift and Enter begin a new line.
			</span>
			{left < 500 && <span className={`self-center text-sm ${left < 0 ? 'text-bad' : 'text-quiet'}`}>{left}</span>}
			{isBusy ? (
				<button
					type="button"
					onClick={onStop}
					disabled={isStopping}
					aria-label={isStopping ? 'Stopping' : 'Stop'}
					title="Stop"
					className="grid size-9 shrink-0 place-items-center rounded-xl bg-text text-page disabled:opacity-60"
				>
					<Square aria-hidden className="size-4 fill-current" />
				</button>
			) : (
				<button
					type="submit"
					disabled={!mayAsk}
					aria-label="Ask"
					title="Ask"
					className="grid size-9 shrink-0 place-items-center rounded-xl bg-accent text-on-accent disabled:bg-sunk disabled:text-quiet"
				>
					<ArrowUp aria-hidden className="size-5" />
				</button>
			)}
		</form>
	)
}
