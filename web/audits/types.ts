// The report of an audit (docs/reference/report.md): what the page shows of it.
import type { components } from '../shared/api_types'

type Shapes = components['schemas']
export type Audit = Shapes['Audit']
export type AuditEvent = Shapes['AuditEvent']
export type Sources = Shapes['AuditSources']
export type Change = Shapes['AuditChange']
export type Diff = Shapes['AuditDiff']
export type Run = Shapes['AuditRun']
export type Baseline = Omit<Shapes['AuditBaseline'], 'changes'> & { changes: SinceBaseline | null }
export type Collection = Shapes['AuditCollection']
export type Totals = Shapes['AuditTotals']

export const SEVERITIES = ['critical', 'high', 'medium', 'low'] as const
export type Severity = (typeof SEVERITIES)[number]

export interface Finding {
	id: string
	key: string // the same in each audit of the source
	field: string // "" = whole documents
	category: string
	category_title: string
	severity: Severity
	description: string
	detail: string
	hypothesis: string
	repair: string
	evidence_query: string
	evidence_shell: { filter?: string; pipeline?: string }
	affected_count: number
	affected_pct: number
	total_count: number
	examples: { where: string; value: unknown }[]
	parts: { category: string; description: string; affected_count: number }[]
	user_label: string | null
	status: string
	set_aside?: { reason: string } | null
}

export interface Histogram {
	unit: string
	width: number
	edges: (number | string)[]
	counts: number[]
	marked?: number[]
	below: number // values that no bar has: far from the others
	above: number
	marked_below?: number
	marked_above?: number
}

export interface Distribution {
	path: string
	types: Record<string, number>
	present_count: number
	missing_count: number
	null_count: number
	distinct: number
	numbers?: { min: unknown; max: unknown; mean: unknown; quantiles: Record<string, unknown>; histogram?: Histogram }
	dates?: { min: unknown; max: unknown; quantiles: Record<string, unknown>; histogram?: Histogram }
	texts?: { empty: number; blank: number; length?: { min: number; max: number; histogram?: Histogram } }
	arrays?: { empty: number; size?: { min: number; max: number; histogram?: Histogram } }
	top_values: { value: unknown; count: number; marked?: number }[]
	rare_values: { value: unknown; count: number; marked?: number }[]
}

export interface SinceBaseline {
	compared: boolean
	why: string
	new: { key: string }[]
	more: { key: string; field: string; category: string; affected_count: number; was: number }[]
	gone: number
	new_gaps: string[]
}

export interface Gap {
	severity: Severity
	count: number
	message: string
	next_step: string
}

export interface Report {
	id: string
	collection: string
	status: string
	status_reason: string
	run_at: string
	duration_seconds: number
	collection_size: number
	documents_sampled: number
	planner: string
	masked: boolean
	verdict: string
	gaps: Gap[]
	findings: Finding[]
	distributions: Distribution[]
	coverage: { paths: number; investigated: number }
	set_aside_count: number
	previous_run_id: string | null
	previous_run_at: string | null
	new_findings: { key: string }[]
	resolved_findings: { id: string; field: string; category: string }[]
	regressed_fields: string[]
	still_present: unknown[]
	not_checked: unknown[]
	cost: { usd?: number } | null
}

export interface Inspected {
	collection: string
	collection_size: number
	documents_sampled: number
	masked: boolean
	distributions: Distribution[]
}

export interface Checked {
	other_data: boolean
	other_data_why: string
	findings: { id: string; result: string; was: number; now: number | null; why: string }[]
}
