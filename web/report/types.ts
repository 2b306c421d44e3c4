// The data of a saved report: what `--output json` prints, without the trace.
import type { Inspected, Report } from '../audits/types'

export interface Past {
	at: string
	status: string
	documents: number
	critical: number
	high: number
	medium: number
	low: number
	null_values: number
	counted_values: number
}
export interface SavedReport extends Report {
	words: string // the verdict, as the terminal says it
	source: { uri?: string; bytes?: number } | null
	baseline?: { compared: boolean; with: string; why: string; new: { key: string }[]; more: unknown[]; gone: number }
	trend?: Past[] // oldest first
}
export interface LeftOut {
	where: string
	text: string
}
export interface SavedReports {
	reports: SavedReport[]
	left_out: LeftOut[]
}
export interface SavedCollection extends Inspected {
	source: string
	broken?: number
	first_issue?: string
}
export type Saved = SavedReports | { inspected: SavedCollection[] }
