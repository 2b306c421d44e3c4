// One finding: what is wrong, how much, the evidence, what to do. `tools` is what a reader can do with it there.
import type { ReactNode } from 'react'
import { Code, shell } from './evidence'
import { SeverityMark, count, share } from './marks'
import type { Finding } from './types'

// A text that could be taken for a number, null or nothing gets quotes.
export const shownValue = (v: unknown) => (typeof v === 'string' && !/^(-?[\d.,]+|true|false|null|\s*)$/.test(v) && v.trim() === v ? v : JSON.stringify(v))

interface Props {
	collection: string
	of: Finding
	isNew: boolean
	isOpen: boolean
	onTurn: () => void
	tools: (f: Finding) => ReactNode
}

export function FindingCard({ collection, of: f, isNew, isOpen, onTurn, tools }: Props) {
	const name = f.field || 'whole documents'
	return (
		<article aria-label={`${name}: ${f.category_title}`} className="rounded-lg border border-line bg-panel">
			<h3>
				<button
					type="button"
					aria-expanded={isOpen}
					onClick={onTurn}
					className="grid w-full grid-cols-[4rem_minmax(0,1fr)_auto] items-baseline gap-x-2 rounded-lg sm:grid-cols-[5rem_minmax(0,1fr)_auto] sm:gap-x-3 px-3 py-2 text-left hover:bg-sunk"
				>
					<span>
						<SeverityMark severity={f.severity} />
					</span>
					<span className="min-w-0">
						<span className="font-mono text-sm font-semibold break-all">{name}</span>
						<span className="text-quiet"> {f.category_title}</span>
						{isNew && <span className="ml-2 rounded border border-current px-1.5 text-sm text-bad">new</span>}
						{f.status === 'pending_review' && <span className="ml-2 rounded bg-warn-soft px-1.5 text-sm text-warn">waits for a review</span>}
						<span className="block text-sm">{f.description}</span>
					</span>
					<span className="text-right text-sm tabular-nums">
						{count(f.affected_count)}
						<span className="block text-quiet">{share(f.affected_pct)}</span>
					</span>
				</button>
			</h3>
			{isOpen && (
				<div className="space-y-3 border-t border-line px-3 py-3">
					{f.detail && <p className="break-words">{f.detail}</p>}
					{f.examples.length > 0 && (
						<ul className="space-y-0.5 text-sm" aria-label="Examples">
							{f.examples.slice(0, 5).map((x, i) => (
								<li key={i} className="flex flex-wrap gap-x-3">
									<span className="text-quiet">{x.where}</span>
									<span className="font-mono text-[0.9em] break-all">{shownValue(x.value)}</span>
								</li>
							))}
						</ul>
					)}
					{f.hypothesis && (
						<p>
							<span className="text-quiet">Likely cause: </span>
							{f.hypothesis}
						</p>
					)}
					{f.repair && (
						<p>
							<span className="text-quiet">What to do: </span>
							{f.repair}
						</p>
					)}
					{f.parts.length > 0 && (
						<ul className="list-disc pl-5 text-sm" aria-label="Part of it">
							{f.parts.map((p, i) => (
								<li key={i}>
									{p.description} ({count(p.affected_count)})
								</li>
							))}
						</ul>
					)}
					<Code text={shell(collection, f)} label="for mongosh" />
					{tools(f)}
				</div>
			)}
		</article>
	)
}
