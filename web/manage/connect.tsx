// How to connect a client of the Model Context Protocol to this server, and what connected programs called.
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { CopyText } from '../shared/copy_text'
import { manage } from './api'
import { CallRow } from './calls'
import { More, usePages } from './parts'

function Snippet({ title, text, short = title }: { title: string; text: string; short?: string }) {
	return (
		<section aria-label={title} className="overflow-hidden rounded-lg border border-line">
			<h3 className="bg-panel px-3 py-2 font-medium">{title}</h3>
			<pre className="overflow-x-auto border-y border-line bg-sunk px-3 py-2 font-mono text-[0.85rem]" tabIndex={0} aria-label={`For ${title}`}>
				{text}
			</pre>
			<div className="bg-panel px-2 py-1.5">
				<CopyText text={text} label={`Copy for ${short}`} />
			</div>
		</section>
	)
}

const POLL_MS = 5000 // so that the first call of a client is seen

// hasTokens: people sign in, so a program needs a token.
function Called({ project, hasTokens }: { project: string; hasTokens: boolean }) {
	const of = { user: '', tool: '', outcome: '', programs: hasTokens ? 'true' : '' }
	const list = usePages(['calls', project, of], cursor => manage.calls(project, of, cursor), true, POLL_MS)
	const tokens = useQuery({ queryKey: ['tokens', 'names'], queryFn: () => manage.tokens(''), enabled: hasTokens })
	const names = new Map(tokens.data?.tokens.map(t => [t.id, t.name]))
	const rows = list.data?.pages.flatMap(p => p.calls) ?? []
	return (
		<section aria-label="What was called" className="space-y-2">
			<h3 className="text-base font-semibold">What was called</h3>
			<p className="text-sm text-quiet">
				{hasTokens
					? 'Calls of this project that came with a token, newest first. “Calls” lists those of people as well.'
					: 'This server asks nobody to sign in, so calls of programs and of this page are listed together, newest first.'}
			</p>
			<ul className="divide-y divide-line rounded-lg border border-line bg-panel empty:hidden">
				{rows.map(c => (
					<CallRow key={c.row} of={c} by={c.token ? (names.get(c.token) ?? c.token) : ''} />
				))}
			</ul>
			{list.isSuccess && rows.length === 0 && <p className="rounded-lg border border-line bg-panel px-3 py-3 text-quiet">No program has called this project yet. Connect one as above, and each of its calls appears here.</p>}
			<More list={list} />
		</section>
	)
}

export function Connect({ project, hasTokens }: { project: string; hasTokens: boolean }) {
	const url = `${location.origin}/mcp`
	const config = (more: object) => JSON.stringify(more, null, 2)
	const token = 'Authorization: Bearer YOUR-TOKEN'
	const to = hasTokens ? { type: 'http', url, headers: { Authorization: 'Bearer YOUR-TOKEN' } } : { type: 'http', url }
	const header = hasTokens ? ` --header "${token}"` : ''
	return (
		<div className="space-y-4">
			<p>
				Programs that speak the Model Context Protocol (MCP) use the databases, documents and knowledge of your projects at <code className="font-mono break-all">{url}</code>.{' '}
				{hasTokens ? (
					<>
						Make a token under{' '}
						<Link to="/manage/$part" params={{ part: 'tokens' }} className="text-accent underline underline-offset-4">
							Tokens
						</Link>{' '}
						and put it in the place of YOUR-TOKEN. Each call is checked and recorded as yours.
					</>
				) : (
					'This server asks nobody to sign in, so no token is needed. Each call is checked and recorded.'
				)}
			</p>
			<Snippet title="Clients that read mcp.json" short="mcp.json" text={config({ mcpServers: { argus: to } })} />
			<Snippet title="Claude Code" text={`claude mcp add --transport http argus ${url}${header}`} />
			<Snippet title="Visual Studio Code" text={config({ servers: { argus: to } })} />
			<Snippet title="curl" text={`curl ${location.origin}/api/projects${hasTokens ? ` -H "${token}"` : ''}`} />
			{project && <Called key={project} project={project} hasTokens={hasTokens} />}
		</div>
	)
}
