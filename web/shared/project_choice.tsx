// Which of the caller's projects is meant; nothing where there is only one.
interface Props {
	projects: { id: string; name: string }[]
	value: string
	onChange: (id: string) => void
	all?: string // text of a choice of all projects, whose value is ''
	className?: string
}

export function ProjectChoice({ projects, value, onChange, all, className = '' }: Props) {
	if (projects.length < 2) return null
	return (
		<label className={`flex items-center gap-2 text-sm ${className}`}>
			Project
			<select value={value} onChange={e => onChange(e.target.value)} className="min-h-9 min-w-0 grow rounded-md border border-line bg-panel px-2">
				{all && <option value="">{all}</option>}
				{projects.map(p => (
					<option key={p.id} value={p.id}>
						{p.name || p.id}
					</option>
				))}
			</select>
		</label>
	)
}
