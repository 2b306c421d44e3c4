// The one way to the server. A refusal is a Problem, whose words can be shown.
import type { components, operations } from './api_types' // made by tools/build-web
import { needSignIn } from './session'

export class Problem extends Error {
	constructor(
		readonly status: number, // 0 = the server was not reached
		detail: string,
		readonly hint = '',
		readonly reference = '',
		readonly waitSeconds = 0, // of Retry-After
	) {
		super(detail)
	}
}

async function problemOf(r: Response): Promise<Problem> {
	const wait = Number(r.headers.get('retry-after') ?? 0)
	try {
		const p = (await r.json()) as Partial<Shapes['Problem']> & { message?: string }
		return new Problem(r.status, p.detail ?? p.message ?? '', p.hint, p.reference, wait)
	} catch {
		return new Problem(r.status, '', '', '', wait)
	}
}

const sleep = (ms: number) => new Promise(done => setTimeout(done, ms))

// As fetch. What is refused throws; an overloaded server is asked once more.
export async function ask(input: RequestInfo | URL, init: RequestInit = {}): Promise<Response> {
	for (let left = 1; ; left--) {
		let r: Response
		try {
			r = await fetch(input, { credentials: 'same-origin', ...init })
		} catch (e) {
			if (init.signal?.aborted) throw e
			throw new Problem(0, 'The server cannot be reached.')
		}
		if (r.ok) return r
		const p = await problemOf(r)
		if (r.status === 401 && !String(input).startsWith('/api/auth/')) needSignIn(true)
		if (r.status !== 503 || left === 0) throw p
		await sleep(Math.min(p.waitSeconds || 2, 10) * 1000)
	}
}

type Shapes = components['schemas']
export type Start = Shapes['Start']
export type Thread = Shapes['Thread']
export type Me = Shapes['Me']

// The types of a request's body and answer, by its operationId in the OpenAPI document.
type Json<T> = { content: { 'application/json': T } }
type Responses<N extends keyof operations> = operations[N]['responses']
type Answer<N extends keyof operations> =
	Responses<N> extends { 200: Json<infer T> } ? T : Responses<N> extends { 201: Json<infer T> } ? T : Responses<N> extends { 202: Json<infer T> } ? T : void
type Body<N extends keyof operations> = operations[N] extends { requestBody: Json<infer T> } ? T : Record<string, never>

export async function json<N extends keyof operations>(path: string, method = 'GET', body?: Body<N>): Promise<Answer<N>> {
	const headers = body === undefined ? undefined : { 'Content-Type': 'application/json' }
	const r = await ask(path, { method, headers, body: body === undefined ? undefined : JSON.stringify(body) })
	return (r.headers.get('content-type')?.includes('json') ? await r.json() : undefined) as Answer<N>
}

export type ArtifactRow = Shapes['ArtifactRow']
export type ArtifactKind = ArtifactRow['type']
// What the document leaves open.
export type Artifact = Omit<Shapes['Artifact'], 'source_queries' | 'figures'> & {
	source_queries: { name: string; sql: string }[] | null
	figures: { checked: boolean; why?: string; unproven?: { where: string; text: string }[] } | null
}
export type QueryResult = Omit<Shapes['ArtifactResult'], 'rows'> & { rows?: unknown[][] }
export interface ArtifactData {
	results: QueryResult[]
	data: Record<string, unknown> // what the frame is given
}

const at = (id: string) => `/api/threads/${encodeURIComponent(id)}`

const inProject = (project: string) => `/api/projects/${encodeURIComponent(project)}/artifacts`
const artifact = (project: string, id: string) => `${inProject(project)}/${encodeURIComponent(id)}`
const versioned = (version: number) => (version ? `?version=${version}` : '')

