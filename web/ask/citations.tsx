// What an answer rests on: each citation opens the lines that it names, with those around them.
import { useQuery } from '@tanstack/react-query'
import { ChevronRight, FileText } from 'lucide-react'
import { useState } from 'react'
import { ProblemNote } from '../shared/problem'
import { Button } from '../shared/ui'
import { type Citation, questions } from './api'

const STEPS = [3, 20, 100] // lines around the cited ones

const place = (c: Citation) => (c.line ? (c.last_line > c.line ? `lines ${c.line}–${c.last_line}` : `line ${c.line}`) : 'the whole file')

function Lines({ id, n, of }: { id: string; n: number; of: Citation }) {
	const [step, setStep] = useState(0)
	const found = useQuery({
		queryKey: ['cited-lines', id, n, step],
		queryFn: () => questions.lines(id, n, STEPS[step]!),
		placeholderData: before => before,
	})
	if (found.error) return <ProblemNote error={found.error} />
	const f = found.data
	if (!f) return <p className="px-3 py-2 text-quiet">Reading the file …</p>
	const isCited = (line: number) => f.line > 0 && line >= f.line && line <= Math.max(f.last_line, f.line)
	const isAll = f.first === 1 && f.lines.length >= f.of
	return (
		<div>
			{f.is_changed && (
				<p role="status" className="bg-warn-soft px-3 py-1.5 text-sm text-warn">
					The file has changed since this answer. These are its lines now.
				</p>
			)}
			<div className="max-h-96 overflow-auto bg-sunk py-2 font-mono text-[0.82rem]" tabIndex={0} role="region" aria-label={`${of.path}, ${place(of)}`}>
				<ol>
					{f.lines.map((line, i) => {
						const number = f.first + i
						const cited = isCited(number)
						return (
							<li key={number} value={number} className={`flex ${cited ? 'border-l-4 border-accent bg-accent-soft' : 'border-l-4 border-transparent text-quiet'}`}>
								<span aria-hidden className="w-12 shrink-0 pr-3 text-right text-quiet select-none">
									{number}
								</span>
								<span className="min-w-0 grow pr-3 break-words whitespace-pre-wrap">{line || ' '}</span>
							</li>
						)
					})}
				</ol>
			</div>
			<div className="flex flex-wrap items-center gap-2 px-3 py-1.5 text-sm text-quiet">
				<span className="grow">
					{f.lines.length} of {f.of} lines
				</span>
				{step + 1 < STEPS.length && !isAll && <Button onClick={() => setStep(step + 1)}>Show more around it</Button>}
			</div>
		</div>
	)
}

export function Citations({ id, list }: { id: string; list: Citation[] }) {
	const [open, setOpen] = useState(-1)
	if (!list.length) return null
	return (
		<section aria-label="Citations" className="space-y-2">
			<h3 className="font-medium">What it rests on</h3>
			<ul className="space-y-2">
				{list.map((c, i) => (
					<li key={i} className="overflow-hidden rounded-lg border border-line bg-panel">
						<button
							type="button"
							aria-expanded={open === i}
							onClick={() => setOpen(open === i ? -1 : i)}
							className="flex w-full items-center gap-2 px-3 py-2 text-left hover:bg-sunk"
						>
							<FileText aria-hidden className="size-4 shrink-0 text-accent" />
							<span className="min-w-0 grow">
								<span className="block font-mono text-sm break-all">
									{c.path}
									{c.anchor && <span className="text-quiet">#{c.anchor}</span>}
								</span>
								<span className="block text-sm text-quiet">
									{c.title && `${c.title}, `}
									{place(c)}
								</span>
							</span>
							<ChevronRight aria-hidden className={`size-4 shrink-0 text-quiet ${open === i ? 'rotate-90' : ''}`} />
						</button>
						{open === i && (
							<div className="border-t border-line">
								<Lines id={id} n={i + 1} of={c} />
							</div>
						)}
					</li>
				))}
			</ul>
		</section>
	)
}
