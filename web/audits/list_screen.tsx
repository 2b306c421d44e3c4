// The screen of /audits: a new one, and those there are.
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { api } from '../shared/api'
import { ProblemNote } from '../shared/problem'
import { ProjectChoice } from '../shared/project_choice'
import { Button } from '../shared/ui'
import { audits } from './api'
import { Counts, State, count, isOver, when } from './marks'
import { NewAudit } from './new_audit'
import { AuditLists } from './tabs'

export function AuditsScreen() {
	const start = useQuery({ queryKey: ['start'], queryFn: api.start, staleTime: Infinity })
	const [chosen, setChosen] = useState('')
	const projects = start.data?.projects ?? []
	const project = chosen || (projects.length ? projects[0]!.id : '')
	const list = useInfiniteQuery({
		queryKey: ['audits', project],
		queryFn: ({ pageParam }) => audits.list(project, pageParam),
		initialPageParam: '',
		getNextPageParam: page => page.next ?? undefined,
		enabled: start.isSuccess,
		refetchInterval: page => (page.state.data?.pages.some(p => p.audits.some(a => !isOver(a))) ? 3000 : false),
	})
	const rows = list.data?.pages.flatMap(p => p.audits) ?? []
	useEffect(() => {
		document.title = 'Audits · Argus'
	}, [])
	return (
		<div className="mx-auto grid w-full max-w-6xl gap-x-6 gap-y-4 p-4 lg:grid-cols-[20rem_minmax(0,1fr)] xl:grid-cols-[22rem_minmax(0,1fr)]">
			<div className="flex flex-wrap items-center justify-between gap-3 lg:col-span-2">
				<AuditLists />
				<ProjectChoice projects={projects} value={project} onChange={setChosen} />
			</div>
			<div className="min-w-0">
				{start.isSuccess && <NewAudit key={project} project={project} />}
			</div>
			<section aria-label="Audits" className="min-w-0">
				{list.error && <ProblemNote error={list.error} />}
				{list.isSuccess && rows.length === 0 && (
					<p className="rounded-lg border border-line bg-panel px-4 py-4">
						An audit looks at each field of a collection, forms suspicions, and confirms each by an exact query. Choose a collection or a file to begin.
					</p>
				)}
				<ul className="divide-y divide-line rounded-lg border border-line bg-panel empty:hidden">
					{rows.map(a => (
						<li key={a.id}>
							<Link to="/audits/$id" params={{ id: a.id }} className="grid gap-x-4 gap-y-1 px-3 py-2 hover:bg-sunk sm:grid-cols-[minmax(0,1fr)_minmax(0,12rem)_6.5rem]">
								<span className="min-w-0">
									<span className="block truncate font-mono text-sm font-semibold">{a.collection}</span>
									<span className="text-sm text-quiet">
										{when(a.started_at ?? a.queued_at)}
										{a.documents > 0 && ` · ${count(a.documents)} documents`}
									</span>
								</span>
								<span className="self-center">{isOver(a) ? <Counts of={a} /> : null}</span>
								<span className="self-center text-sm">
									<State audit={a} />
								</span>
							</Link>
						</li>
					))}
				</ul>
				{list.hasNextPage && (
					<Button className="mt-2" onClick={() => list.fetchNextPage()}>
						Older ones
					</Button>
				)}
			</section>
		</div>
	)
}
