// Draws an artifact in the server's frame. Code of a model runs in there: it has no origin, no network and no way to this page
// but messages, of which this side believes nothing but their text.
import { type Ref, useEffect, useImperativeHandle, useRef } from 'react'
import { type FrameName, type FromFrame, MAX_MESSAGE, MAX_PICTURE, MAX_STACK, type Show, type ToFrame } from '../frame/messages'
import type { ArtifactKind } from '../shared/api'

const PATIENCE_MS = 15000
const frameOf = (kind: ArtifactKind): FrameName => (kind === 'react' || kind === 'plotly' ? kind : 'document')

export interface Failure {
	message: string
	stack: string
}

export interface FrameHandle {
	picture: (as: 'svg' | 'png') => Promise<string> // "" = there is none
}

interface Props {
	kind: ArtifactKind
	title: string
	show: Omit<Show, 'argus'>
	onFailure: (f: Failure | null) => void // null: it was drawn
	handle: Ref<FrameHandle>
}

const textOf = (v: unknown, max: number) => (typeof v === 'string' ? v.slice(0, max) : '')

export function ArtifactFrame({ kind, title, show, onFailure, handle }: Props) {
	const frame = useRef<HTMLIFrameElement>(null)
	const isReady = useRef(false)
	const isDrawn = useRef(false)
	const waiting = useRef<((picture: string) => void) | null>(null)
	const latest = useRef({ show, onFailure })
	latest.current = { show, onFailure }
	// The frame has no origin to name; frame-src keeps another document from taking its place.
	const send = (m: ToFrame) => frame.current?.contentWindow?.postMessage(m, '*')
	const draw = () => {
		isDrawn.current = false
		send({ argus: 'show', ...latest.current.show })
	}
	useEffect(() => {
		const onMessage = (e: MessageEvent<FromFrame>) => {
			if (e.source !== frame.current?.contentWindow || e.origin !== 'null') return
			const m = e.data as { argus?: unknown; message?: unknown; stack?: unknown; picture?: unknown } | null
			switch (m?.argus) {
				case 'ready':
					isReady.current = true
					draw()
					break
				case 'shown':
					isDrawn.current = true
					latest.current.onFailure(null)
					break
				case 'error':
					isDrawn.current = true
					latest.current.onFailure({ message: textOf(m.message, MAX_MESSAGE), stack: textOf(m.stack, MAX_STACK) })
					break
				case 'picture':
					waiting.current?.(textOf(m.picture, MAX_PICTURE + 1))
					waiting.current = null
			}
		}
		addEventListener('message', onMessage)
		return () => removeEventListener('message', onMessage)
	}, [])
	useEffect(() => {
		if (isReady.current) draw()
		const timer = setTimeout(() => {
			if (!isDrawn.current) latest.current.onFailure({ message: `Nothing was drawn within ${PATIENCE_MS / 1000} seconds.`, stack: '' })
		}, PATIENCE_MS)
		return () => clearTimeout(timer)
	}, [show.code, show.data, show.theme])
	useImperativeHandle(handle, () => ({
		picture: as =>
			new Promise(done => {
				const timer = setTimeout(() => done(''), PATIENCE_MS)
				waiting.current = picture => {
					clearTimeout(timer)
					done(picture.length > MAX_PICTURE ? '' : picture)
				}
				send({ argus: 'picture', as })
			}),
	}))
	return (
		<iframe
			ref={frame}
			src={`/frame/${frameOf(kind)}`}
			sandbox="allow-scripts"
			referrerPolicy="no-referrer"
			title={title}
			className="size-full bg-white"
		/>
	)
}
