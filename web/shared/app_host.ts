// The view's side of MCP Apps, revision 2026-01-26: JSON-RPC by postMessage with the host that shows this document.
const REVISION = '2026-01-26'

export interface HostContext {
	theme?: 'light' | 'dark'
	containerDimensions?: { height?: number; maxHeight?: number }
}
export interface ToolResult {
	content?: { type: string; text?: string }[]
	structuredContent?: Record<string, unknown>
	isError?: boolean
}
export interface View {
	onInput: (input: Record<string, unknown>) => void
	onResult: (result: ToolResult) => void
	onCancelled: (reason: string) => void
	onContext: (context: HostContext) => void // all that is known so far
}
interface Message {
	jsonrpc?: unknown
	id?: string | number
	method?: string
	params?: Record<string, unknown>
	result?: { hostContext?: HostContext; hostCapabilities?: { logging?: unknown } }
	error?: { message?: string }
}

const host = window.parent
// Whoever shows this document has all that it knows: there is no origin to name.
const send = (m: object) => host.postMessage({ jsonrpc: '2.0', ...m }, '*')
let canLog = false

// An error of what is shown, for the host's log.
export const report = (message: string) => canLog && send({ method: 'notifications/message', params: { level: 'error', logger: 'argus', data: message } })

// What a result says in words.
export const wordsOf = (r: ToolResult) => {
	const error = r.structuredContent?.error as { message?: unknown } | undefined
	return typeof error?.message === 'string' ? error.message : (r.content?.find(c => c.type === 'text')?.text ?? 'The call failed.')
}

// Tells the host how high the document is, at most `most` pixels: what is higher scrolls.
export function keepSized(most: number) {
	let told = 0
	const tell = () => {
		const height = Math.min(most, Math.ceil(document.documentElement.getBoundingClientRect().height))
		if (height === told) return
		told = height
		send({ method: 'ui/notifications/size-changed', params: { height } })
	}
	new ResizeObserver(tell).observe(document.documentElement)
}

export function connect(view: View, most: number) {
	let context: HostContext = {}
	const know = (more: HostContext | undefined) => {
		context = { ...context, ...more }
		document.documentElement.dataset.theme = context.theme === 'dark' ? 'dark' : 'light'
		// Of a fixed height: the view fills it.
		document.documentElement.style.height = context.containerDimensions?.height ? '100vh' : ''
		view.onContext(context)
	}
	const heard: Record<string, (params: Record<string, unknown>) => void> = {
		'ui/notifications/tool-input': p => view.onInput((p.arguments ?? {}) as Record<string, unknown>),
		'ui/notifications/tool-result': p => view.onResult(p as ToolResult),
		'ui/notifications/tool-cancelled': p => view.onCancelled(typeof p.reason === 'string' ? p.reason : ''),
		'ui/notifications/host-context-changed': p => know(p as HostContext),
	}
	addEventListener('message', e => {
		const m = e.data as Message | null
		if (e.source !== host || m?.jsonrpc !== '2.0') return
		if (m.method === undefined) {
			if (m.id !== 1) return
			if (m.error) return view.onCancelled(m.error.message ?? 'the host refused it')
			canLog = m.result?.hostCapabilities?.logging !== undefined
			know(m.result?.hostContext)
			send({ method: 'ui/notifications/initialized' })
			keepSized(most)
		} else if (m.id === undefined) {
			if (Object.hasOwn(heard, m.method)) heard[m.method]!(m.params ?? {})
		} else if (m.method === 'ping' || m.method === 'ui/resource-teardown') {
			send({ id: m.id, result: {} })
		} else {
			send({ id: m.id, error: { code: -32601, message: 'Method not found' } })
		}
	})
	const appInfo = { name: 'argus', version: '1' }
	send({ id: 1, method: 'ui/initialize', params: { appInfo, appCapabilities: { availableDisplayModes: ['inline', 'fullscreen'] }, protocolVersion: REVISION } })
}
