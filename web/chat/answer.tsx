// The words of an answer, their figures, and what they rest on.
import { ChevronRight } from 'lucide-react'
import { type ReactNode, useMemo } from 'react'
import { Markdown } from '../shared/markdown'
import { markFigures } from './figures'
import type { Answer, Cell, Figure } from './types'

function about(f: Figure): string {
	switch (f.verdict) {
		case 'cell':
			return `From ${f.result}, row ${f.row}, ${f.column}: ${f.value}. Click to see the cell.`
		case 'computed':
			return `Computed from ${f.result ?? 'the results'}.`
		default:
			return 'No result holds this figure: it is not proven.'
	}
}

export function Words({ text, answer, onCell }: { text: string; answer?: Answer; onCell: (c: Cell) => void }) {
	const figures = useMemo(
		() => (answer?.answer === text ? (answer.figures ?? []).filter(f => f.verdict !== 'exempt') : []),
		[answer, text],
	)
	const plugins = useMemo(() => (figures.length ? [markFigures(text, figures)] : []), [text, figures])
	const components = useMemo(
		() => ({
			'figure-mark': (props: Record<string, unknown>) => {
				const f = figures[Number(props['data-n'])]
				const children = props.children as ReactNode
				if (!f) return children
				if (f.verdict === 'unproven')
					return (
						<mark className="rounded bg-warn-soft px-0.5 text-warn decoration-wavy underline" title={about(f)}>
							{children}
							<span className="sr-only"> (not proven)</span>
						</mark>
					)
				const { result, row, column } = f
				if (!result || !row || !column) return <span title={about(f)}>{children}</span>
				return (
					<button
						type="button"
						title={about(f)}
						onClick={() => onCell({ result, row, column })}
						className="rounded bg-accent-soft px-0.5 font-medium text-text underline decoration-accent decoration-dotted underline-offset-3 hover:decoration-solid"
					>
						{children}
					</button>
				)
			},
		}),
		[figures, onCell],
	)
	return <Markdown text={text} plugins={plugins} components={components as never} />
}

const count = new Intl.NumberFormat()
const times = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' })

export function Provenance({ answer, isOwn }: { answer: Answer; isOwn: boolean }) {
	const good = answer.queries.filter(q => q.ok && q.name)
	const tables = [...new Set(good.flatMap(q => q.tables ?? []))]
	const unproven = (answer.figures ?? []).filter(f => f.verdict === 'unproven').length
	return (
		<div className="space-y-2">
			{answer.status === 'cancelled' && <p className="text-quiet">{isOwn ? 'You stopped this answer.' : 'This answer was stopped.'}</p>}
			{answer.status !== 'ok' && answer.status !== 'cancelled' && (
				<p className="rounded-md bg-warn-soft px-3 py-2">
					<strong className="text-warn">This answer is incomplete.</strong> {answer.why}
				</p>
			)}
			{answer.doubt && (
				<p className="rounded-md bg-warn-soft px-3 py-2">
					<strong className="text-warn">Doubtful.</strong> {answer.doubt}
				</p>
			)}
			{unproven > 0 && !answer.doubt && (
				<p className="rounded-md bg-warn-soft px-3 py-2">
					{unproven === 1 ? 'One figure is' : `${unproven} figures are`} not proven by a result; {unproven === 1 ? 'it is' : 'they are'} marked.
				</p>
			)}
			{good.length > 0 && (
				<details data-why className="group text-sm text-quiet">
					<summary className="flex list-none items-center gap-1 hover:text-text">
						<ChevronRight aria-hidden className="size-4 transition-transform group-open:rotate-90" />
						Based on {tables.length ? tables.join(', ') : `${good.length} results`}
					</summary>
					<ul className="mt-1 space-y-1 border-l-2 border-line pl-3">
						{good.map(q => (
							<li key={q.name} className="break-words">
								<span className="font-medium text-text">{q.name}</span>: {q.tables?.join(', ') || 'no table'}
								{q.filters && q.filters.length > 0 && (
									<>
										, only where <code className="font-mono text-[13px]">{q.filters.join('; ')}</code>
									</>
								)}
								, {count.format(q.row_count ?? 0)} {q.row_count === 1 ? 'row' : 'rows'}
								{q.truncated ? ' (cut)' : ''}
								{q.metric && `, metric ${q.metric}`}
								{q.at && (
									<>
										, read <time dateTime={q.at}>{times.format(new Date(q.at))}</time>
									</>
								)}
							</li>
						))}
						<li>
							Model {answer.model}
							{isOwn && (
								<>
									: {count.format(answer.usage.model_calls)} calls, {count.format(answer.usage.input_tokens + answer.usage.output_tokens)} tokens
									{answer.usage.usd > 0 && `, $${answer.usage.usd.toFixed(4)}`}
								</>
							)}
						</li>
					</ul>
				</details>
			)}
		</div>
	)
}
