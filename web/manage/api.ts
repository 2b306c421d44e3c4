// Requests of those who manage the server or a project.
import { json, newId } from '../shared/api'
import type { components } from '../shared/api_types'
import { upload } from '../shared/upload'

type Shapes = components['schemas']
export type User = Shapes['User']
export type Token = Shapes['Token']
export type Member = Shapes['Member']
export type Project = Shapes['Project']
export type Known = Shapes['Known']
export type Call = Shapes['Call']
export type RecipeRun = Shapes['RecipeRun']
export type Evaluation = Shapes['EvaluationRow']
export type DictionaryTable = Shapes['DictionaryTable']
export type Job = Shapes['Job']
export type JobKind = 'audit' | 'recipe'
export type Schedule = Shapes['Schedule']
export type Setting = Shapes['Setting']
export type ProjectSetting = Shapes['ProjectSetting']
export type DictionaryColumn = Shapes['DictionaryColumn']
export type ImportedTable = Omit<Shapes['ImportedTable'], 'first'> & { first: (string | number | null)[][] }
export type Connection = Shapes['Connection']
export type ConnectionKind = Connection['kind']
export type ConnectionTest = Shapes['ConnectionTest']
export const ROLES = ['viewer', 'analyst', 'admin'] as const
export type Role = (typeof ROLES)[number]
export const KINDS = ['entry', 'table', 'metric', 'learning', 'golden', 'recipe'] as const
export type Kind = (typeof KINDS)[number]

const part = encodeURIComponent
const user = (name: string) => `/api/users/${part(name)}`
const project = (id: string) => `/api/projects/${part(id)}`
const page = (cursor: string) => `limit=100${cursor && `&cursor=${part(cursor)}`}`

// All pages of a list of which a screen needs the whole.
async function whole<T extends { next: string | null }>(ask: (cursor: string) => Promise<T>): Promise<T[]> {
	const pages = [await ask('')]
	while (pages.at(-1)!.next) pages.push(await ask(pages.at(-1)!.next!))
	return pages
}

