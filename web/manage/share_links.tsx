// All share links of a project: what they show, for whom, and a button that ends each.
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { type Share, shares } from '../shares/api'
import { ShareRow } from '../shares/row'
import { ProblemNote } from '../shared/problem'
import { More, field, usePages } from './parts'

const KINDS: Record<Share['kind'] | '', string> = { '': 'everything', thread: 'conversations', artifact: 'artifacts', recipe_run: 'runs of recipes' }

export function ShareLinks({ project, isAdmin }: { project: string; isAdmin: boolean }) {
	const store = useQueryClient()
	const [kind, setKind] = useState<Share['kind'] | ''>('')
	const [isActiveOnly, setActiveOnly] = useState(true)
	const list = usePages(['shares', project, kind], cursor => shares.list(project, kind, '', cursor))
	const revoke = useMutation({ mutationFn: (id: string) => shares.revoke(project, id), onSettled: () => void store.invalidateQueries({ queryKey: ['shares', project] }) })
	const all = list.data?.pages.flatMap(p => p.shares) ?? []
	const rows = all.filter(s => !isActiveOnly || s.state === 'active')
	return (
		<section aria-label="Share links" className="space-y-3">
			<p className="text-sm text-quiet">
				{isAdmin ? 'All links that people of the project made.' : 'The links that you made.'} A link that is revoked shows nothing from then on. Links are made beside a conversation, an artifact or a run: <i>Share</i>.
			</p>
			<div className="flex flex-wrap items-center gap-3">
				<select aria-label="What is shared" value={kind} onChange={e => setKind(e.target.value as typeof kind)} className={field}>
					{Object.entries(KINDS).map(([k, words]) => (
						<option key={k} value={k}>
							{words}
						</option>
					))}
				</select>
				<label className="flex items-center gap-2">
					<input type="checkbox" checked={isActiveOnly} onChange={e => setActiveOnly(e.target.checked)} className="size-4 accent-(--accent)" />
					only links that work
				</label>
			</div>
			<ul className="space-y-2 empty:hidden">
				{rows.map(s => (
					<ShareRow key={s.id} share={s} withTitle onRevoke={() => revoke.mutate(s.id)} />
				))}
			</ul>
			{list.isSuccess && rows.length === 0 && <p className="text-quiet">{all.length ? 'No link here works any more.' : 'There is no link yet.'}</p>}
			{revoke.error && <ProblemNote error={revoke.error} />}
			<More list={list} />
		</section>
	)
}
