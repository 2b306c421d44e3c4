// What the parts of an answer hold (docs/guide/serve.md).
import type { UIMessage } from 'ai'

export interface Query {
	name?: string // "r1": of one that gave a table
	tool: string
	sql: string
	ok: boolean
	error?: string
	class?: string
	tables: string[]
	filters: string[]
	metric?: string
	columns?: string[]
	row_count?: number
	truncated?: boolean
	at: string
	latency_ms: number
}

export interface Figure {
	at: number // bytes of UTF-8 into the answer
	len: number
	text: string
	verdict: string
	result?: string
	row?: number // from 1
	column?: string
	value?: string
}

export interface Answer {
	answer: string | null // null: it was stopped, or failed, before it had one
	status: string // "ok", "cancelled", …
	why: string
	project: string
	model: string
	queries: Query[]
	figures?: Figure[]
	doubt: string
	usage: { model_calls: number; input_tokens: number; output_tokens: number; usd: number }
}

export interface Status {
	kind: string // "replaced", "void", "retryable-error"
	part?: string
	reason?: string
}

export type Message = UIMessage<unknown, { answer: Answer; status: Status; artifact: { id?: string; title?: string } }>
export type Part = Message['parts'][number]

export interface ToolPart {
	type: string
	toolCallId: string
	state: string
	input?: unknown
	output?: unknown
	errorText?: string
}

export const isTool = (p: Part): boolean => p.type.startsWith('tool-')

// A table, as execute_sql gives one.
export interface Table {
	columns: string[]
	column_types?: string[]
	rows: unknown[][]
	row_count?: number
	truncated?: boolean
	caveats?: string[]
}

export function tableOf(output: unknown): Table | null {
	const t = output as Partial<Table> | null
	return t && typeof t === 'object' && Array.isArray(t.columns) && Array.isArray(t.rows) ? (t as Table) : null
}

// A cell that a figure stands on.
export interface Cell {
	result: string
	row: number
	column: string
}
