// The messages of a conversation, in a box that scrolls. Only those near the window are in the page; a short conversation is whole.
import { defaultRangeExtractor, useVirtualizer } from '@tanstack/react-virtual'
import { type ReactNode, type RefObject, useCallback, useEffect, useImperativeHandle, useLayoutEffect, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import type { Message } from './types'

const NEAR_END_PX = 80
const GAP_PX = 24
const USUAL_PX = 180 // of a message that was not measured yet
const MAX_WHOLE = 60 // messages: with fewer all are in the page, and the browser's own search finds each word
const MAX_KEPT = 20 // messages out of sight that stay in the page because something in them was used
const MAX_FRAMES = 60 // that a jump waits for its message

export const isWhole = (messages: Message[]) => messages.length <= MAX_WHOLE

export interface TalkHandle {
	toEnd: () => void
	stay: () => void // what comes next does not scroll
	// Brings a message into sight, as soon as it is among the messages; done gets its element.
	show: (id: string, done?: (message: HTMLElement) => void) => void
}

interface Props {
	messages: Message[]
	draw: (m: Message, place: number) => ReactNode // place counts from 0
	editing: string | null // id of a message that has to stay in the page
	isBusy: boolean
	hasOlder: boolean
	onOlder: () => void
	onAtEnd: (isAtEnd: boolean) => void
	head?: ReactNode
	tail?: ReactNode
	empty?: ReactNode // instead of messages
	handle: RefObject<TalkHandle | null>
}

// Page Down and Page Up go from message to message, as in each feed; not out of a field or of a box that scrolls itself.
function neighbour(e: React.KeyboardEvent): number {
	const step = e.key === 'PageDown' ? 1 : e.key === 'PageUp' ? -1 : 0
	const from = e.target as HTMLElement
	return from.closest('textarea, input, select, pre, [role=region] [role=region]') ? 0 : step
}

// While the page is printed each message is in it.
function usePrinting(): boolean {
	const [is, set] = useState(false)
	useEffect(() => {
		const begin = () => flushSync(() => set(true))
		const end = () => set(false)
		addEventListener('beforeprint', begin)
		addEventListener('afterprint', end)
		return () => {
			removeEventListener('beforeprint', begin)
			removeEventListener('afterprint', end)
		}
	}, [])
	return is
}

export function Talk({ messages, draw, editing, isBusy, hasOlder, onOlder, onAtEnd, head, tail, empty, handle }: Props) {
	const box = useRef<HTMLDivElement>(null)
	const feed = useRef<HTMLDivElement>(null)
	const kept = useRef<string[]>([]) // ids, the last used at the end
	const isFollowing = useRef(true)
	const lastTop = useRef(0)
	const isPrinting = usePrinting()
	const [above, setAbove] = useState(0) // px before the first message
	const places = new Map(messages.map((m, i) => [m.id, i]))
	const isAll = isPrinting || isWhole(messages)
	const list = useVirtualizer({
		count: messages.length,
		getScrollElement: () => box.current,
		estimateSize: () => USUAL_PX,
		getItemKey: i => messages[i]!.id,
		overscan: 4,
		gap: GAP_PX,
		scrollMargin: above,
		scrollPaddingStart: 72, // a jump leaves the question above an answer in sight
		anchorTo: 'end', // earlier messages that are added move nothing in sight
		scrollEndThreshold: NEAR_END_PX,
		initialRect: { width: 768, height: 800 },
		initialOffset: () => messages.length * (USUAL_PX + GAP_PX), // its end
		rangeExtractor: range => {
			if (isAll) return messages.map((_, i) => i)
			const used = [...kept.current, editing ?? ''].flatMap(id => places.get(id) ?? [])
			return [...new Set([...defaultRangeExtractor(range), ...used])].sort((a, b) => a - b)
		},
	})
	const keep = (e: React.SyntheticEvent) => {
		const id = (e.target as HTMLElement).closest<HTMLElement>('[data-message]')?.dataset.message
		if (id) kept.current = [...kept.current.filter(k => k !== id), id].slice(-MAX_KEPT)
	}
	const total = list.getTotalSize()
	useLayoutEffect(() => {
		setAbove(feed.current?.offsetTop ?? 0)
		if (isFollowing.current && box.current) box.current.scrollTop = box.current.scrollHeight
	}, [messages, total, isBusy, hasOlder])

	const waiting = useRef<{ id: string; done?: (message: HTMLElement) => void } | null>(null) // for a message that is read, but not drawn yet
	const now = useRef({ places, list })
	now.current = { places, list }
	const show = useCallback((id: string, done?: (message: HTMLElement) => void) => {
		isFollowing.current = false
		const place = now.current.places.get(id)
		waiting.current = place === undefined ? { id, done } : null
		if (place === undefined) return
		now.current.list.scrollToIndex(place, { align: 'start' })
		if (!done) return
		let left = MAX_FRAMES
		const look = () => {
			const found = feed.current?.querySelector<HTMLElement>(`[data-message="${CSS.escape(id)}"]`)
			if (found) done(found)
			else if (left-- > 0) requestAnimationFrame(look)
		}
		requestAnimationFrame(look)
	}, [])
	useEffect(() => {
		const w = waiting.current
		if (w && places.has(w.id)) show(w.id, w.done)
	}, [messages])
	useImperativeHandle(
		handle,
		() => ({
			toEnd: () => {
				isFollowing.current = true
				requestAnimationFrame(() => box.current?.scrollTo({ top: box.current.scrollHeight }))
			},
			stay: () => {
				isFollowing.current = false
			},
			show,
		}),
		[show],
	)
	return (
		<div
			ref={box}
			className="relative min-h-0 grow overflow-y-auto [overflow-anchor:none] print:overflow-visible"
			tabIndex={0}
			role="region"
			aria-label="Conversation"
			onScroll={e => {
				const b = e.currentTarget
				const isNear = b.scrollHeight - b.scrollTop - b.clientHeight < NEAR_END_PX
				// What grows below leaves the box where it is; only people move it up.
				if (isNear) isFollowing.current = true
				else if (b.scrollTop < lastTop.current) isFollowing.current = false
				lastTop.current = b.scrollTop
				onAtEnd(isNear)
				if (hasOlder && !isFollowing.current && b.scrollTop < b.clientHeight) onOlder()
			}}
		>
			{empty ?? (
				<div className="talk group/talk mx-auto max-w-3xl px-4 py-6" data-busy={isBusy || undefined}>
					{head}
					<div
						ref={feed}
						role="feed"
						aria-label="Messages"
						aria-busy={isBusy}
						className="relative"
						style={{ height: total }}
						onFocus={keep}
						onClick={keep}
						onKeyDown={e => {
							const step = neighbour(e)
							const at = places.get((e.target as HTMLElement).closest<HTMLElement>('[data-message]')?.dataset.message ?? '')
							const next = step && at !== undefined ? messages[at + step] : undefined
							if (!next) return
							e.preventDefault()
							show(next.id, found => found.querySelector<HTMLElement>('article')?.focus({ preventScroll: true }))
						}}
					>
						{list.getVirtualItems().map(v => {
							const m = messages[v.index]!
							return (
								<div
									key={v.key}
									ref={list.measureElement}
									data-index={v.index}
									data-message={m.id}
									className="absolute inset-x-0 top-0"
									style={{ transform: `translateY(${v.start - above}px)` }}
								>
									{draw(m, v.index)}
								</div>
							)
						})}
					</div>
					{tail}
				</div>
			)}
		</div>
	)
}
