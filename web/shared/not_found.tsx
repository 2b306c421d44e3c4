// Of an address that nothing is at.
import { Link } from '@tanstack/react-router'
import { useEffect } from 'react'

const PLACES = [
	['/', 'Ask a question about the data'],
	['/audits', 'Audits and their reports'],
	['/ask', 'Questions about documentation and code'],
	['/manage', 'Knowledge, recipes, connections and settings'],
] as const

export function NotFound() {
	useEffect(() => {
		document.title = 'Not found · Argus'
	}, [])
	return (
		<div className="mx-auto max-w-3xl space-y-4 px-4 py-10 sm:py-16">
			<h1 className="text-2xl font-semibold">There is nothing at this address</h1>
			<p className="text-quiet">
				Argus has no page <code className="font-mono text-[13px] break-all text-text">{location.pathname}</code>. Check the address for a typing mistake, or go on here:
			</p>
			<ul className="space-y-1">
				{PLACES.map(([to, words]) => (
					<li key={to}>
						<Link to={to} className="text-accent underline underline-offset-4">
							{words}
						</Link>
					</li>
				))}
			</ul>
		</div>
	)
}
