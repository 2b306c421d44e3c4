// What the parts of the screen share: pages of a list, a choice of role, a secret that is shown once.
import { useInfiniteQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { CopyText } from '../shared/copy_text'
import { ProblemNote } from '../shared/problem'
import { Button } from '../shared/ui'
import { ROLES, type Role } from './api'

export const field = 'min-h-9 min-w-0 rounded-md border border-line bg-panel px-2 focus:border-accent focus:outline-none'
export const area = 'w-full rounded-md border border-line bg-panel px-2 py-1.5 focus:border-accent focus:outline-none'
const times = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' })
const seconds = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' })
export const second = (iso: string) => seconds.format(new Date(iso))
export const moment = (iso: string | null | undefined) => (iso ? times.format(new Date(iso)) : '')
const dates = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' })
export const day = (iso: string | null | undefined) => (iso ? dates.format(new Date(iso)) : '')

export function usePages<T extends { next: string | null }>(key: unknown[], ask: (cursor: string) => Promise<T>, enabled = true, everyMs = 0) {
	return useInfiniteQuery({
		queryKey: key,
		queryFn: ({ pageParam }) => ask(pageParam),
		initialPageParam: '',
		getNextPageParam: (last: T) => last.next ?? undefined,
		enabled,
		refetchInterval: everyMs || false,
	})
}

export function More({ list }: { list: { hasNextPage: boolean; fetchNextPage: () => unknown; error: unknown } }) {
	return (
		<>
			{list.error !== null && <ProblemNote error={list.error} />}
			{list.hasNextPage && <Button onClick={() => void list.fetchNextPage()}>More</Button>}
		</>
	)
}

export function RoleChoice({ label, value, onChange }: { label: string; value: Role; onChange: (r: Role) => void }) {
	return (
		<select aria-label={label} value={value} onChange={e => onChange(e.target.value as Role)} className={field}>
			{ROLES.map(r => (
				<option key={r} value={r}>
					{r}
				</option>
			))}
		</select>
	)
}

export function Secret({ text, label, children }: { text: string; label: string; children: ReactNode }) {
	return (
		<div role="status" className="space-y-2 rounded-lg border border-accent bg-accent-soft p-3">
			<p>{children}</p>
			<code className="block font-mono text-sm break-all">{text}</code>
			<CopyText text={text} label={label} />
		</div>
	)
}

// A button that asks once more before it does what cannot be undone.
export function Sure({ label, name, onDo, busy }: { label: string; name: string; onDo: () => void; busy: boolean }) {
	const [isAsked, setAsked] = useState(false)
	if (!isAsked) {
		return (
			<Button aria-label={`${label} ${name}`} disabled={busy} onClick={() => setAsked(true)}>
				{label}
			</Button>
		)
	}
	return (
		<span className="flex gap-1" role="group" aria-label={`${label} ${name}?`}>
			<Button autoFocus onClick={() => setAsked(false)}>
				Keep
			</Button>
			<Button
				className="text-bad"
				disabled={busy}
				onClick={() => {
					setAsked(false)
					onDo()
				}}
			>
				{label}
			</Button>
		</span>
	)
}
