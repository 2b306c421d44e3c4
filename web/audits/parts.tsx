// Parts of a report: how it was made, what was not checked, its tabs. In the page and in saved reports alike.
import { SeverityMark, count, many } from './marks'
import type { Report } from './types'

export function About({ of: r }: { of: Report }) {
	return (
		<p className="text-sm text-quiet">
		{r.documents_sampled < r.collection_size
			? `${count(r.documents_sampled)} of ${count(r.collection_size)} documents`
			: many(r.collection_size, 'document')}{' '}
		in {r.duration_seconds < 10 ? r.duration_seconds.toFixed(1) : Math.round(r.duration_seconds)} s, {count(r.coverage.investigated)} of {many(r.coverage.paths, 'field')}{' '}
		investigated, {r.planner === 'builtin' ? 'without a model' : `by ${r.planner}`}
		{r.set_aside_count > 0 && `, ${many(r.set_aside_count, 'finding')} set aside`}. {r.status !== 'ok' && `${r.status_reason}.`}
		</p>
	)
}

export function Gaps({ of }: { of: Report['gaps'] }) {
	if (!of.length) return null
	return (
		<ul className="space-y-1" aria-label="What was not checked">
			{of.map((g, i) => (
				<li key={i} className="flex items-baseline gap-2 text-sm">
					<SeverityMark severity={g.severity} />
					<span>
						{g.message}. <span className="text-quiet">What to do: {g.next_step}.</span>
					</span>
				</li>
			))}
		</ul>
	)
}

// id: unlike any other's on the page.
export function Tabs<T extends string>({ of, chosen, onChoose, id = 'tab' }: { of: readonly T[]; chosen: T; onChoose: (t: T) => void; id?: string }) {
	return (
		<div role="tablist" aria-label="Parts of the report" className="flex gap-1 border-b border-line">
			{of.map((t, i) => (
				<button
					key={t}
					type="button"
					role="tab"
					id={`${id}-${t}`}
					aria-selected={t === chosen}
					aria-controls={`${id}-panel`}
					tabIndex={t === chosen ? 0 : -1}
					onClick={() => onChoose(t)}
					onKeyDown={e => {
						const step = e.key === 'ArrowRight' ? 1 : e.key === 'ArrowLeft' ? -1 : 0
						if (!step) return
						const to = of[(i + step + of.length) % of.length]!
						onChoose(to)
						document.getElementById(`${id}-${to}`)?.focus()
					}}
					className={`-mb-px min-h-9 border-b-2 px-3 ${t === chosen ? 'border-accent font-medium' : 'border-transparent text-quiet hover:text-text'}`}
				>
					{t}
				</button>
			))}
		</div>
	)
}
