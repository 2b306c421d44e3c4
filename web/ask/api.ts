// Requests about questions on files.
import { ask, json, newId } from '../shared/api'
import type { components } from '../shared/api_types'

type Shapes = components['schemas']
export type Question = Shapes['Question']
export type Answered = Shapes['Answered']
export type Answer = Shapes['AskAnswer']
export type Citation = Shapes['AskCitation']
export type Call = Shapes['AskCall']
export type AskEvent = Shapes['AskEvent']
export type Progress = Shapes['AskProgress']
export type Setup = Shapes['AskSetup']

const part = encodeURIComponent
const one = (id: string) => `/api/ask/${part(id)}`

export const questions = {
	list: (project: string, cursor: string) =>
		json<'listQuestions'>(`/api/ask?limit=30&project=${part(project)}${cursor && `&cursor=${part(cursor)}`}`),
	// The key keeps one that is sent twice from being asked twice.
	ask: async (project: string, question: string, offline: boolean) => {
		const headers = { 'Content-Type': 'application/json', 'Idempotency-Key': newId() }
		const r = await ask('/api/ask', { method: 'POST', headers, body: JSON.stringify({ project, question, ...(offline ? { offline } : {}) }) })
		return (await r.json()) as Question
	},
	get: (id: string) => json<'getQuestion'>(one(id)),
	events: (id: string, after: number) => json<'listQuestionEvents'>(`${one(id)}/events?after=${after}`),
	stop: (id: string) => json<'stopQuestion'>(`${one(id)}/stop`, 'POST', {} as never),
	lines: (id: string, n: number, context: number) => json<'getCitedLines'>(`${one(id)}/citations/${n}?context=${context}`),
	setup: (project: string) => json<'getAskSetup'>(`/api/ask/setup?project=${part(project)}`),
	choose: (project: string, folder: string, api_base: string) => json<'putAskSetup'>('/api/ask/setup', 'PUT', { project, folder, api_base }),
}

export const isOver = (q: Pick<Question, 'status'>) => q.status !== 'running'
