// An entry, a metric, a learning or a table's notes: written by hand, or changed.
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useId, useState } from 'react'
import { ProblemNote } from '../shared/problem'
import { Button } from '../shared/ui'
import { type Known, manage } from './api'
import { area, field } from './parts'

export type Written = 'entry' | 'metric' | 'learning' | 'table'
interface Field {
	name: string
	label: string
	form: 'line' | 'text' | 'sql' | 'lines' | 'choice'
	example?: string
	max: number
	isNeeded?: boolean
}

// With the limits of src/knowledge/object.c.
const TABLES: Field = { name: 'tables', label: 'Tables, one a line', form: 'lines', example: 'orders\ncustomers', max: 128 }
export const FORMS: Record<Written, { title: string; example: string; min: number; max: number; isLong?: boolean; fields: Field[] }> = {
	entry: {
		title: 'Title',
		example: 'Refunds are negative orders',
		min: 1,
		max: 200,
		fields: [{ name: 'content', label: 'What is to be known', form: 'text', example: 'A refund is a row of orders whose total is below zero.', max: 20000, isNeeded: true }, TABLES],
	},
	metric: {
		title: 'Name',
		example: 'Net revenue',
		min: 1,
		max: 200,
		fields: [
			{ name: 'definition', label: 'What it measures', form: 'text', example: 'Paid orders without tax and refunds.', max: 20000, isNeeded: true },
			{ name: 'sql', label: 'SELECT that computes it', form: 'sql', example: 'SELECT sum(total) FROM orders WHERE status = \'paid\'', max: 10000, isNeeded: true },
			{ name: 'unit', label: 'Unit', form: 'line', example: 'EUR', max: 60 },
			{ name: 'caveats', label: 'What its reader must know, one a line', form: 'lines', max: 2000 },
			TABLES,
			{ name: 'source', label: 'Where it was taken from', form: 'line', max: 200 },
		],
	},
	learning: {
		title: 'What to do otherwise',
		example: 'Filter orders by status, because cancelled ones stay in the table',
		min: 20,
		max: 2000,
		isLong: true,
		fields: [
			{ name: 'category', label: 'Kind of mistake', form: 'choice', max: 0, isNeeded: true },
			{ ...TABLES, isNeeded: true },
			{ name: 'original_sql', label: 'SQL that was wrong', form: 'sql', max: 10000 },
			{ name: 'corrected_sql', label: 'SQL that is right', form: 'sql', max: 10000 },
		],
	},
	table: {
		title: 'Table',
		example: 'orders',
		min: 1,
		max: 200,
		fields: [
			{ name: 'description', label: 'What the table holds', form: 'text', max: 20000, isNeeded: true },
			{ name: 'use_cases', label: 'What it is good for, one a line', form: 'lines', max: 2000 },
			{ name: 'data_quality_notes', label: 'What is wrong in it, one a line', form: 'lines', max: 2000 },
			{ name: 'owner', label: 'Who answers for it', form: 'line', max: 200 },
			{ name: 'refresh_frequency', label: 'How often it is filled', form: 'line', max: 200 },
		],
	},
}
const CATEGORIES: Record<string, string> = {
	filter_required: 'a filter that is needed',
	join_pattern: 'how tables are joined',
	aggregation: 'how values are summed up',
	type_mismatch: 'the type of a value',
	naming: 'the name of a thing',
	data_quality: 'values that are wrong',
	business_logic: 'what the business means',
	other: 'something else',
}
export const WORDS: Record<Written, string> = { entry: 'entry', metric: 'metric', learning: 'learning', table: 'table' }

const shown = (v: unknown) => (Array.isArray(v) ? v.join('\n') : typeof v === 'string' ? v : '')
const lines = (text: string) =>
	text
		.split('\n')
		.map(l => l.trim())
		.filter(Boolean)

// The fields as the server wants them. What the form does not show stays as it is.
function fieldsOf(kind: Written, old: Record<string, unknown> | undefined, texts: Record<string, string>): Record<string, unknown> {
	const all: Record<string, unknown> = { ...old }
	for (const f of FORMS[kind].fields) {
		const text = texts[f.name]!.trim()
		if (!text) delete all[f.name]
		else all[f.name] = f.form === 'lines' ? lines(text) : text
	}
	return all
}

function Input({ of: f, value, onChange }: { of: Field; value: string; onChange: (v: string) => void }) {
	const id = useId()
	const shared = { id, required: f.isNeeded, value, placeholder: f.example }
	return (
		<div>
			<label htmlFor={id} className="text-sm">
				{f.label}
			</label>
			{f.form === 'choice' ? (
				<select id={id} value={value} onChange={e => onChange(e.target.value)} className={`${field} block w-full`}>
					{Object.entries(CATEGORIES).map(([k, words]) => (
						<option key={k} value={k}>
							{words}
						</option>
					))}
				</select>
			) : f.form === 'line' ? (
				<input {...shared} maxLength={f.max} onChange={e => onChange(e.target.value)} className={`${field} block w-full`} />
			) : (
				<textarea {...shared} rows={f.form === 'lines' ? 2 : 3} maxLength={f.form === 'lines' ? undefined : f.max} spellCheck={f.form !== 'sql'} onChange={e => onChange(e.target.value)} className={`${area} block ${f.form === 'sql' ? 'font-mono text-[0.9em]' : ''}`} />
			)}
		</div>
	)
}

export function KnowledgeForm({ project, kind, of: old, onDone }: { project: string; kind: Written; of?: Known; onDone: () => void }) {
	const store = useQueryClient()
	const id = useId()
	const form = FORMS[kind]
	const was = old?.fields as Record<string, unknown> | undefined
	const [name, setName] = useState('')
	const [texts, setTexts] = useState(() => Object.fromEntries(form.fields.map(f => [f.name, shown(was?.[f.name]) || (f.form === 'choice' ? Object.keys(CATEGORIES)[0]! : '')])))
	const save = useMutation({
		mutationFn: () => (old ? manage.changeKnown(project, kind, old.id, fieldsOf(kind, was, texts)) : manage.addKnown(project, kind, name.trim(), fieldsOf(kind, undefined, texts))),
		onSuccess: async () => {
			await store.invalidateQueries({ queryKey: ['knowledge', project] })
			await store.invalidateQueries({ queryKey: ['table-notes', project] })
			onDone()
		},
	})
	const title = { id, required: true, minLength: form.min, maxLength: form.max, value: name, placeholder: form.example, autoFocus: true }
	return (
		<form
			aria-label={old ? `Edit ${old.name}` : `New ${WORDS[kind]}`}
			className="space-y-2 rounded-lg border border-line bg-panel p-3"
			onSubmit={e => {
				e.preventDefault()
				save.mutate()
			}}
		>
			{old ? (
				<p className="font-medium break-words">{old.name}</p>
			) : (
				<div>
					<label htmlFor={id} className="text-sm">
						{form.title}
					</label>
					{form.isLong ? <textarea rows={2} {...title} onChange={e => setName(e.target.value)} className={`${area} block`} /> : <input {...title} onChange={e => setName(e.target.value)} className={`${field} block w-full`} />}
				</div>
			)}
			{form.fields.map(f => (
				<Input key={f.name} of={f} value={texts[f.name]!} onChange={v => setTexts({ ...texts, [f.name]: v })} />
			))}
			{save.error && <ProblemNote error={save.error} />}
			<div className="flex gap-2">
				<Button type="submit" disabled={save.isPending}>
					Save
				</Button>
				<Button onClick={onDone}>Cancel</Button>
			</div>
		</form>
	)
}
