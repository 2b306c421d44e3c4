// The screen of /manage: what belongs to people who look after projects and the server.
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useParams } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { api } from '../shared/api'
import { GROUPS, PARTS, placed } from '../shared/places'
import { ProblemNote } from '../shared/problem'
import { ProjectChoice } from '../shared/project_choice'
import { draftOf } from '../shared/recipe_draft'
import { manage } from './api'
import { Calls } from './calls'
import { Connect } from './connect'
import { Connections } from './connections'
import { Dictionary } from './dictionary'
import { Golden } from './golden'
import { Import } from './import'
import { Jobs, Schedules } from './jobs'
import { Knowledge } from './knowledge'
import { Members } from './members'
import { People } from './people'
import { Projects } from './projects'
import { ProjectSettings } from './project_settings'
import { Recipes } from './recipes'
import { Settings } from './settings'
import { ShareLinks } from './share_links'
import { Tokens } from './tokens'

const OF_PROJECT = ['Knowledge', 'Dictionary', 'Recipes', 'Golden questions', 'Connections', 'Share links', 'Members', 'Project settings', 'Calls', 'Connect']

export function ManageScreen() {
	const go = useNavigate()
	const named = useParams({ strict: false }).part ?? ''
	const me = useQuery({ queryKey: ['me'], queryFn: api.me, staleTime: Infinity })
	const projects = useQuery({ queryKey: ['projects'], queryFn: manage.projects })
	const [chosen, setChosen] = useState(() => draftOf()?.project ?? '')
	const list = projects.data?.projects ?? []
	const project = chosen || list[0]?.id || ''
	const role = list.find(p => p.id === project)?.role
	const isAdmin = me.data?.superuser === true || list.some(p => p.role === 'admin')
	const parts = PARTS.filter(p => ((p !== 'Jobs' && p !== 'Schedules') || isAdmin) && ((p !== 'People' && p !== 'Settings') || me.data?.superuser) && (p !== 'Connections' || role !== 'viewer') && (p !== 'Import' || me.data?.by === 'session' || list.some(x => x.takes_tables)) && ((p !== 'Members' && p !== 'Project settings') || role === 'admin') && (p !== 'Tokens' || me.data?.by === 'session'))
	const groups = Object.entries(GROUPS).map(([group, names]) => [group, names.filter(p => parts.includes(p))] as const).filter(([, names]) => names.length > 0)
	const part = parts.find(p => placed(p) === named) ?? parts[0]!
	useEffect(() => {
		document.title = `${part} · Argus`
	}, [part])
	return (
		<div className="mx-auto grid w-full max-w-5xl gap-6 p-4 md:grid-cols-[11rem_minmax(0,1fr)]">
			{/* On a narrow screen a list of links would fill it. */}
			<div className="md:hidden">
				<select aria-label="Part of this screen" value={part} onChange={e => void go({ to: '/manage/$part', params: { part: placed(e.target.value) } })} className="min-h-9 w-full rounded-md border border-line bg-panel px-2">
					{groups.map(([group, names]) => (
						<optgroup key={group} label={group}>
							{names.map(p => (
								<option key={p}>{p}</option>
							))}
						</optgroup>
					))}
				</select>
			</div>
			<nav aria-label="Parts of this screen" className="flex flex-col gap-4 max-md:hidden">
				{groups.map(([group, names]) => (
					<div key={group} className="flex flex-col gap-0.5">
						<p className="px-3 text-xs text-quiet">{group}</p>
						{names.map(p => (
							<Link
								key={p}
								to="/manage/$part"
								params={{ part: placed(p) }}
								aria-current={p === part ? 'page' : undefined}
								className={`rounded-md px-3 py-1 ${p === part ? 'bg-accent-soft font-medium' : 'text-quiet hover:bg-sunk hover:text-text'}`}
							>
								{p}
							</Link>
						))}
					</div>
				))}
			</nav>
			<div className="min-w-0 space-y-4">
				<div className="flex flex-wrap items-center gap-3">
					<h2 className="grow text-lg font-semibold">{part}</h2>
					{OF_PROJECT.includes(part) && <ProjectChoice projects={list} value={project} onChange={setChosen} />}
				</div>
				{projects.error && <ProblemNote error={projects.error} />}
				{part === 'Knowledge' && project && <Knowledge key={project} project={project} role={role} />}
				{part === 'Dictionary' && project && <Dictionary key={project} project={project} role={role} />}
				{part === 'Recipes' && project && <Recipes key={project} project={project} role={role} />}
				{part === 'Golden questions' && project && <Golden key={project} project={project} role={role} />}
				{part === 'Connections' && project && <Connections key={project} project={project} />}
				{part === 'Projects' && projects.data && <Projects projects={list} isSuper={me.data?.superuser === true} onChoose={setChosen} />}
				{part === 'Import' && projects.data && <Import projects={list} />}
				{part === 'Share links' && project && <ShareLinks key={project} project={project} isAdmin={role === 'admin'} />}
				{part === 'Members' && project && <Members key={project} project={project} />}
				{part === 'Project settings' && project && <ProjectSettings key={project} project={project} />}
				{part === 'Calls' && project && <Calls key={project} project={project} isSuper={me.data?.superuser === true} />}
				{part === 'Jobs' && <Jobs />}
				{part === 'Schedules' && <Schedules projects={list} />}
				{part === 'People' && <People />}
				{part === 'Settings' && <Settings />}
				{part === 'Tokens' && <Tokens />}
				{part === 'Connect' && <Connect project={project} hasTokens={me.data?.by === 'session'} />}
			</div>
		</div>
	)
}