export const manage = {
	users: (cursor: string) => json<'listUsers'>(`/api/users?${page(cursor)}`),
	addUser: (name: string, superuser: boolean) => json<'createUser'>('/api/users', 'POST', { name, superuser }),
	changeUser: (name: string, what: { superuser?: boolean; active?: boolean }) => json<'changeUser'>(user(name), 'PATCH', what),
	removeUser: (name: string) => json<'deleteUser'>(user(name), 'DELETE'),
	linkUser: (name: string) => json<'linkUser'>(`${user(name)}/link`, 'POST', {} as never),
	tokens: (cursor: string) => json<'listTokens'>(`/api/tokens?${page(cursor)}`),
	addToken: (name: string, role: Role, days: number) =>
		json<'createToken'>('/api/tokens', 'POST', { name, role, ...(days > 0 ? { expires_days: days } : {}) }),
	revoke: (id: string) => json<'revokeToken'>(`/api/tokens/${part(id)}`, 'DELETE'),
	projects: () => json<'listProjects'>('/api/projects?limit=200'),
	addProject: (id: string, name: string) => json<'createProject'>('/api/projects', 'POST', { id, ...(name ? { name } : {}) }),
	renameProject: (id: string, name: string) => json<'renameProject'>(project(id), 'PATCH', { name }),
	removeProject: (id: string) => json<'deleteProject'>(project(id), 'DELETE'),
	members: (id: string, cursor: string) => json<'listMembers'>(`${project(id)}/members?${page(cursor)}`),
	putMember: (id: string, name: string, role: Role) => json<'putMember'>(`${project(id)}/members/${part(name)}`, 'PUT', { role }),
	removeMember: (id: string, name: string) => json<'removeMember'>(`${project(id)}/members/${part(name)}`, 'DELETE'),
	knowledge: (id: string, kind: string, q: string, cursor: string) =>
		json<'listKnowledge'>(`${project(id)}/knowledge?${page(cursor)}${kind && `&kind=${kind}`}${q && `&q=${part(q)}`}`),
	calls: (id: string, of: { user: string; tool: string; outcome: string; programs: string }, cursor: string) =>
		json<'listCalls'>(
			`${project(id)}/calls?${page(cursor)}${Object.entries(of)
				.map(([k, v]) => v && `&${k}=${part(v)}`)
				.join('')}`,
		),
	connections: (id: string) => json<'listConnections'>(`${project(id)}/connections`),
	putConnection: (id: string, kind: ConnectionKind, body: { address: string; password?: string }) => json<'putConnection'>(`${project(id)}/connections/${kind}`, 'PUT', body),
	testConnection: (id: string, kind: ConnectionKind, body: { address?: string; password?: string }) =>
		json<'testConnection'>(`${project(id)}/connections/${kind}/test`, 'POST', body),
	removeConnection: (id: string, kind: ConnectionKind) => json<'deleteConnection'>(`${project(id)}/connections/${kind}`, 'DELETE'),
	// Into a new project, or into that one. The key lets a request be repeated whose answer was lost.
	importTable: async (to: { project: string } | { newProject: string }, table: string, file: File, onSent: (share: number) => void) => {
		const named = `name=${part(file.name)}${table && `&table=${part(table)}`}`
		const path = 'project' in to ? `${project(to.project)}/tables?${named}` : `/api/tables?${named}&project_name=${part(to.newProject)}`
		return JSON.parse(await upload('POST', path, file, 'text/csv', onSent, { 'Idempotency-Key': newId() })) as ImportedTable
	},
	dropTable: (id: string, table: string) => json<'dropTable'>(`${project(id)}/tables/${part(table)}`, 'DELETE'),
	checkCalls: () => json<'checkCalls'>('/api/calls/check', 'POST', {} as never),
	addKnown: (id: string, kind: Kind, name: string, fields: object) => json<'addKnowledge'>(`${project(id)}/knowledge/${kind}`, 'POST', { name, fields: fields as never }),
	changeKnown: (id: string, kind: Kind, name: string, fields: object) =>
		json<'replaceKnowledge'>(`${project(id)}/knowledge/${kind}/${part(name)}`, 'PUT', { fields: fields as never }),
	recipeRuns: (id: string, recipe: string, cursor: string) => json<'listRecipeRuns'>(`${project(id)}/recipe-runs?${page(cursor)}&recipe=${part(recipe)}`),
	recipeRun: (id: string, run: string) => json<'getRecipeRun'>(`${project(id)}/recipe-runs/${part(run)}`),
	runRecipe: (id: string, recipe: string, values: Record<string, string>) => json<'runRecipe'>(`${project(id)}/recipe-runs`, 'POST', { recipe, values: values as never }),
	stopRecipeRun: (id: string, run: string) => json<'stopRecipeRun'>(`${project(id)}/recipe-runs/${part(run)}/stop`, 'POST', {} as never),
	resumeRecipeRun: (id: string, run: string) => json<'resumeRecipeRun'>(`${project(id)}/recipe-runs/${part(run)}/resume`, 'POST', {} as never),
	evaluations: (id: string, cursor: string) => json<'listEvaluations'>(`${project(id)}/evaluations?${page(cursor)}`),
	evaluation: (id: string, evaluation: string) => json<'getEvaluation'>(`${project(id)}/evaluations/${part(evaluation)}`),
	evaluate: (id: string) => json<'evaluate'>(`${project(id)}/evaluations`, 'POST', {}),
	stopEvaluation: (id: string, evaluation: string) => json<'stopEvaluation'>(`${project(id)}/evaluations/${part(evaluation)}/stop`, 'POST', {} as never),
	dictionary: async (id: string) => {
		const pages = await whole(cursor => json<'getDictionary'>(`${project(id)}/dictionary?limit=200${cursor && `&cursor=${part(cursor)}`}`))
		return { ...pages[0]!, tables: pages.flatMap(p => p.tables) }
	},
	tableNotes: async (id: string) => (await whole(cursor => manage.knowledge(id, 'table', '', cursor))).flatMap(p => p.knowledge),
	refreshDictionary: (id: string) => json<'refreshDictionary'>(`${project(id)}/dictionary/refresh`, 'POST', {} as never),
	jobs: (state: string, cursor: string) => json<'listJobs'>(`/api/jobs?${page(cursor)}${state && `&state=${state}`}`),
	cancelJob: (id: string) => json<'cancelJob'>(`/api/jobs/${part(id)}/cancel`, 'POST', {} as never),
	retryJob: (id: string) => json<'retryJob'>(`/api/jobs/${part(id)}/retry`, 'POST', {} as never),
	schedules: (cursor: string) => json<'listSchedules'>(`/api/schedules?${page(cursor)}`),
	addSchedule: (s: { name: string; cron: string; zone: string; project: string; kind: JobKind; what: string }, values: Record<string, string>) =>
		json<'addSchedule'>('/api/schedules', 'POST', { ...s, values: values as never }),
	changeSchedule: (name: string, what: { paused?: boolean; cron?: string }) => json<'changeSchedule'>(`/api/schedules/${part(name)}`, 'PATCH', what),
	removeSchedule: (name: string) => json<'removeSchedule'>(`/api/schedules/${part(name)}`, 'DELETE'),
	projectSettings: (id: string, cursor: string) => json<'listProjectSettings'>(`${project(id)}/settings?${page(cursor)}`),
	putProjectSetting: (id: string, key: string, value: string) => json<'putProjectSetting'>(`${project(id)}/settings/${part(key)}`, 'PUT', { value }),
	resetProjectSetting: (id: string, key: string) => json<'resetProjectSetting'>(`${project(id)}/settings/${part(key)}`, 'DELETE'),
	settings: (cursor: string) => json<'listSettings'>(`/api/settings?${page(cursor)}`),
	removeKnown: (id: string, kind: string, name: string) => json<'deleteKnowledge'>(`${project(id)}/knowledge/${kind}/${part(name)}`, 'DELETE'),
	judge: (id: string, name: string, right: boolean, why: string) =>
		json<'reviewLearning'>(`${project(id)}/knowledge/learning/${part(name)}/review`, 'POST', right ? { right } : { right, why }),
}
