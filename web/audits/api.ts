// Requests about audits.
import { ask, json } from '../shared/api'
import type { components } from '../shared/api_types' // made by tools/build-web
import { upload } from '../shared/upload'
import type { Source } from './documents'
import type { Baseline, Checked, Finding, Inspected, Report, Run } from './types'

const q = (values: object) =>
	Object.entries(values)
		.filter(([, v]) => v)
		.map(([k, v]) => `${k}=${encodeURIComponent(String(v))}`)
		.join('&')
const one = (id: string) => `/api/audits/${encodeURIComponent(id)}`

export interface NewAudit {
	project?: string
	collection?: string
	upload?: string
	eval_profile?: 'fast' | 'balanced' | 'thorough'
	max_iterations?: number
	max_seconds?: number
}

export type Order = 'findings' | 'nulls' | 'documents' | 'changes' | 'last' | 'name'
// What the address of the page about quality holds.
export interface QualityQuestion {
	project?: string
	q?: string
	severity?: string
	changed?: string
	sort?: Order
	order?: 'reverse'
}
export type Profile = components['schemas']['AuditProfile']

// A finding that waits for a person, with the audit that found it.
export interface Waiting {
	run: Run
	finding: Finding
}

export const audits = {
	collections: (of: QualityQuestion, cursor: string) => json<'listAuditedCollections'>(`/api/audits/collections?${q({ ...of, cursor, limit: '50' })}`),
	list: (project: string, cursor: string) => json<'listAudits'>(`/api/audits?${q({ project, cursor, limit: '50' })}`),
	sources: (project: string) => json<'listAuditSources'>(`/api/audits/sources?${q({ project })}`),
	profiles: (project: string, cursor: string) => json<'listAuditProfiles'>(`/api/audits/profiles?${q({ project, cursor, limit: '100' })}`),
	saveProfile: (project: string, name: string, body: Pick<NewAudit, 'eval_profile' | 'max_iterations' | 'max_seconds'>) =>
		json<'saveAuditProfile'>(`/api/audits/profiles/${encodeURIComponent(name)}`, 'PUT', { ...(project && { project }), ...body }),
	renameProfile: (project: string, name: string, to: string) =>
		json<'renameAuditProfile'>(`/api/audits/profiles/${encodeURIComponent(name)}`, 'PATCH', { ...(project && { project }), name: to }),
	dropProfile: (project: string, name: string) => json<'dropAuditProfile'>(`/api/audits/profiles/${encodeURIComponent(name)}?${q({ project })}`, 'DELETE'),
	start: async (body: NewAudit) => {
		const r = await ask('/api/audits', { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) })
		return ((await r.json()) as { audits: { id: string }[] }).audits
	},
	upload: (project: string, file: File, onSent: (share: number) => void) =>
		upload('PUT', `/api/audits/uploads/${encodeURIComponent(file.name)}?${q({ project })}`, file, 'application/octet-stream', onSent),
	dropUpload: (project: string, name: string) =>
		json<'dropDocuments'>(`/api/audits/uploads/${encodeURIComponent(name)}?${q({ project })}`, 'DELETE'),
	get: (id: string) => json<'getAudit'>(one(id)),
	events: (id: string, after: number) => json<'listAuditEvents'>(`${one(id)}/events?after=${after}`),
	report: async (id: string) => (await (await ask(audits.reportAddress(id))).json()) as Report,
	reportAddress: (id: string) => `${one(id)}/report`,
	exportAddress: (id: string, as: string) => `${one(id)}/export?as=${as}`,
	diff: (id: string, older: string) => json<'compareAudits'>(`${one(id)}/diff?${q({ with: older })}`),
	baseline: async (id: string) => (await json<'getAuditBaseline'>(`${one(id)}/baseline`)) as Baseline,
	setBaseline: (id: string) => json<'setAuditBaseline'>(`${one(id)}/baseline`, 'PUT', {} as never),
	dropBaseline: (id: string) => json<'dropAuditBaseline'>(`${one(id)}/baseline`, 'DELETE'),
	history: (id: string) => json<'getAuditHistory'>(`${one(id)}/history`),
	verify: async (id: string, finding: string) =>
		(await (await ask(`${one(id)}/verify?${q({ finding })}`, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: '{}' })).json()) as Checked,
	rate: (id: string, finding: string, label: 'tp' | 'fp' | 'none', reason: string) =>
		json<'rateFinding'>(`${one(id)}/findings/${encodeURIComponent(finding)}/rate`, 'POST', { label, reason }),
	waiting: async (project: string) => (await json<'listWaitingFindings'>(`/api/audits/review?${q({ project })}`)).pending as Waiting[],
	resolve: (id: string, finding: string, verdict: 'tp' | 'fp', reason: string) =>
		json<'resolveFinding'>(`${one(id)}/findings/${encodeURIComponent(finding)}/resolve`, 'POST', { verdict, reason }),
	documents: (source: Source, filter: string) =>
		'audit' in source
			? json<'findDocumentsOfAudit'>(`${one(source.audit)}/documents`, 'POST', { filter })
			: json<'findDocuments'>('/api/audits/documents', 'POST', { ...source, filter }),
	stop: (id: string) => json<'stopAudit'>(`${one(id)}/stop`, 'POST', {} as never),
	resume: (id: string) => json<'resumeAudit'>(`${one(id)}/resume`, 'POST', {} as never),
	inspect: async (project: string, source: { collection?: string; upload?: string }) =>
		(await (await ask(`/api/audits/inspect?${q({ project, collection: source.collection ?? '', upload: source.upload ?? '' })}`)).json()) as Inspected,
}
