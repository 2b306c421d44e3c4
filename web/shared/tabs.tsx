// Tabs over one panel, whose id is "ID-panel": the arrow keys, Home and End go from one to the next.

interface Props<T extends string> {
	label: string
	tabs: readonly T[]
	chosen: T
	onChoose: (t: T) => void
	id?: string // unlike any other's on the page
}

export function Tabs<T extends string>({ label, tabs, chosen, onChoose, id = 'tab' }: Props<T>) {
	const last = tabs.length - 1
	const walk = (e: React.KeyboardEvent) => {
		const at = tabs.indexOf(chosen)
		const to = { ArrowRight: at === last ? 0 : at + 1, ArrowLeft: at === 0 ? last : at - 1, Home: 0, End: last }[e.key]
		if (to === undefined) return
		e.preventDefault()
		onChoose(tabs[to]!)
		document.getElementById(`${id}-${tabs[to]}`)?.focus()
	}
	return (
		<div role="tablist" aria-label={label} className="flex shrink-0 gap-1 border-b border-line px-2" onKeyDown={walk}>
			{tabs.map(t => (
				<button
					key={t}
					id={`${id}-${t}`}
					type="button"
					role="tab"
					aria-selected={t === chosen}
					aria-controls={`${id}-panel`}
					tabIndex={t === chosen ? 0 : -1}
					onClick={() => onChoose(t)}
					className={`-mb-px min-h-9 border-b-2 px-3 text-sm ${t === chosen ? 'border-accent font-medium' : 'border-transparent text-quiet hover:text-text'}`}
				>
					{t}
				</button>
			))}
		</div>
	)
}
