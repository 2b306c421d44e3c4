// Words in a conversation, whose messages are not all in the page: which message has them, the one before, the next one.
import { ChevronDown, ChevronUp, X } from 'lucide-react'
import { useDeferredValue, useEffect, useMemo, useState } from 'react'
import { Button, IconButton } from '../shared/ui'
import { type Answer, type Message, textOf } from './types'

const MARK = 'found'

function wordsOf(m: Message): string {
	const answer = m.parts.find(p => p.type === 'data-answer')?.data as Answer | undefined
	return `${textOf(m)}\n${answer?.answer ?? ''}`.toLowerCase()
}

// Marks the words in messages that are in the page, also in those that come into sight later.
function useMarks(words: string) {
	useEffect(() => {
		const feed = document.querySelector('.talk > [role=feed]')
		if (!words || !feed || !('highlights' in CSS)) return
		let asked = 0
		const mark = () => {
			asked = 0
			const ranges: Range[] = []
			const walk = document.createTreeWalker(feed, NodeFilter.SHOW_TEXT)
			for (let node = walk.nextNode(); node; node = walk.nextNode()) {
				const text = node.textContent!.toLowerCase()
				for (let i = text.indexOf(words); i >= 0; i = text.indexOf(words, i + words.length)) {
					if (i + words.length > node.textContent!.length) break
					const range = new Range()
					range.setStart(node, i)
					range.setEnd(node, i + words.length)
					ranges.push(range)
				}
			}
			CSS.highlights.set(MARK, new Highlight(...ranges))
		}
		const later = () => (asked ||= requestAnimationFrame(mark))
		const watch = new MutationObserver(later)
		watch.observe(feed, { childList: true, subtree: true, characterData: true })
		mark()
		return () => {
			watch.disconnect()
			cancelAnimationFrame(asked)
			CSS.highlights.delete(MARK)
		}
	}, [words])
}

interface Props {
	words: string // to begin with
	messages: Message[]
	hasOlder: boolean // messages that were not read yet
	onOlder: () => Promise<void> // reads all of them
	onShow: (id: string) => void
	onClose: () => void
}

export default function Find({ words: given, messages, hasOlder, onOlder, onShow, onClose }: Props) {
	const [text, setText] = useState(given)
	const [chosen, setChosen] = useState('') // id of the message that is shown
	const [isReading, setReading] = useState(false)
	const words = useDeferredValue(text.trim().toLowerCase())
	const found = useMemo(() => (words ? messages.filter(m => wordsOf(m).includes(words)).map(m => m.id) : []), [messages, words])
	useMarks(words)
	const go = (id: string | undefined) => {
		if (!id) return
		setChosen(id)
		onShow(id)
	}
	// The newest first: a conversation is read from its end.
	useEffect(() => {
		if (!found.includes(chosen)) go(found.at(-1))
	}, [found])
	const place = found.indexOf(chosen)
	const step = (by: number) => go(found[(Math.max(place, 0) + by + found.length) % found.length])
	return (
		<search
			data-find
			aria-label="This conversation"
			className="flex flex-wrap items-center gap-2 border-b border-line bg-panel px-4 py-2"
			onKeyDown={e => {
				if (e.key !== 'Escape') return
				e.stopPropagation()
				onClose()
			}}
		>
			<input
				autoFocus
				type="search"
				aria-label="Find in this conversation"
				placeholder="Find in this conversation"
				value={text}
				onChange={e => setText(e.target.value)}
				onKeyDown={e => {
					if (e.key !== 'Enter') return
					e.preventDefault()
					if (found.length) step(e.shiftKey ? 1 : -1)
				}}
				className="min-h-9 min-w-0 grow basis-24 rounded-md border border-line bg-page px-2 placeholder:text-quiet focus:border-accent focus:outline-none sm:max-w-80"
			/>
			<span role="status" className="text-sm text-quiet tabular-nums">
				{words && found.length > 0 && (
					<>
						{place + 1} of {found.length}
						<span className="max-sm:sr-only"> messages</span>
					</>
				)}
				{words && found.length === 0 && 'No message has these words.'}
			</span>
			<IconButton label="The one before" disabled={found.length === 0} onClick={() => step(-1)}>
				<ChevronUp aria-hidden className="size-4" />
			</IconButton>
			<IconButton label="The next one" disabled={found.length === 0} onClick={() => step(1)}>
				<ChevronDown aria-hidden className="size-4" />
			</IconButton>
			{hasOlder && (
				<Button
					disabled={isReading}
					onClick={() => {
						setReading(true)
						void onOlder().finally(() => setReading(false))
					}}
				>
					{isReading ? 'Reading …' : 'Also in earlier questions'}
				</Button>
			)}
			<span className="grow max-sm:hidden" />
			<IconButton label="Close the search" onClick={onClose}>
				<X aria-hidden className="size-4" />
			</IconButton>
		</search>
	)
}
