// Which artifact is open is in the address: ?artifacts=PROJECT is the list, &artifact=ID one of them.
import { useNavigate, useSearch } from '@tanstack/react-router'

export interface Place {
	artifacts?: string
	artifact?: string
	project?: string // that the next conversation is about
}

const text = (v: unknown) => (typeof v === 'string' && v ? v.slice(0, 200) : undefined)

export const placeOf = (search: Record<string, unknown>): Place => ({ artifacts: text(search.artifacts), artifact: text(search.artifact), project: text(search.project) })

export const usePlace = () => useSearch({ strict: false }) as Place

export function useOpen() {
	const navigate = useNavigate()
	// No project: the panel closes.
	return (project?: string, id?: string) => void navigate({ to: '.', search: { artifacts: project, artifact: project ? id : undefined } })
}
