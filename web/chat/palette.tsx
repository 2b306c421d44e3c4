// Ctrl+K: everything by keyboard. Words filter; up, down and Enter choose.
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { api } from '../shared/api'
import { Dialog } from '../shared/dialog'
import type { Command } from '../shared/shell'

export function Palette({ commands }: { commands: Command[] }) {
	const navigate = useNavigate()
	const [isOpen, setOpen] = useState(false)
	const [text, setText] = useState('')
	const [place, setPlace] = useState(0)
	const words = text.trim()
	const found = useQuery({ queryKey: ['threads', 'palette', words], queryFn: () => api.threads(words, ''), enabled: isOpen })
	useEffect(() => {
		const onKey = (e: KeyboardEvent) => {
			if (e.key.toLowerCase() !== 'k' || !(e.ctrlKey || e.metaKey) || e.altKey || e.shiftKey) return
			e.preventDefault()
			setText('')
			setPlace(0)
			setOpen(true)
		}
		addEventListener('keydown', onKey)
		return () => removeEventListener('keydown', onKey)
	}, [])
	if (!isOpen) return null
	const all: Command[] = [
		...commands.filter(c => (words || !c.isSearched) && c.name.toLowerCase().includes(words.toLowerCase())),
		...(found.data?.threads ?? []).slice(0, 12).map(t => ({
			name: t.title,
			run: () => void navigate({ to: '/chat/$id', params: { id: t.id } }),
		})),
	]
	const chosen = Math.min(place, all.length - 1)
	const choose = (c: Command | undefined) => {
		if (!c) return
		setOpen(false)
		c.run()
	}
	return (
		<Dialog label="Commands and conversations" onClose={() => setOpen(false)} className="mx-auto mt-[12vh] w-[min(36rem,calc(100vw-2rem))] p-0">
			<input
				autoFocus
				role="combobox"
				aria-label="Command or conversation"
				aria-expanded
				aria-controls="palette-list"
				aria-activedescendant={chosen >= 0 ? `palette-${chosen}` : undefined}
				placeholder="Command or conversation"
				value={text}
				onChange={e => {
					setText(e.target.value)
					setPlace(0)
				}}
				onKeyDown={e => {
					const step = e.key === 'ArrowDown' ? 1 : e.key === 'ArrowUp' ? -1 : 0
					if (step && all.length) setPlace((chosen + step + all.length) % all.length)
					else if (e.key === 'Enter') choose(all[chosen])
					else return
					e.preventDefault()
				}}
				className="w-full border-b border-line bg-transparent px-4 py-3 placeholder:text-quiet focus:outline-none"
			/>
			<ul id="palette-list" role="listbox" aria-label="What was found" className="max-h-80 overflow-y-auto p-2">
				{all.map((c, i) => (
					<li
						key={i}
						id={`palette-${i}`}
						role="option"
						aria-selected={i === chosen}
						ref={i === chosen ? e => e?.scrollIntoView({ block: 'nearest' }) : undefined}
						onClick={() => choose(c)}
						onMouseMove={() => setPlace(i)}
						className={`cursor-pointer truncate rounded-md px-3 py-1.5 ${i === chosen ? 'bg-accent-soft' : ''}`}
					>
						{c.name}
					</li>
				))}
			</ul>
			{all.length === 0 && found.isSuccess && <p className="px-4 pb-3 text-quiet">Nothing has these words.</p>}
		</Dialog>
	)
}