export const api = {
	me: () => json<'getMe'>('/api/auth/me'),
	signInWays: () => json<'getSignInWays'>('/api/auth/ways'),
	login: (username: string, password: string) => json<'login'>('/api/auth/login', 'POST', { username, password }),
	setup: (token: string, password: string) => json<'setup'>('/api/auth/setup', 'POST', { token, password }),
	logout: () => json<'logout'>('/api/auth/logout', 'POST', {}),
	start: () => json<'getStart'>('/api/start'),
	artifacts: (project: string, q: string, isDeleted: boolean) =>
		json<'listArtifacts'>(
			`${inProject(project)}?limit=100&q=${encodeURIComponent(q)}${isDeleted ? '&deleted=true' : ''}`,
		),
	// version: 0 = the newest
	artifact: (project: string, id: string, version: number) => json<'getArtifact'>(artifact(project, id) + versioned(version)) as Promise<Artifact>,
	artifactVersions: (project: string, id: string) => json<'listArtifactVersions'>(`${artifact(project, id)}/versions`),
	artifactData: (project: string, id: string, version: number) =>
		json<'queryArtifact'>(`${artifact(project, id)}/query-data${versioned(version)}`, 'POST', {}) as Promise<ArtifactData>,
	// Of Markdown, HTML and SVG: a document that runs nothing.
	artifactPage: async (project: string, id: string, version: number) =>
		(await ask(`${artifact(project, id)}/export?as=html${version ? `&version=${version}` : ''}`)).text(),
	artifactPdf: async (project: string, id: string, version: number) =>
		(await ask(`${artifact(project, id)}/export?as=pdf${version ? `&version=${version}` : ''}`)).arrayBuffer(),
	renameArtifact: (project: string, id: string, title: string) => json<'renameArtifact'>(artifact(project, id), 'PATCH', { title }),
	removeArtifact: (project: string, id: string) => json<'deleteArtifact'>(artifact(project, id), 'DELETE'),
	undeleteArtifact: (project: string, id: string) => json<'undeleteArtifact'>(`${artifact(project, id)}/undelete`, 'POST', {}),
	threads: (q: string, cursor: string) =>
		json<'listThreads'>(`/api/threads?limit=50&q=${encodeURIComponent(q)}${cursor && `&cursor=${encodeURIComponent(cursor)}`}`),
	// The newest 100 turns, or those before one.
	messages: (id: string, before = '') =>
		json<'listMessages'>(`${at(id)}/messages?limit=100${before && `&cursor=${encodeURIComponent(before)}`}`),
	// As the conversation was with an earlier version of a question.
	version: (id: string, turn: string) => json<'listMessages'>(`${at(id)}/messages?limit=200&version=${encodeURIComponent(turn)}`),
	putFeedback: (id: string, turn: string, verdict: 'up' | 'down', reason: string) =>
		json<'putFeedback'>(`${at(id)}/turns/${encodeURIComponent(turn)}/feedback`, 'PUT', { verdict, reason }),
	dropFeedback: (id: string, turn: string) => json<'deleteFeedback'>(`${at(id)}/turns/${encodeURIComponent(turn)}/feedback`, 'DELETE'),
	branch: (id: string, turn: string) => json<'branchThread'>(`${at(id)}/branch`, 'POST', { turn }),
	thread: (id: string) => json<'getThread'>(at(id)),
	rename: (id: string, title: string) => json<'renameThread'>(at(id), 'PATCH', { title }),
	remove: (id: string) => json<'deleteThread'>(at(id), 'DELETE'),
	viewed: (id: string) => json<'viewThread'>(`${at(id)}/viewed`, 'POST', {}),
	stop: (id: string) => json<'stop'>(`/api/chat/${encodeURIComponent(id)}/stop`, 'POST', {}),
}

// crypto.randomUUID is there on https and localhost only.
export function newId(): string {
	const b = crypto.getRandomValues(new Uint8Array(16))
	b[6] = (b[6]! & 0x0f) | 0x40
	b[8] = (b[8]! & 0x3f) | 0x80
	const hex = [...b].map(x => x.toString(16).padStart(2, '0')).join('')
	return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
}
