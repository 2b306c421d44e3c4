// argus mcp for scenarios: over standard input and output with a handshake, or over HTTP with what each request says (2026-07-28).
import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'

export const APPS = { extensions: { 'io.modelcontextprotocol/ui': { mimeTypes: ['text/html;profile=mcp-app'] } } }
const info = { name: 'test', version: '1' }

function start(argus, words, folder) {
	const p = spawn(argus, ['mcp', ...words], { cwd: folder, env: { PATH: process.env.PATH, MAX_QUERIES_PER_MINUTE: '100000', HOME: folder, XDG_STATE_HOME: folder }, stdio: ['pipe', 'pipe', 'pipe'] })
	p.said = ''
	p.stderr.on('data', d => (p.said += d))
	p.on('exit', code => {
		if (!code) return
		console.log(`not ok - argus mcp ended with ${code}: ${p.said.slice(0, 500)}`)
		process.exit(1)
	})
	return p
}

export async function overStdio(argus, words, folder, capabilities) {
	const p = start(argus, words, folder)
	const waiting = new Map()
	let id = 0
	createInterface({ input: p.stdout }).on('line', line => {
		const m = JSON.parse(line)
		waiting.get(m.id)?.(m)
	})
	const ask = (method, params = {}) =>
		new Promise(done => {
			waiting.set(++id, done)
			p.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`)
		})
	await ask('initialize', { protocolVersion: '2025-11-25', capabilities, clientInfo: info })
	p.stdin.write('{"jsonrpc":"2.0","method":"notifications/initialized"}\n')
	return { ask, end: () => p.stdin.end() }
}

export async function overHttp(argus, words, folder, capabilities) {
	const p = start(argus, [...words, '--http', '--port', '0', '--no-auth'], folder)
	let url
	for (let i = 0; i < 400 && !url; i++) {
		url = /^listening on (\S+)/m.exec(p.said)?.[1]
		await new Promise(done => setTimeout(done, 25))
	}
	if (!url) throw new Error(`it does not listen: ${p.said}`)
	let id = 0
	const ask = async (method, params = {}) => {
		const name = params.name ?? params.uri
		const meta = { 'io.modelcontextprotocol/protocolVersion': '2026-07-28', 'io.modelcontextprotocol/clientCapabilities': capabilities }
		const r = await fetch(url, {
			method: 'POST',
			headers: {
				'Content-Type': 'application/json',
				Accept: 'application/json, text/event-stream',
				'MCP-Protocol-Version': '2026-07-28',
				'Mcp-Method': method,
				...(name && { 'Mcp-Name': name }),
			},
			body: JSON.stringify({ jsonrpc: '2.0', id: ++id, method, params: { ...params, _meta: meta } }),
		})
		const text = await r.text()
		return JSON.parse(text.startsWith('{') ? text : text.match(/^data: (.*)$/gm).at(-1).slice(6))
	}
	return { ask, end: () => p.kill() }
}
