// A host of MCP Apps in a browser page, from the host side of npm's @modelcontextprotocol/ext-apps. Bundled by apps.mjs.
// show() opens a document behind a sandbox proxy on another origin; what it asks and says is in `heard`.
import { AppBridge, PostMessageTransport } from '@modelcontextprotocol/ext-apps/app-bridge'

const heard = { sizes: [], logs: [], asked: [] }
let bridge, frame

function proxyReady() {
	return new Promise(done =>
		addEventListener('message', function listen({ source, data }) {
			if (source !== frame.contentWindow || data?.method !== 'ui/notifications/sandbox-proxy-ready') return
			removeEventListener('message', listen)
			done()
		}),
	)
}

async function show({ proxy, html, csp, context, input, result, cancelled }) {
	frame = document.createElement('iframe')
	frame.id = 'view'
	frame.setAttribute('sandbox', 'allow-scripts allow-same-origin')
	frame.style.cssText = 'width: 700px; height: 200px; border: 0'
	frame.src = proxy
	const ready = proxyReady()
	document.body.append(frame)
	await ready
	bridge = new AppBridge(null, { name: 'test host', version: '1.0.0' }, { openLinks: {}, logging: {}, serverTools: {}, serverResources: {} }, { hostContext: context })
	const initialized = new Promise(done => (bridge.oninitialized = done))
	const refuse = name => async params => {
		heard.asked.push([name, params])
		return {}
	}
	bridge.onmessage = refuse('message')
	bridge.onopenlink = refuse('link')
	bridge.oncalltool = refuse('tool')
	bridge.onreadresource = refuse('resource')
	bridge.onupdatemodelcontext = refuse('context')
	bridge.onrequestdisplaymode = refuse('mode')
	bridge.onloggingmessage = params => heard.logs.push(params)
	bridge.onsizechange = params => {
		heard.sizes.push(params)
		if (params.height !== undefined) frame.style.height = `${params.height}px`
	}
	await bridge.connect(new PostMessageTransport(frame.contentWindow, frame.contentWindow))
	await bridge.sendSandboxResourceReady({ html, csp })
	await initialized
	await bridge.sendToolInput({ arguments: input })
	if (result) await bridge.sendToolResult(result)
	if (cancelled) await bridge.sendToolCancelled({ reason: cancelled })
}

globalThis.host = {
	heard,
	show,
	result: r => bridge.sendToolResult(r),
	theme: theme => bridge.setHostContext({ theme }),
	about: () => ({ app: bridge.getAppVersion(), can: bridge.getAppCapabilities() }),
	end: () => bridge.teardownResource({}).then(() => 'it answered'),
}
