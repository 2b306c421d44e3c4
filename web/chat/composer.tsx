// Where a question is written. Enter asks, Shift+Enter begins a line; what was typed stays until it was asked. "/" lists commands.
import { ArrowUp, Square, X } from 'lucide-react'
import { type ReactNode, Suspense, lazy, useEffect, useId, useLayoutEffect, useRef, useState } from 'react'
import { type SlashCommand, isStatement, matching, statementOf } from './commands'

const SqlEditor = lazy(() => import('../shared/sql_editor'))

export const MAX_QUESTION = 10000 // characters, as the server has it

interface Props {
	text: string
	onText: (t: string) => void
	onAsk: () => void
	onStop: () => void
	onEditLast: () => void
	isBusy: boolean
	isStopping: boolean
	focusKey: string
	project: string // whose tables a statement may name
}

// The commands that fit what was typed; Escape closes the list until something else is typed.
function useCommandList(text: string) {
	const [place, setPlace] = useState(0)
	const [closed, setClosed] = useState('')
	useEffect(() => setPlace(0), [text])
	const list = text === closed ? [] : matching(text)
	return { list, place: Math.min(place, list.length - 1), setPlace, close: () => setClosed(text) }
}

interface WritingProps {
	statement: string | null // null = it is a question
	project: string
	onText: (t: string) => void
	onAsk: () => void
	onLeave: () => void
	children: ReactNode // the field of a question, also until the editor is loaded
}

// A statement behind /sql has an editor that knows the tables.
function Writing({ statement, project, onText, onAsk, onLeave, children }: WritingProps) {
	if (statement === null) return children
	return (
		<Suspense fallback={children}>
			<button type="button" onClick={onLeave} title="Back to a question" className="mt-1.5 shrink-0 self-start rounded-md bg-sunk px-2 py-1 font-mono text-[13px] text-key hover:text-text">
				/sql <span className="sr-only">Back to a question</span>
				<X aria-hidden className="inline size-3" />
			</button>
			<SqlEditor
				value={statement}
				onChange={sql => onText(`/sql ${sql}`)}
				project={project}
				label="SQL statement"
				hint="select …"
				max={MAX_QUESTION - '/sql '.length}
				isFocused
				onEnter={onAsk}
				onLeave={onLeave}
			/>
		</Suspense>
	)
}

export function Composer({ text, onText, onAsk, onStop, onEditLast, isBusy, isStopping, focusKey, project }: Props) {
	const area = useRef<HTMLTextAreaElement>(null)
	const listId = useId()
	const { list, place, setPlace, close } = useCommandList(text)
	useEffect(() => area.current?.focus({ preventScroll: true }), [focusKey])
	useLayoutEffect(() => {
		const a = area.current
		if (!a) return // a statement is written in its own editor
		a.style.height = 'auto'
		a.style.height = `${Math.min(a.scrollHeight, 240)}px`
	}, [text])
	const left = MAX_QUESTION - [...text].length
	const mayAsk = text.trim() !== '' && left >= 0 && !isBusy
	const choose = (c: SlashCommand) => {
		onText(`/${c.name} `)
		area.current?.focus()
	}
	const onKey = (e: React.KeyboardEvent) => {
		if (e.nativeEvent.isComposing) return
		const step = e.key === 'ArrowDown' ? 1 : e.key === 'ArrowUp' ? -1 : 0
		const chosen = list[place]
		if (chosen && step) setPlace((place + step + list.length) % list.length)
		else if (chosen && e.key === 'Escape') close()
		else if (chosen && (e.key === 'Tab' || (e.key === 'Enter' && !e.shiftKey)) && text !== `/${chosen.name}`) choose(chosen)
		else if (e.key === 'ArrowUp' && !text && !isBusy) onEditLast()
		else if (e.key === 'Enter' && !e.shiftKey) {
			if (mayAsk) onAsk()
		} else return
		e.preventDefault()
	}
	return (
		<form
			className="relative flex items-end gap-2 rounded-2xl border border-line bg-panel p-2 shadow-sm focus-within:border-accent"
			onSubmit={e => {
				e.preventDefault()
				if (mayAsk) onAsk()
			}}
		>
			{list.length > 0 && (
				<ul
					id={listId}
					role="listbox"
					tabIndex={0}
					aria-label="Commands"
					className="absolute inset-x-0 bottom-full z-10 mb-2 max-h-[60dvh] overflow-y-auto rounded-xl border border-line bg-panel p-1.5 shadow-lg"
				>
					{list.map((c, i) => (
						<li
							key={c.name}
							id={`${listId}-${c.name}`}
							role="option"
							aria-selected={i === place}
							onMouseDown={e => {
								e.preventDefault() // the field keeps the focus
								choose(c)
							}}
							onMouseMove={() => setPlace(i)}
							ref={i === place ? e => e?.scrollIntoView({ block: 'nearest' }) : undefined}
							className={`flex cursor-pointer gap-x-3 rounded-md max-sm:flex-wrap px-3 py-1.5 ${i === place ? 'bg-accent-soft' : ''}`}
						>
							<span className="w-44 shrink-0 font-mono text-[13px] leading-6">
								/{c.name} <span className="text-quiet">{c.argument}</span>
							</span>
							<span className="text-quiet">{c.help}</span>
						</li>
					))}
				</ul>
			)}
			<Writing
				statement={isStatement(text) ? statementOf(text) : null}
				project={project}
				onText={onText}
				onAsk={() => mayAsk && onAsk()}
				onLeave={() => {
					onText('')
					requestAnimationFrame(() => area.current?.focus())
				}}
			>
				<textarea
					ref={area}
					rows={1}
					value={text}
					onChange={e => onText(e.target.value)}
					onKeyDown={onKey}
					aria-label="Your question"
					aria-describedby="composer-help"
					aria-autocomplete="list"
					aria-controls={list.length ? listId : undefined}
					aria-activedescendant={list[place] ? `${listId}-${list[place].name}` : undefined}
					placeholder="Ask, or type / for commands"
					className="min-h-9 min-w-0 grow resize-none bg-transparent px-2 py-1.5 placeholder-shown:overflow-hidden placeholder-shown:text-ellipsis placeholder-shown:whitespace-nowrap placeholder:text-quiet focus:outline-none max-sm:placeholder:text-sm"
				/>
			</Writing>
			<span id="composer-help" className="sr-only">
				Enter asks, Shift and Enter begin a new line, a slash lists commands, the arrow up in an empty field changes the last question.
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
