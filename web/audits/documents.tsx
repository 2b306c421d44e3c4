// The documents behind a bar, a value or a finding, in a dialog; the filter that finds them can be changed and copied.
import { useQuery } from '@tanstack/react-query'
import { X } from 'lucide-react'
import { type ReactNode, useMemo, useState } from 'react'
import { CopyText } from '../shared/copy_text'
import { Dialog } from '../shared/dialog'
import { ProblemNote } from '../shared/problem'
import { Button, IconButton } from '../shared/ui'
import { audits } from './api'
import { many } from './marks'
import { type Asked, Opener } from './opener'

// JSON as a person writes it: what is short stays on its line.
function laidOut(v: unknown, indent = ''): string {
	const whole = JSON.stringify(v)
	if (typeof v !== 'object' || v === null || whole.length + indent.length < 72) return whole
	const deeper = indent + '  '
	const parts = Array.isArray(v)
		? v.map(x => deeper + laidOut(x, deeper))
		: Object.entries(v).map(([k, x]) => `${deeper}${JSON.stringify(k)}: ${laidOut(x, deeper)}`)
	const [open, close] = Array.isArray(v) ? '[]' : '{}'
	return `${open}\n${parts.join(',\n')}\n${indent}${close}`
}

// Where they are: the source of an audit, a collection or a file of a project.
export type Source = { audit: string } | { project: string; collection?: string; upload?: string }

function Found({ source, filter }: { source: Source; filter: string }) {
	const found = useQuery({ queryKey: ['documents', source, filter], queryFn: () => audits.documents(source, filter), staleTime: 60000, retry: false })
	if (found.error) return <ProblemNote error={found.error} />
	if (!found.data) return <p className="text-quiet">Each document is read …</p>
	const f = found.data
	return (
		<>
			<p role="status">
				{many(f.matched, 'document')} of {many(f.collection_size, 'document').replace(/ documents?$/, '')} {f.matched === 1 ? 'matches' : 'match'}
				{f.documents.length < f.matched && f.documents.length > 0 && `; here are the first ${f.documents.length}`}.
				{f.masked && ' Personal values are masked.'}
				{f.masked && f.matched === 0 && ' A masked value cannot be looked for as it is shown.'}
				{f.too_large > 0 && ` ${many(f.too_large, 'document')} too large to show.`}
			</p>
			{f.notes.map(n => (
				<p key={n} className="text-warn">
					{n}
				</p>
			))}
			<ol className="space-y-2" aria-label="Documents">
				{f.documents.map((d, i) => (
					<li key={i} className="overflow-hidden rounded-md border border-line">
						{f.where[i] && <p className="border-b border-line bg-sunk px-3 py-1 text-sm text-quiet">{f.where[i]}</p>}
						<pre className="max-h-64 overflow-auto px-3 py-2 font-mono text-[0.82rem] break-all whitespace-pre-wrap" tabIndex={0} aria-label={`Document ${i + 1}`}>
							{laidOut(d)}
						</pre>
					</li>
				))}
			</ol>
		</>
	)
}

function Shown({ source, asked, onClose }: { source: Source; asked: Asked; onClose: () => void }) {
	const [text, setText] = useState(asked.filter)
	const [filter, setFilter] = useState(asked.filter)
	return (
		<Dialog label={asked.title} onClose={onClose} className="m-auto h-[min(46rem,92dvh)] w-[min(52rem,calc(100vw-1rem))] p-0">
			<div className="flex h-full flex-col">
				<header className="flex items-center gap-2 border-b border-line px-4 py-2">
					<h2 className="min-w-0 grow font-semibold break-words">{asked.title}</h2>
					<IconButton label="Close" onClick={onClose}>
						<X aria-hidden className="size-5" />
					</IconButton>
				</header>
				<form
					className="flex flex-wrap items-end gap-2 border-b border-line px-4 py-3"
					onSubmit={e => {
						e.preventDefault()
						setFilter(text)
					}}
				>
					<label className="w-full text-sm text-quiet">
						Filter
						<textarea
							autoFocus
							rows={3}
							spellCheck={false}
							value={text}
							placeholder={'{ "status": "open" }'}
							onChange={e => setText(e.target.value)}
							onKeyDown={e => {
								if (e.key !== 'Enter' || e.shiftKey) return
								e.preventDefault()
								setFilter(text)
							}}
							className="block w-full resize-y rounded-md border border-line bg-panel px-2 py-1 font-mono text-[0.82rem] text-text focus:border-accent focus:outline-none"
						/>
					</label>
					<Button type="submit">Find</Button>
					<CopyText text={text} label="Copy the filter" />
				</form>
				<div className="min-h-0 grow space-y-3 overflow-y-auto px-4 py-3">
					<Found source={source} filter={filter} />
				</div>
			</div>
		</Dialog>
	)
}

export function Documents({ source, children }: { source: Source; children: ReactNode }) {
	const [asked, setAsked] = useState<Asked | null>(null)
	const open = useMemo(() => (a: Asked) => setAsked(a), [])
	return (
		<Opener.Provider value={open}>
			{children}
			{asked && <Shown source={source} asked={asked} onClose={() => setAsked(null)} />}
		</Opener.Provider>
	)
}
