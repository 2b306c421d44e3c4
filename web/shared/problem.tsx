// Refusals in plain words: what happened, and what to do.
import { TriangleAlert } from 'lucide-react'
import type { ReactNode } from 'react'
import { Problem } from './api'

// As people write it: the server's words begin small and end without a full stop.
const sentence = (text: string) => text && text[0]!.toUpperCase() + text.slice(1) + (/[.!?…]$/.test(text) ? '' : '.')

export function wordsOf(e: unknown): { what: string; todo: string; reference: string } {
	if (!(e instanceof Problem)) return { what: e instanceof Error ? e.message : String(e), todo: '', reference: '' }
	const { reference } = e
	const say = (what: string, todo: string) => ({ what: sentence(what), todo: sentence(todo), reference })
	switch (e.status) {
		case 0:
			return say('The server cannot be reached.', 'Is it still running? Your question is kept here; try again when it is back.')
		case 401:
			return say(e.message || 'You are not signed in.', e.hint || 'Sign in, then try again. What you typed is kept.')
		case 403:
			return say(e.message || 'You may not do that.', e.hint || 'Ask an administrator of the project for access.')
		case 404:
			return say(e.message || 'This does not exist.', e.hint || 'It may have been deleted, or it belongs to somebody else.')
		case 429:
			return say('You asked too many questions in a short time.', `Wait ${e.waitSeconds || 'some'} seconds, then ask again.`)
		case 503:
			return say(e.message || 'The server is busy.', e.hint || 'It was asked twice. Try again in a moment.')
		default:
			return say(e.message || `The server refused this (${e.status}).`, e.hint)
	}
}

export function ProblemNote({ error, children }: { error: unknown; children?: ReactNode }) {
	const { what, todo, reference } = wordsOf(error)
	return (
		<div role="alert" className="flex gap-3 rounded-lg border border-bad/40 bg-bad-soft px-4 py-3">
			<TriangleAlert aria-hidden className="mt-0.5 size-5 shrink-0 text-bad" />
			<div className="min-w-0 grow">
				<p className="font-medium">{what}</p>
				{todo && <p>{todo}</p>}
				{reference && <p className="text-sm text-quiet">Reference for the server’s log: {reference}</p>}
				{children && <div className="mt-2 flex flex-wrap gap-2">{children}</div>}
			</div>
		</div>
	)
}
