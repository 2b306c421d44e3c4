// The audit table: who called what in a project, with the SQL and what the guard said; and whether the table is whole.
import { useMutation } from '@tanstack/react-query'
import { ShieldCheck } from 'lucide-react'
import { useDeferredValue, useState } from 'react'
import { ProblemNote } from '../shared/problem'
import { Button } from '../shared/ui'
import { type Call, manage } from './api'
import { More, field, second, usePages } from './parts'

const numbers = new Intl.NumberFormat()

// by: name of the token that allowed it; "" = it is not shown.
export function CallRow({ of: c, by = '' }: { of: Call; by?: string }) {
	const isBad = c.outcome !== 'ok' && c.outcome !== 'running'
	return (
		<li className="px-3 py-1.5">
			<details>
				<summary className="grid grid-cols-[minmax(0,1fr)_auto] gap-x-3 text-sm sm:grid-cols-[12rem_minmax(0,8rem)_minmax(0,1fr)_auto]">
					<span className="text-quiet tabular-nums max-sm:col-span-2">{second(c.at)}</span>
					<span className="truncate max-sm:col-span-2">
						{c.user}
						{by && <span className="text-quiet"> by {by}</span>}
					</span>
					<span className="truncate font-mono">{c.tool}</span>
					<span className={isBad ? 'text-bad' : 'text-good'}>{c.outcome}</span>
				</summary>
				<div className="mt-1 space-y-1 text-sm">
					{c.sql && <pre className="overflow-x-auto rounded-md bg-sunk px-3 py-2 font-mono text-[0.82rem] whitespace-pre-wrap">{c.sql}</pre>}
					{c.rule && <p className="text-bad">The guard refused it: {c.rule}</p>}
					{c.detail && <p className="break-all text-quiet">{c.detail}</p>}
					<p className="text-quiet">
						row {c.row}
						{c.sql && `, ${numbers.format(c.rows)} rows, ${numbers.format(Math.round(c.exec_us / 100) / 10)} ms`}
					</p>
				</div>
			</details>
		</li>
	)
}

export function Calls({ project, isSuper }: { project: string; isSuper: boolean }) {
	const [user, setUser] = useState('')
	const [tool, setTool] = useState('')
	const [isOk, setOk] = useState('')
	const of = { programs: '', user: useDeferredValue(user.trim()), tool: useDeferredValue(tool.trim()), outcome: isOk }
	const list = usePages(['calls', project, of], cursor => manage.calls(project, of, cursor))
	const check = useMutation({ mutationFn: manage.checkCalls })
	const rows = list.data?.pages.flatMap(p => p.calls) ?? []
	return (
		<section aria-label="Calls" className="space-y-3">
			<p className="text-sm text-quiet">
				Each call of the project: who made it, its statement, and what the guard said. Every row holds a hash of the row before it{isSuper ? '; “Check the table” finds rows that were changed or removed' : ''}.
			</p>
			<div className="flex flex-wrap items-center gap-2">
				<input aria-label="Only calls of this user" placeholder="User" value={user} onChange={e => setUser(e.target.value)} className={`${field} w-36`} />
				<input aria-label="Only calls of this tool" placeholder="Tool" value={tool} onChange={e => setTool(e.target.value)} className={`${field} w-44`} />
				<select aria-label="How they ended" value={isOk} onChange={e => setOk(e.target.value)} className={field}>
					<option value="">all results</option>
					<option value="ok">ok</option>
					<option value="VALIDATION_ERROR">refused as wrong</option>
					<option value="PERMISSION_DENIED">not allowed</option>
				</select>
				{isSuper && (
					<Button disabled={check.isPending} onClick={() => check.mutate()}>
						<ShieldCheck aria-hidden className="size-4" /> {check.isPending ? 'Checking …' : 'Check the table'}
					</Button>
				)}
			</div>
			{check.data && (
				<p role="status" className={check.data.is_whole ? 'text-good' : 'text-bad'}>
					{check.data.is_whole ? `The table is whole: ${numbers.format(check.data.rows)} rows were checked.` : `The table is not whole: ${check.data.why}.`}
				</p>
			)}
			{check.error && <ProblemNote error={check.error} />}
			<ul className="divide-y divide-line rounded-lg border border-line bg-panel empty:hidden">
				{rows.map(c => (
					<CallRow key={c.row} of={c} />
				))}
			</ul>
			{list.isSuccess && rows.length === 0 && <p className="text-quiet">No call matches.</p>}
			<More list={list} />
		</section>
	)
}
