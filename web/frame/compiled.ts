// Compiled JSX becomes code: by `new Function` where the frame's policy has 'unsafe-eval', else by an inline script with the nonce that
// the policy names. Hosts of MCP Apps allow inline scripts and no eval.
//
// Code of an artifact must not learn the nonce: frames that it makes have the same policy, and with the nonce they could run scripts
// of their own, which then have WebRTC (channel.ts). So the policy leaves the document before that code runs, the script is where no
// selector finds it, the events that quote a policy are stopped, and there is one script for each document.
import { randomName } from './random'

const policy = document.querySelector('meta[http-equiv]')
let nonce = /'nonce-([^']+)'/.exec(policy?.getAttribute('content') ?? '')?.[1] ?? ''
const isInline = nonce !== ''
policy?.remove()
if (isInline) {
	addEventListener('securitypolicyviolation', e => e.stopImmediatePropagation(), true)
	Reflect.deleteProperty(globalThis, 'ReportingObserver')
}

type Compiled = (...values: unknown[]) => unknown

function byScript(names: string[], body: string): Compiled {
	const name = `argus${randomName()}`
	const place = document.createElement('div')
	const script = document.createElement('script')
	let made: Compiled | undefined
	if (!nonce) throw new Error('this document has its code already')
	Object.defineProperty(globalThis, name, { configurable: true, value: (f: Compiled) => (made = f) })
	script.nonce = nonce
	nonce = ''
	script.textContent = `${name}(function (${names.join(', ')}) {\n${body}\n})`
	place.attachShadow({ mode: 'closed' }).append(script)
	document.head.append(place)
	place.remove()
	Reflect.deleteProperty(globalThis, name)
	if (!made) throw new SyntaxError('the code cannot be read')
	return made
}

export const functionOf = (names: string[], body: string): Compiled => (isInline ? byScript(names, body) : (new Function(...names, body) as Compiled))
