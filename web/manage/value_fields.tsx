// A field for each variable of a recipe, by its type.
import { field } from './parts'
import type { Recipe, Variable } from './recipe_fields'

export const firstValues = (of: Recipe): Record<string, string> => Object.fromEntries(of.variables.map(v => [v.name, v.default ?? (v.type === 'boolean' ? 'false' : '')]))

function ValueField({ of: v, value, onChange }: { of: Variable; value: string; onChange: (v: string) => void }) {
	if (v.type === 'boolean') {
		return (
			<label className="flex items-center gap-2">
				<input type="checkbox" checked={value === 'true'} onChange={e => onChange(String(e.target.checked))} className="size-4 accent-(--accent)" />
				{v.label}
			</label>
		)
	}
	return (
		<label className="flex flex-col gap-1">
			<span className="text-sm text-quiet">{v.label}</span>
			{v.type === 'select' ? (
				<select required value={value} onChange={e => onChange(e.target.value)} className={field}>
					{value === '' && <option value="">choose one</option>}
					{v.options.map(o => (
						<option key={o}>{o}</option>
					))}
				</select>
			) : (
				<input
					type={v.type === 'number' ? 'number' : v.type === 'date' ? 'date' : 'text'}
					step={v.type === 'number' ? 'any' : undefined}
					maxLength={v.type === 'string' ? 1000 : undefined}
					required={v.default === undefined}
					value={value}
					onChange={e => onChange(e.target.value)}
					className={field}
				/>
			)}
		</label>
	)
}

export function ValueFields({ of, values, onChange }: { of: Recipe; values: Record<string, string>; onChange: (v: Record<string, string>) => void }) {
	if (!of.variables.length) return null
	return (
		<div className="grid items-end gap-3 sm:grid-cols-2">
			{of.variables.map(v => (
				<ValueField key={v.name} of={v} value={values[v.name] ?? ''} onChange={x => onChange({ ...values, [v.name]: x })} />
			))}
		</div>
	)
}
