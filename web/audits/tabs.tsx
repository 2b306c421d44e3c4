// The lists of audits: by time, by collection, and what waits for a person.
import { Link } from '@tanstack/react-router'

const LOOK = 'inline-flex min-h-9 items-center border-b-2 px-1'

export function AuditLists() {
	const active = { className: `${LOOK} border-accent font-semibold` }
	const inactive = { className: `${LOOK} border-transparent text-quiet hover:text-text` }
	return (
		<nav aria-label="Lists of audits" className="flex gap-4">
			<Link to="/audits" activeOptions={{ exact: true, includeSearch: false }} activeProps={active} inactiveProps={inactive}>
				Audits
			</Link>
			<Link to="/audits/quality" activeOptions={{ includeSearch: false }} activeProps={active} inactiveProps={inactive}>
				Quality
			</Link>
			<Link to="/audits/review" activeOptions={{ includeSearch: false }} activeProps={active} inactiveProps={inactive}>
				Review
			</Link>
		</nav>
	)
}
