// What share links are made, listed and opened with.
import { type ArtifactKind, ask, json } from '../shared/api'
import type { components } from '../shared/api_types' // made by tools/build-web
import type { Message } from '../chat/types'

type Shapes = components['schemas']
export type Share = Shapes['Share']
export type SharedArtifact = Omit<Shapes['SharedArtifact'], 'data' | 'type'> & { type: ArtifactKind; data: Record<string, unknown> }
// What the document leaves open.
export type Shared = Omit<Shapes['Shared'], 'content'> & { content: { run?: Shapes['RecipeRunRow']; messages?: Message[]; artifacts: SharedArtifact[] } }

const inProject = (project: string) => `/api/projects/${encodeURIComponent(project)}/shares`

export const shares = {
	list: (project: string, kind: Share['kind'] | '', thing: string, cursor: string) =>
		json<'listShares'>(
			`${inProject(project)}?limit=20${kind && `&kind=${kind}`}${thing && `&thing=${encodeURIComponent(thing)}`}${cursor && `&cursor=${encodeURIComponent(cursor)}`}`,
		),
	make: (project: string, wish: Parameters<typeof json<'createShare'>>[2]) => json<'createShare'>(inProject(project), 'POST', wish),
	revoke: (project: string, id: string) => json<'revokeShare'>(`${inProject(project)}/${encodeURIComponent(id)}`, 'DELETE'),
}

async function open(path: string, token: string, credentials: RequestCredentials): Promise<Shared> {
	const body = JSON.stringify({ token })
	return (await ask(path, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body, credentials })).json()
}

export const openPublic = (token: string) => open('/api/shared', token, 'omit')
export const openAsMember = (token: string) => open('/api/shared/members', token, 'same-origin')
