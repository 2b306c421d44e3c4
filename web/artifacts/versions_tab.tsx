// Every version stays: look at one, and at what it changed.
import { useQuery } from '@tanstack/react-query'
import { Fragment, useMemo, useState } from 'react'
import { type Artifact, api } from '../shared/api'
import { ProblemNote } from '../shared/problem'
import { Button } from '../shared/ui'
import { type DiffLine, diffLines } from './diff'

const times = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' })
const AROUND = 3 // lines that are shown around a change
const LOOK: Record<DiffLine['mark'], [string, string]> = {
	' ': ['', ''],
	'-': ['bg-bad-soft text-bad', 'removed: '],
	'+': ['bg-accent-soft', 'added: '],
}

// What two versions are compared by.
const text = (a: Artifact) =>
	[
		`title: ${a.title}`,
		...(a.description ? [`description: ${a.description}`] : []),
		a.code,
		...(a.source_queries ?? []).map(q => `query ${q.name}: ${q.sql}`),
		...(a.data === null ? [] : [`data: ${JSON.stringify(a.data, null, 1)}`]),
	].join('\n')

function Diff({ project, id, version }: { project: string; id: string; version: number }) {
	const both = useQuery({
		queryKey: ['artifact', project, id, 'diff', version],
		queryFn: () => Promise.all([api.artifact(project, id, version - 1), api.artifact(project, id, version)]),
		staleTime: Infinity,
	})
	const lines = useMemo(() => (both.data ? diffLines(text(both.data[0]), text(both.data[1])) : []), [both.data])
	if (both.error) return <ProblemNote error={both.error} />
	if (!both.data) return <p className="text-quiet">Comparing …</p>
	const isNear = lines.map((_, i) => lines.slice(Math.max(0, i - AROUND), i + AROUND + 1).some(l => l.mark !== ' '))
	return (
		<pre
			tabIndex={0}
			aria-label={`What version ${version} changed`}
			className="overflow-x-auto rounded-md bg-sunk py-2 font-mono text-[13px] leading-normal"
		>
			{lines.map((l, i) =>
				isNear[i] ? (
					<div key={i} className={`min-w-max px-3 ${LOOK[l.mark][0]}`}>
						<span className="sr-only">{LOOK[l.mark][1]}</span>
						<span aria-hidden>{l.mark} </span>
						{l.text}
					</div>
				) : (
					isNear[i - 1] && (
						<div key={i} className="px-3 text-quiet">
							…
						</div>
					)
				),
			)}
		</pre>
	)
}

interface Props {
	project: string
	id: string
	shown: number // the version that the other tabs show
	onShow: (version: number) => void
}

export function VersionsTab({ project, id, shown, onShow }: Props) {
	const list = useQuery({ queryKey: ['artifact', project, id, 'versions'], queryFn: () => api.artifactVersions(project, id) })
	const [compared, setCompared] = useState(0)
	if (list.error) {
		return (
			<div className="p-4">
				<ProblemNote error={list.error} />
			</div>
		)
	}
	return (
		<ol className="space-y-2 p-4" aria-label="Versions">
			{(list.data?.versions ?? []).map(v => (
				<Fragment key={v.id}>
					<li className="flex flex-wrap items-center gap-2 rounded-lg border border-line px-3 py-2">
						<div className="min-w-40 grow">
							<p className="font-medium">
								Version {v.version}
								{v.version === shown && <span className="ml-2 rounded-full bg-accent-soft px-2 py-0.5 text-sm font-normal">shown</span>}
							</p>
							<p className="text-sm text-quiet">
								{v.author}, <time dateTime={v.created_at}>{times.format(new Date(v.created_at))}</time>
							</p>
						</div>
						{v.version > 1 && (
							<Button
								aria-expanded={compared === v.version}
								aria-label={`Changes of version ${v.version}`}
								onClick={() => setCompared(compared === v.version ? 0 : v.version)}
							>
								Changes
							</Button>
						)}
						{v.version !== shown && (
							<Button aria-label={`Show version ${v.version}`} onClick={() => onShow(v.version)}>
								Show
							</Button>
						)}
					</li>
					{compared === v.version && (
						<li>
							<Diff project={project} id={id} version={v.version} />
						</li>
					)}
				</Fragment>
			))}
		</ol>
	)
}
