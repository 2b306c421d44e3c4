// What the analyst did, as a story: a line for each call; what it asked, what the guard or the database said, and what came back.
import { ChevronRight, CircleAlert, CircleCheck, LoaderCircle, Pencil } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { Sql, laidOut } from '../shared/sql'
import { ResultTable } from '../shared/table'
import { Button } from '../shared/ui'
import { type Cell, type Query, type ToolPart, tableOf } from './types'

const TITLES: Record<string, [string, string]> = {
	execute_sql: ['Asking the database', 'Asked the database'],
	list_tables: ['Looking at the tables', 'Looked at the tables'],
	describe_table: ['Looking at a table', 'Looked at a table'],
	get_metadata: ['Reading the dictionary', 'Read the dictionary'],
	explain_query: ['Looking at the plan', 'Looked at the plan of a query'],
	create_artifact: ['Drawing an artifact', 'Drew an artifact'],
	update_artifact: ['Changing an artifact', 'Changed an artifact'],
	save_learning: ['Noting what was learned', 'Noted what was learned'],
}

const CLASSES: Record<string, string> = {
	column_not_found: 'It named a column that does not exist.',
	table_not_found: 'It named a table that does not exist.',
	validation: 'The guard refused the statement; it did not run.',
	syntax: 'The statement has a mistake in its grammar.',
	timeout: 'It took too long and was ended.',
}

const count = new Intl.NumberFormat()
const rowsOf = (n: number) => `${count.format(n)} ${n === 1 ? 'row' : 'rows'}`

function facts(part: ToolPart, query: Query | undefined): string {
	const out = []
	const table = tableOf(part.output)
	if (table) out.push(rowsOf(table.row_count ?? table.rows.length) + (table.truncated ? ', cut' : ''))
	if (query?.latency_ms !== undefined && query.ok) out.push(query.latency_ms < 1 ? '<1 ms' : `${count.format(query.latency_ms)} ms`)
	return out.join(' · ')
}

function Failure({ part, query, isCorrected }: { part: ToolPart; query?: Query; isCorrected: boolean }) {
	return (
		<div className="rounded-md bg-bad-soft px-3 py-2">
			<p className="font-medium text-bad">{part.errorText}</p>
			{query?.class && CLASSES[query.class] && <p>{CLASSES[query.class]}</p>}
			{isCorrected && <p>The analyst read this, and tried again below.</p>}
		</div>
	)
}

interface Props {
	part: ToolPart
	query?: Query // what the answer says of it
	isCorrected: boolean // another try follows
	lit: Cell | null
	onDraft?: (statement: string) => void
}

export function ToolCard({ part, query, isCorrected, lit, onDraft }: Props) {
	const tool = part.type.slice(5)
	const isOver = part.state === 'output-available' || part.state === 'output-error'
	const isBad = part.state === 'output-error'
	const input = part.input as Record<string, unknown> | undefined
	const sql = [input?.query, input?.sql].find(x => typeof x === 'string') as string | undefined
	const table = tableOf(part.output)
	const isLit = lit !== null && lit.result === query?.name
	const [isOpen, setOpen] = useState(false)
	const card = useRef<HTMLDetailsElement>(null)
	useEffect(() => {
		if (!isLit) return
		setOpen(true)
		card.current?.scrollIntoView({ block: 'nearest' })
	}, [isLit, lit])
	const [doing, did] = TITLES[tool] ?? [`Using ${tool}`, `Used ${tool}`]
	const of = [input?.table_name, input?.title].find(x => typeof x === 'string')
	const what = of ? `: ${String(of)}` : ''
	return (
		<details
			ref={card}
			open={isOpen}
			onToggle={e => setOpen(e.currentTarget.open)}
			className="group rounded-lg border border-line bg-panel"
			data-tool={tool}
		>
			<summary className="flex list-none items-center gap-2 rounded-lg px-3 py-2 hover:bg-sunk">
				{!isOver ? (
					<LoaderCircle aria-hidden className="size-4 shrink-0 animate-spin text-quiet" />
				) : isBad ? (
					<CircleAlert aria-hidden className="size-4 shrink-0 text-bad" />
				) : (
					<CircleCheck aria-hidden className="size-4 shrink-0 text-good" />
				)}
				<span className="min-w-0 truncate">
					{isOver ? did : doing}
					{what}
					{isBad && <span className="text-bad">: {part.errorText}</span>}
				</span>
				<span className="ml-auto shrink-0 text-sm text-quiet">{facts(part, query)}</span>
				<ChevronRight aria-hidden className="size-4 shrink-0 text-quiet transition-transform group-open:rotate-90" />
			</summary>
			{isOpen && (
				<div className="space-y-3 border-t border-line px-3 py-3 text-sm">
					{sql ? <Sql text={sql} /> : input && <Plain value={input} name="Input" />}
					{sql && onDraft && tool === 'execute_sql' && isOver && (
						<Button className="print:hidden" onClick={() => onDraft(laidOut(sql))}>
							<Pencil aria-hidden className="size-4" /> Change it and run it yourself
						</Button>
					)}
					{isBad ? (
						<Failure part={part} query={query} isCorrected={isCorrected} />
					) : (
						isOver && (
							<>
								{sql && tool === 'execute_sql' && (
									<p className="text-quiet">
										The guard let it pass: it only reads{query?.tables?.length ? ` ${query.tables.join(', ')}` : ''}.
									</p>
								)}
								{table?.truncated && <p className="text-warn">Only the first rows are here: the result was cut.</p>}
								{table?.caveats?.map(c => (
									<p key={c} className="text-warn">
										{c}
									</p>
								))}
								{table ? (
									<ResultTable
										name={query?.name ?? tool}
										columns={table.columns}
										rows={table.rows}
										lit={isLit ? lit : null}
									/>
								) : (
									<Plain value={part.output} name="Output" />
								)}
							</>
						)
					)}
				</div>
			)}
		</details>
	)
}

function Plain({ value, name }: { value: unknown; name: string }) {
	const text = typeof value === 'string' ? value : JSON.stringify(value, null, 1)
	return (
		<pre tabIndex={0} aria-label={name} className="max-h-72 overflow-auto rounded-md bg-sunk px-3 py-2 font-mono text-[13px]">
			{text}
		</pre>
	)
}
