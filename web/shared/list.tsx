// A long list in a box that scrolls: only what is in sight is drawn.
import { useVirtualizer } from '@tanstack/react-virtual'
import { type ReactNode, useRef } from 'react'

export interface ListProps<T> {
	of: T[]
	keyOf: (one: T) => string
	label: string
	height: number // of an entry, about
	children: (one: T) => ReactNode
}

export function ScrolledList<T>({ of, keyOf, label, height, children }: ListProps<T>) {
	const box = useRef<HTMLDivElement>(null)
	const list = useVirtualizer({
		count: of.length,
		getScrollElement: () => box.current,
		estimateSize: () => height,
		overscan: Math.ceil(560 / height),
		gap: 8,
		getItemKey: i => keyOf(of[i]!),
		initialRect: { width: 800, height: 800 },
	})
	return (
		<div ref={box} className="min-h-[75dvh] grow overflow-y-auto sm:min-h-80" tabIndex={0} role="region" aria-label={label}>
			<div style={{ height: list.getTotalSize() }} className="relative">
				{list.getVirtualItems().map(v => (
					<div key={v.key} data-index={v.index} ref={list.measureElement} className="absolute inset-x-0 top-0" style={{ transform: `translateY(${v.start}px)` }}>
						{children(of[v.index]!)}
					</div>
				))}
			</div>
		</div>
	)
}
