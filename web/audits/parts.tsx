// Parts of a report: how it was made, what was not checked. In the page and in saved reports alike.
import { SeverityMark, cost, count, many } from './marks'
import type { Report } from './types'

export function About({ of: r }: { of: Report }) {
	return (
		<p className="text-sm text-quiet">
		{r.documents_sampled < r.collection_size
			? `${count(r.documents_sampled)} of ${count(r.collection_size)} documents`
			: many(r.collection_size, 'document')}{' '}
		in {r.duration_seconds < 10 ? r.duration_seconds.toFixed(1) : Math.round(r.duration_seconds)} s, {count(r.coverage.investigated)} of {many(r.coverage.paths, 'field')}{' '}
		investigated, {r.planner === 'builtin' ? 'without a model' : `by ${r.planner}`}
		{r.set_aside_count > 0 && `, ${many(r.set_aside_count, 'finding')} set aside`}
		{r.cost?.usd ? `, ${cost(0, r.cost.usd)}` : ''}. {r.status !== 'ok' && `${r.status_reason}.`}
		</p>
	)
}

export function Gaps({ of }: { of: Report['gaps'] }) {
	if (!of.length) return null
	return (
		<ul className="space-y-1" aria-label="What was not checked">
			{of.map((g, i) => (
				<li key={i} className="flex flex-wrap items-baseline gap-2 text-sm">
					<SeverityMark severity={g.severity} />
					<span>
						{g.message}. <span className="text-quiet">What to do: {g.next_step}.</span>
					</span>
				</li>
			))}
		</ul>
	)
}
