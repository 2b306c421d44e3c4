// Reports of an older Argus lack members: they count as empty.
import type { Finding, Report } from '../audits/types'
import type { Saved, SavedReport } from './types'

const finding = { key: '', detail: '', hypothesis: '', repair: '', evidence_shell: {}, examples: [], parts: [], user_label: null }
const report = {
	gaps: [],
	distributions: [],
	coverage: { paths: 0, investigated: 0 },
	set_aside_count: 0,
	previous_run_id: null,
	new_findings: [],
	resolved_findings: [],
	regressed_fields: [],
	still_present: [],
	not_checked: [],
} satisfies Partial<Report>

export function whole(saved: Saved): Saved {
	if ('inspected' in saved) return saved
	const reports = saved.reports.map((r): SavedReport => ({ ...report, ...r, findings: r.findings.map((f): Finding => ({ ...finding, ...f })) }))
	return { ...saved, reports }
}
