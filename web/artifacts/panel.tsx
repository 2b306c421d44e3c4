// The panel beside a conversation: the list of artifacts, or one of them. Its width is kept by the browser; on a small window it
// lies over the conversation.
import { useQueryClient } from '@tanstack/react-query'
import { ArrowLeft, X } from 'lucide-react'
import { useEffect, useState } from 'react'
import type { Start } from '../shared/api'
import { IconButton } from '../shared/ui'
import { ArtifactView } from './artifact'
import { ArtifactList } from './list'
import { useOpen } from './place'

const MIN_PX = 320
const STEP_PX = 32
const KEPT = 'argus-panel-width'
const largest = () => Math.max(MIN_PX, Math.round(innerWidth * 0.75))
const within = (px: number) => Math.min(largest(), Math.max(MIN_PX, Math.round(px)))

function Divider({ width, onWidth }: { width: number; onWidth: (px: number) => void }) {
	const [isDragged, setDragged] = useState(false)
	return (
		<>
			<div
				role="separator"
				aria-orientation="vertical"
				aria-label="Width of the panel"
				aria-valuenow={width}
				aria-valuemin={MIN_PX}
				aria-valuemax={largest()}
				tabIndex={0}
				className="absolute inset-y-0 -left-1 z-10 hidden w-2 cursor-col-resize touch-none hover:bg-accent/40 focus-visible:bg-accent lg:block"
				onPointerDown={e => {
					e.currentTarget.setPointerCapture(e.pointerId)
					setDragged(true)
				}}
				onPointerMove={e => isDragged && onWidth(within(innerWidth - e.clientX))}
				onPointerUp={() => setDragged(false)}
				onPointerCancel={() => setDragged(false)}
				onKeyDown={e => {
					const step = e.key === 'ArrowLeft' ? STEP_PX : e.key === 'ArrowRight' ? -STEP_PX : 0
					if (!step) return
					e.preventDefault()
					onWidth(within(width + step))
				}}
			/>
			{/* The frame would take the pointer. */}
			{isDragged && <div className="fixed inset-0 z-10 cursor-col-resize" />}
		</>
	)
}

interface Props {
	project: string
	id?: string
	start?: Start
	onAsk: (question: string) => void
}

export default function ArtifactPanel({ project, id, start, onAsk }: Props) {
	const open = useOpen()
	const store = useQueryClient()
	const [width, setWidth] = useState(() => within(Number(localStorage.getItem(KEPT)) || innerWidth * 0.42))
	useEffect(() => {
		// In a dialog the key closes that alone.
		const close = (e: KeyboardEvent) => e.key === 'Escape' && !e.defaultPrevented && !document.querySelector('dialog[open]') && open()
		addEventListener('keydown', close)
		return () => removeEventListener('keydown', close)
	}, [])
	const resize = (px: number) => {
		localStorage.setItem(KEPT, String(px))
		setWidth(px)
	}
	const toList = () => {
		void store.invalidateQueries({ queryKey: ['artifacts'] })
		open(project)
	}
	return (
		<aside
			aria-label="Artifacts"
			style={{ '--width': `${width}px` } as React.CSSProperties}
			className="absolute inset-0 z-20 flex flex-col border-line bg-page lg:relative lg:inset-auto lg:z-auto lg:w-(--width) lg:max-w-[75vw] lg:shrink-0 lg:border-l"
		>
			<Divider width={width} onWidth={resize} />
			<div className="flex h-11 shrink-0 items-center gap-1 border-b border-line px-2 text-sm">
				{id ? (
					<button type="button" onClick={toList} className="flex items-center gap-1.5 rounded-md px-2 py-1 text-quiet hover:bg-sunk hover:text-text">
						<ArrowLeft aria-hidden className="size-4" /> All artifacts
					</button>
				) : (
					<h2 className="px-2 font-semibold">Artifacts</h2>
				)}
				<span className="grow" />
				<IconButton label="Close the panel" onClick={() => open()}>
					<X aria-hidden className="size-5" />
				</IconButton>
			</div>
			{id ? (
				<ArtifactView key={`${project} ${id}`} project={project} id={id} onAsk={onAsk} onDeleted={toList} />
			) : (
				<ArtifactList project={project} start={start} />
			)}
		</aside>
	)
}
