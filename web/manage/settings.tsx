// The settings of the server: what counts, where that comes from, what it does. They are changed where they stand, not here.
import { Search } from 'lucide-react'
import { useDeferredValue, useEffect, useState } from 'react'
import { type Setting, manage } from './api'
import { More, usePages } from './parts'

function Row({ of: s }: { of: Setting }) {
	const isSet = s.place !== 'default'
	return (
		<li className="px-3 py-2">
			<div className="flex flex-wrap items-baseline gap-x-3 gap-y-1">
				<code className="min-w-0 grow font-mono text-sm font-semibold break-all">{s.group ? `${s.group}.${s.key}` : s.key}</code>
				<code className="min-w-0 font-mono text-sm break-all">{s.value || '(empty)'}</code>
				<span className={`rounded px-1.5 text-sm ${isSet ? 'bg-accent-soft' : 'bg-sunk text-quiet'}`}>{s.place}</span>
			</div>
			<p className="text-sm break-words text-quiet">{s.help}</p>
			<p className="text-sm break-all text-quiet">
				{isSet && s.where && `from ${s.where}; `}
				{isSet && s.by_default && `by default ${s.by_default}; `}
				{s.variable && <code className="font-mono text-[0.9em]">{s.variable}</code>}
				{s.is_live && ', changes without a restart (SIGHUP)'}
			</p>
		</li>
	)
}

export function Settings() {
	const [words, setWords] = useState('')
	const [isSetOnly, setOnly] = useState(false)
	const search = useDeferredValue(words.trim().toLowerCase())
	const list = usePages(['settings'], manage.settings)
	// All pages: a search must not miss one.
	useEffect(() => {
		if (list.hasNextPage && !list.isFetchingNextPage && !list.error) void list.fetchNextPage()
	}, [list])
	const all = list.data?.pages.flatMap(p => p.settings) ?? []
	const rows = all.filter(s => (!isSetOnly || s.place !== 'default') && `${s.group}.${s.key} ${s.help} ${s.value}`.toLowerCase().includes(search))
	return (
		<section aria-label="Settings" className="space-y-3">
			<p className="text-sm text-quiet">A command-line flag overrides an environment variable, which overrides .env files, which override argus.yaml. Settings are changed there, not here. Passwords and keys are not shown.</p>
			<div className="flex flex-wrap items-center gap-3">
				<label className="flex min-w-48 grow items-center gap-2 rounded-md border border-line bg-panel px-2 focus-within:border-accent sm:max-w-96">
					<Search aria-hidden className="size-4 text-quiet" />
					<input type="search" aria-label="Search settings" placeholder={`Search ${all.length} settings`} value={words} onChange={e => setWords(e.target.value)} className="min-h-9 w-full min-w-0 bg-transparent placeholder:text-quiet focus:outline-none" />
				</label>
				<label className="flex items-center gap-2">
					<input type="checkbox" checked={isSetOnly} onChange={e => setOnly(e.target.checked)} className="size-4 accent-(--accent)" />
					only what somebody has set
				</label>
			</div>
			<ul className="divide-y divide-line rounded-lg border border-line bg-panel empty:hidden">
				{rows.map(s => (
					<Row key={`${s.group}.${s.key}`} of={s} />
				))}
			</ul>
			{list.isSuccess && rows.length === 0 && <p className="text-quiet">No setting matches.</p>}
			<More list={list} />
		</section>
	)
}
