// Who judges an audit's findings and when it ends; such choices are saved for the project under a name.
import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { ProblemNote } from '../shared/problem'
import { Button } from '../shared/ui'
import { type NewAudit, type Profile, audits } from './api'

export type Choice = Pick<NewAudit, 'eval_profile' | 'max_iterations' | 'max_seconds'>
const JUDGES = { fast: 'fast: by rules alone', balanced: 'balanced: a model checks itself', thorough: 'thorough: a judge checks the model' } as const
const small = 'min-h-9 rounded-md border border-line bg-panel px-2'

const choiceOf = (p: Profile): Choice => ({
	...(p.eval_profile && { eval_profile: p.eval_profile }),
	...(p.max_iterations && { max_iterations: p.max_iterations }),
	...(p.max_seconds && { max_seconds: p.max_seconds }),
})
const same = (a: Choice, b: Choice) => a.eval_profile === b.eval_profile && a.max_iterations === b.max_iterations && a.max_seconds === b.max_seconds

// What may be done with the profile that is chosen, or with choices that have no name yet.
function Saving({ project, value, chosen, names, onNamed }: { project: string; value: Choice; chosen: Profile | undefined; names: string[]; onNamed: (name: string) => void }) {
	const store = useQueryClient()
	const [name, setName] = useState<string | null>(null) // null = the field is not shown
	const [isRename, setRename] = useState(false)
	const [isAsked, setAsked] = useState(false)
	const done = async () => {
		setName(null)
		setAsked(false)
		await store.invalidateQueries({ queryKey: ['audit-profiles', project] })
	}
	const save = useMutation({
		mutationFn: async (to: string) => {
			if (isRename && chosen) await audits.renameProfile(project, chosen.name, to)
			else await audits.saveProfile(project, to, value)
		},
		onSuccess: async (_, to) => {
			await done()
			onNamed(to)
		},
	})
	const drop = useMutation({ mutationFn: () => audits.dropProfile(project, chosen!.name), onSuccess: done })
	const wish = name?.trim() ?? ''
	const replaces = !isRename && names.some(n => n.toLowerCase() === wish.toLowerCase())
	if (name !== null)
		return (
			<form
				className="flex flex-wrap items-center gap-2"
				onSubmit={e => {
					e.preventDefault()
					save.mutate(wish)
				}}
			>
				<input autoFocus required maxLength={60} aria-label="Name of the profile" placeholder="nightly" value={name} onChange={e => setName(e.target.value)} className={`${small} min-w-0`} />
				<Button type="submit" disabled={save.isPending}>
					{isRename ? 'Rename' : replaces ? 'Replace' : 'Save'}
				</Button>
				<Button onClick={() => setName(null)}>Cancel</Button>
				{save.error && <ProblemNote error={save.error} />}
			</form>
		)
	return (
		<div className="flex flex-wrap items-center gap-2">
			<Button
				onClick={() => {
					setRename(false)
					setName(chosen?.name ?? '')
				}}
			>
				Save these settings
			</Button>
			{chosen && !isAsked && (
				<>
					<Button
						onClick={() => {
							setRename(true)
							setName(chosen.name)
						}}
					>
						Rename {chosen.name}
					</Button>
					<Button onClick={() => setAsked(true)}>Delete {chosen.name}</Button>
				</>
			)}
			{chosen && isAsked && (
				<span className="flex gap-1" role="group" aria-label={`Delete ${chosen.name}?`}>
					<Button autoFocus onClick={() => setAsked(false)}>
						Keep
					</Button>
					<Button className="text-bad" disabled={drop.isPending} onClick={() => drop.mutate()}>
						Delete
					</Button>
				</span>
			)}
			{drop.error && <ProblemNote error={drop.error} />}
		</div>
	)
}

function Count({ before, after, empty, most, value, onChange }: { before: string; after: string; empty: string; most: number; value: number | undefined; onChange: (n: number | undefined) => void }) {
	return (
		<label className="flex flex-wrap items-center gap-2 text-sm">
			{before}
			<input type="number" min={1} max={most} value={value ?? ''} placeholder={empty} onChange={e => onChange(Number(e.target.value) > 0 ? Number(e.target.value) : undefined)} className={`${small} w-24`} />
			{after}
		</label>
	)
}

export function Choices({ project, value, onChange }: { project: string; value: Choice; onChange: (c: Choice) => void }) {
	const list = useInfiniteQuery({
		queryKey: ['audit-profiles', project],
		queryFn: ({ pageParam }) => audits.profiles(project, pageParam),
		initialPageParam: '',
		getNextPageParam: last => last.next ?? undefined,
	})
	const profiles = list.data?.pages.flatMap(p => p.profiles) ?? []
	const [name, setName] = useState('')
	const chosen = profiles.find(p => p.name === name)
	const change = (what: Choice) => {
		const all = { ...value, ...what }
		onChange(Object.fromEntries(Object.entries(all).filter(([, v]) => v)) as Choice)
	}
	return (
		<details>
			<summary className="text-sm text-quiet">Profile and limits{chosen && same(choiceOf(chosen), value) ? `: ${chosen.name}` : ''}</summary>
			<div className="mt-2 space-y-2">
				{profiles.length > 0 && (
					<label className="flex flex-wrap items-center gap-2 text-sm">
						Saved profile
						<select
							value={name}
							onChange={e => {
								setName(e.target.value)
								const p = profiles.find(x => x.name === e.target.value)
								onChange(p ? choiceOf(p) : {})
							}}
							className={`${small} min-w-0`}
						>
							<option value="">none</option>
							{profiles.map(p => (
								<option key={p.name} value={p.name}>
									{p.name}
								</option>
							))}
						</select>
					</label>
				)}
				<label className="flex flex-wrap items-center gap-2 text-sm">
					Findings are judged
					<select value={value.eval_profile ?? ''} onChange={e => change({ eval_profile: (e.target.value || undefined) as Choice['eval_profile'] })} className={small}>
						<option value="">as the server is set</option>
						{Object.entries(JUDGES).map(([k, words]) => (
							<option key={k} value={k}>
								{words}
							</option>
						))}
					</select>
				</label>
				<Count before="At most" after="steps" empty="all" most={10000} value={value.max_iterations} onChange={n => change({ max_iterations: n })} />
				<Count before="At most" after="minutes" empty="any" most={1440} value={value.max_seconds && Math.round(value.max_seconds / 60)} onChange={n => change({ max_seconds: n && n * 60 })} />
				<Saving key={name} project={project} value={value} chosen={chosen} names={profiles.map(p => p.name)} onNamed={setName} />
				{list.error && <ProblemNote error={list.error} />}
				{list.hasNextPage && <Button onClick={() => void list.fetchNextPage()}>More profiles</Button>}
			</div>
		</details>
	)
}
