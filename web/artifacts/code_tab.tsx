import type { Artifact } from '../shared/api'
import { Sql } from '../shared/sql'

// A specification often comes on one line.
function laidOut({ type, code }: Artifact): string {
	if (type !== 'plotly') return code
	try {
		return JSON.stringify(JSON.parse(code), null, 1)
	} catch {
		return code
	}
}

export function CodeTab({ artifact }: { artifact: Artifact }) {
	const unproven = artifact.figures?.unproven ?? []
	return (
		<div className="space-y-4 p-4">
			{artifact.description && <p>{artifact.description}</p>}
			{unproven.length > 0 && (
				<p className="rounded-md bg-warn-soft px-3 py-2 text-warn">
					No result holds these figures: {unproven.map(u => u.text).join(', ')}.
				</p>
			)}
			<pre tabIndex={0} aria-label="Code" className="overflow-x-auto rounded-md bg-sunk px-3 py-2 font-mono text-[13px] leading-normal">
				{laidOut(artifact)}
			</pre>
			{artifact.source_queries?.map(q => (
				<section key={q.name} className="space-y-2">
					<h3 className="font-medium">{q.name}</h3>
					<Sql text={q.sql} />
				</section>
			))}
		</div>
	)
}
