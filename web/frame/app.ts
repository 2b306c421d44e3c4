// An artifact in a host of MCP Apps (docs/decisions/0047). This document speaks with the host; the artifact is drawn in a frame inside,
// which has no origin and no way to the host: code of a model must not call tools, open links or write to the conversation.
import { type ToolResult, connect, report, wordsOf } from '../shared/app_host'
import type { FrameName, FromFrame, Theme, ToFrame } from './messages'
import { MAX_MESSAGE } from './messages'
import { randomName } from './random'

interface Artifact {
	kind: string
	title: string
	code: string
	data: Record<string, unknown>
	failed: { name: string; error: string }[]
	cut: string[]
}

const MOST = 1600 // pixels of the document
const CHART = 420 // pixels of a chart, which has no height of its own
const PATIENCE_MS = 15000
const paper = document.getElementById('paper')!
const notes = document.getElementById('notes')!
let theme: Theme = 'light'
let shown: { artifact: Artifact; frame: HTMLIFrameElement; isReady: boolean } | null = null

function note(text: string, look = '') {
	const p = document.createElement('p')
	p.textContent = text
	p.className = look
	notes.append(p)
}

function only(text: string, look = '') {
	shown = null
	paper.replaceChildren()
	notes.replaceChildren()
	note(text, look)
}

function draw() {
	if (!shown?.isReady) return
	const { code, data } = shown.artifact
	shown.frame.contentWindow?.postMessage({ argus: 'show', code, data, theme } satisfies ToFrame, '*')
}

const textOf = (id: string) => document.getElementById(id)!.textContent!.trim()

// Printed by argus serve: what is shown is inside the document, and there is no host.
const given = JSON.parse(textOf('view')) as Artifact | null

// A frame of argus serve: base64url of gzip.
async function unpacked(name: FrameName): Promise<string> {
	const bytes = Uint8Array.from(atob(textOf(name).replaceAll('-', '+').replaceAll('_', '/')), c => c.charCodeAt(0))
	return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'))).text()
}

// The frame's own policy, as a document that comes as text can have it. Code of an artifact runs by a nonce in the place of eval,
// which hosts do not allow (compiled.ts).
function policyOf(name: FrameName): string {
	const nonce = randomName()
	const parts = textOf(`${name}-policy`).split('; ')
	return parts
		.filter(p => !/^(sandbox|frame-ancestors) /.test(p))
		.map(p => p.replace("'unsafe-eval'", `'nonce-${nonce}'`))
		.join('; ')
}

async function show(artifact: Artifact) {
	const name: FrameName = artifact.kind === 'react' || artifact.kind === 'plotly' ? artifact.kind : 'document'
	const frame = document.createElement('iframe')
	frame.setAttribute('sandbox', 'allow-scripts')
	frame.referrerPolicy = 'no-referrer'
	frame.title = artifact.title
	frame.style.height = `${CHART}px`
	const html = await unpacked(name)
	frame.srcdoc = html.replace('<head>', () => `<head><meta http-equiv="Content-Security-Policy" content="${policyOf(name)}">`)
	notes.replaceChildren()
	for (const f of artifact.failed) note(`The data “${f.name}” could not be read: ${f.error}`, 'warn')
	for (const c of artifact.cut) note(`The data “${c}” is cut: there are more rows.`, 'quiet')
	const one = { artifact, frame, isReady: false }
	shown = one
	paper.replaceChildren(frame)
	// On paper time runs ahead.
	if (!given)
		setTimeout(() => {
			if (shown === one && !one.isReady) broken('The host does not let the frame of the artifact run.')
		}, PATIENCE_MS)
}

function broken(message: string) {
	const { title } = shown!.artifact
	only(`“${title}” cannot be drawn: ${message}`, 'bad')
	report(`artifact: ${message}`)
}

// What comes from the frame is text and a number, whatever it says it is.
addEventListener('message', (e: MessageEvent<FromFrame>) => {
	if (!shown || e.source !== shown.frame.contentWindow || e.origin !== 'null') return
	const m = e.data as { argus?: unknown; message?: unknown; height?: unknown } | null
	switch (m?.argus) {
		case 'ready':
			shown.isReady = true
			draw()
			break
		case 'error':
			broken(String(m.message).slice(0, MAX_MESSAGE))
			break
		case 'size':
			if (shown.artifact.kind !== 'plotly' && Number.isFinite(m.height)) shown.frame.style.height = `${Math.min(MOST, Math.max(40, Number(m.height)))}px`
	}
})

function take(result: ToolResult) {
	const view = result.structuredContent?.view as Artifact | undefined
	if (view) void show(view).catch(e => only(`It cannot be shown: ${e}`, 'bad'))
	else only(wordsOf(result), result.isError ? 'bad' : '')
}

if (given) {
	document.documentElement.className = 'printed'
	document.title = given.title
	const title = document.createElement('h1')
	title.textContent = given.title
	document.body.prepend(title)
	take({ structuredContent: { view: given } })
} else {
	const onContext = (context: { theme?: string }) => {
		const before = theme
		theme = context.theme === 'dark' ? 'dark' : 'light'
		if (theme !== before) draw()
	}
	const onInput = (input: Record<string, unknown>) => {
		if (!shown) only(typeof input.title === 'string' ? `Drawing “${input.title}” …` : 'Drawing …', 'quiet')
	}
	connect({ onInput, onResult: take, onCancelled: reason => only(`It was cancelled${reason && `: ${reason}`}.`, 'bad'), onContext }, MOST)
}
