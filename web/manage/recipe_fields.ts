// What a recipe holds, as the server has it in the fields of its object.
import type { Known } from './api'

export const TYPES = ['string', 'number', 'date', 'boolean', 'select'] as const
export const TYPE_WORDS: Record<VariableType, string> = { string: 'text', number: 'number', date: 'date', boolean: 'yes or no', select: 'choice' }
export type VariableType = (typeof TYPES)[number]

export interface Variable {
	name: string
	type: VariableType
	label: string
	default?: string // absent = a value must be given
	options: string[]
}
export interface Step {
	prompt_template: string
	sql: string
	expected_tool?: string
	description?: string
}
export interface Recipe {
	description: string
	variables: Variable[]
	steps: Step[]
	is_shared: boolean
}

type Loose = Partial<Omit<Recipe, 'variables' | 'steps'>> & {
	variables?: (Omit<Variable, 'options' | 'default'> & { options?: unknown[]; default?: unknown })[]
	steps?: (Omit<Step, 'sql'> & { sql?: string })[]
}

export function recipeOf(k: Known): Recipe {
	const f = k.fields as Loose
	return {
		description: f.description ?? '',
		is_shared: f.is_shared === true,
		variables: (f.variables ?? []).map(v => ({
			...v,
			options: (v.options ?? []).map(String),
			default: v.default === undefined || v.default === null ? undefined : String(v.default),
		})),
		steps: (f.steps ?? []).map(s => ({ ...s, sql: s.sql ?? '' })),
	}
}

// Without what is empty, which the server would refuse.
export function fieldsOf(r: Recipe): Record<string, unknown> {
	return {
		description: r.description.trim(),
		is_shared: r.is_shared,
		variables: r.variables.map(v => ({
			name: v.name.trim(),
			type: v.type,
			label: v.label.trim() || v.name.trim(),
			...(v.default !== undefined && v.default !== '' ? { default: v.default } : {}),
			...(v.type === 'select' ? { options: v.options.map(o => o.trim()).filter(Boolean) } : {}),
		})),
		steps: r.steps.map(({ sql, ...s }) => ({ ...s, ...(sql.trim() ? { sql: sql.trim() } : {}) })),
	}
}

// The placeholders that a recipe uses and has no variable for.
export function unknownNames(r: Recipe): string[] {
	const known = new Set(r.variables.map(v => v.name.trim()))
	const used = r.steps.flatMap(s => [...`${s.prompt_template} ${s.sql}`.matchAll(/\{\{(\w+)\}\}/g)].map(m => m[1]!))
	return [...new Set(used)].filter(n => !known.has(n))
}
