// The one way to the server. A refusal is a Problem, whose words can be shown.
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
		const p = (await r.json()) as { detail?: string; message?: string; hint?: string; reference?: string }
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
			r = await fetch(input, { ...init, credentials: 'same-origin' })
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

async function json<T>(path: string, method = 'GET', body?: unknown): Promise<T> {
	const headers = body === undefined ? undefined : { 'Content-Type': 'application/json' }
	const r = await ask(path, { method, headers, body: body === undefined ? undefined : JSON.stringify(body) })
	return (r.status === 204 || r.status === 202 ? undefined : await r.json()) as T
}

export interface Start {
	version: string
	demo: boolean
	user: string
	starters: string[]
	projects: { id: string; name: string }[]
}

export interface Thread {
	id: string
	title: string
	project: string
	created_at: string
	updated_at: string
	viewed_at: string | null
	unread: boolean
	running: boolean
}

export interface Me {
	user: string
	superuser: boolean
	by: 'token' | 'session' | 'link' | 'proxy' | 'nothing'
}

const at = (id: string) => `/api/threads/${encodeURIComponent(id)}`

export const api = {
	me: () => json<Me>('/api/auth/me'),
	login: (username: string, password: string) => json<Me>('/api/auth/login', 'POST', { username, password }),
	setup: (token: string, password: string) => json<Me>('/api/auth/setup', 'POST', { token, password }),
	logout: () => json<void>('/api/auth/logout', 'POST', {}),
	start: () => json<Start>('/api/start'),
	threads: (q: string, cursor: string) =>
		json<{ threads: Thread[]; next: string | null }>(
			`/api/threads?limit=50&q=${encodeURIComponent(q)}${cursor && `&cursor=${encodeURIComponent(cursor)}`}`,
		),
	// The newest 100 turns, or those before one.
	messages: (id: string, before = '') =>
		json<{ thread: Thread; messages: unknown[]; before: string | null }>(
			`${at(id)}/messages?limit=100${before && `&before=${encodeURIComponent(before)}`}`,
		),
	branch: (id: string, turn: string) => json<Thread>(`${at(id)}/branch`, 'POST', { turn }),
	rename: (id: string, title: string) => json<Thread>(at(id), 'PATCH', { title }),
	remove: (id: string) => json<void>(at(id), 'DELETE'),
	viewed: (id: string) => json<Thread>(`${at(id)}/viewed`, 'POST', {}),
	stop: (id: string) => json<void>(`/api/chat/${encodeURIComponent(id)}/stop`, 'POST', {}),
}

// crypto.randomUUID is there on https and localhost only.
export function newId(): string {
	const b = crypto.getRandomValues(new Uint8Array(16))
	b[6] = (b[6]! & 0x0f) | 0x40
	b[8] = (b[8]! & 0x3f) | 0x80
	const hex = [...b].map(x => x.toString(16).padStart(2, '0')).join('')
	return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
}
