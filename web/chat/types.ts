// What the parts of an answer hold (docs/guide/serve.md).
import type { UIMessage } from 'ai'
import type { components } from '../shared/api_types' // made by tools/build-web

type Shapes = components['schemas']
export type Query = Shapes['Query']
export type Figure = Shapes['Figure']
export type Answer = Shapes['Answer']
export type Status = Shapes['Status']

// What a tool drew: its result.
export interface Drawn {
	artifact_id: string
	title: string
	type: string
	version: number
}

export type Verdict = Shapes['Said']['verdict']
export type Metadata = Shapes['MessageMetadata']
export type Message = UIMessage<Metadata | undefined, { answer: Answer; status: Status; artifact: Drawn }>
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

const QUESTION = '-user' // after the id of a turn: the id that the server gives its question

export const textOf = (m: Message): string => m.parts.map(p => (p.type === 'text' ? p.text : '')).join('')

// The turn of the question at i: the id of its answer, or its own id says it; '' = it never began.
export function turnAt(messages: Message[], i: number): string {
	const m = messages[i]!
	const answer = m.role === 'user' ? messages[i + 1] : m
	if (answer && answer.role !== 'user') return answer.id
	return m.id.endsWith(QUESTION) ? m.id.slice(0, -QUESTION.length) : ''
}
