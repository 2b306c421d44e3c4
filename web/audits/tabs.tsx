// The two lists of audits: by time, and by collection.
import { Link } from '@tanstack/react-router'

const LOOK = 'inline-flex min-h-9 items-center border-b-2 px-1'

export function AuditLists({ project }: { project: string }) {
	const active = { className: `${LOOK} border-accent font-semibold` }
	const inactive = { className: `${LOOK} border-transparent text-quiet hover:text-text` }
	return (
		<nav aria-label="Lists of audits" className="flex gap-4">
			<Link to="/audits" activeOptions={{ exact: true, includeSearch: false }} activeProps={active} inactiveProps={inactive}>
				Audits
			</Link>
			<Link to="/audits/quality" search={project ? { project } : {}} activeOptions={{ includeSearch: false }} activeProps={active} inactiveProps={inactive}>
				Quality
			</Link>
		</nav>
	)
}
