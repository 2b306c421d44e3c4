// The questions of a conversation on their way to the form of a new recipe.
const KEY = 'recipe-draft'

export interface RecipeDraft {
	project: string
	steps: { prompt_template: string; sql: string }[]
}

export const keepDraft = (d: RecipeDraft) => sessionStorage.setItem(KEY, JSON.stringify(d))

export function draftOf(project?: string): RecipeDraft | null {
	const text = sessionStorage.getItem(KEY)
	const draft = text ? (JSON.parse(text) as RecipeDraft) : null
	return draft && (project === undefined || draft.project === project) ? draft : null
}

export const dropDraft = () => sessionStorage.removeItem(KEY)
