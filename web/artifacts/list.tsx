// The artifacts of a project: search, open, and bring back what was deleted.
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Search } from 'lucide-react'
import { useDeferredValue, useState } from 'react'
import { type ArtifactRow, type Start, api } from '../shared/api'
import { ProblemNote } from '../shared/problem'
import { ProjectChoice } from '../shared/project_choice'
import { Button } from '../shared/ui'
import { kindWords } from './kinds'
import { useOpen } from './place'

const days = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' })

function Row({ row, onOpen, onBack }: { row: ArtifactRow; onOpen: () => void; onBack: () => void }) {
	const about = `${kindWords(row.type)}, version ${row.version}, ${row.author}, ${days.format(new Date(row.changed_at))}`
	if (row.deleted_at) {
		return (
			<li className="flex items-center gap-3 rounded-lg border border-line px-3 py-2">
				<span className="min-w-0 grow">
					<span className="block truncate">{row.title}</span>
					<span className="block truncate text-sm text-quiet">{about}</span>
				</span>
				<Button onClick={onBack} aria-label={`Bring back “${row.title}”`}>
					Bring back
				</Button>
			</li>
		)
	}
	return (
		<li>
			<button
				type="button"
				onClick={onOpen}
				className="w-full rounded-lg border border-line bg-panel px-3 py-2 text-left hover:border-accent"
			>
				<span className="block truncate font-medium">{row.title}</span>
				<span className="block truncate text-sm text-quiet">{about}</span>
			</button>
		</li>
	)
}

export function ArtifactList({ project, start }: { project: string; start?: Start }) {
	const open = useOpen()
	const store = useQueryClient()
	const [text, setText] = useState('')
	const [isDeleted, setDeleted] = useState(false)
	const [refused, setRefused] = useState<unknown>(null)
	const words = useDeferredValue(text.trim())
	const list = useQuery({
		queryKey: ['artifacts', project, words, isDeleted],
		queryFn: () => api.artifacts(project, words, isDeleted),
		placeholderData: last => last,
	})
	const bringBack = async (id: string) => {
		try {
			await api.undeleteArtifact(project, id)
			void store.invalidateQueries({ queryKey: ['artifacts'] })
			open(project, id)
		} catch (e) {
			setRefused(e)
		}
	}
	const rows = list.data?.artifacts ?? []
	return (
		<div className="flex min-h-0 grow flex-col gap-3 p-4">
			{start && <ProjectChoice projects={start.projects} value={project} onChange={p => open(p)} />}
			<label className="flex items-center gap-2 rounded-md border border-line bg-panel px-2">
				<Search aria-hidden className="size-4 shrink-0 text-quiet" />
				<input
					type="search"
					aria-label="Search artifacts"
					placeholder="Search artifacts"
					value={text}
					onChange={e => setText(e.target.value)}
					className="min-h-9 w-full bg-transparent placeholder:text-quiet focus:outline-none"
				/>
			</label>
			<label className="flex items-center gap-2 text-sm">
				<input type="checkbox" checked={isDeleted} onChange={e => setDeleted(e.target.checked)} className="size-4 accent-(--accent)" />
				Deleted ones of the last 30 days
			</label>
			{list.error && <ProblemNote error={list.error} />}
			{refused !== null && <ProblemNote error={refused} />}
			<ul className="min-h-0 space-y-2 overflow-y-auto" aria-label="Artifacts">
				{rows.map(r => (
					<Row key={r.id} row={r} onOpen={() => open(project, r.id)} onBack={() => void bringBack(r.id)} />
				))}
			</ul>
			{list.data && list.data.total > rows.length && (
				<p className="text-sm text-quiet">
					The newest {rows.length} of {list.data.total}: search for others.
				</p>
			)}
			{list.data && rows.length === 0 && (
				<p className="text-quiet">
					{words
						? 'No artifact has these words in its title.'
						: isDeleted
							? 'None was deleted in the last 30 days.'
							: 'Nothing yet. Ask for a chart, a report or a dashboard: it stays here, with its data and its versions.'}
				</p>
			)}
		</div>
	)
}
