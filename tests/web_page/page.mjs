// A browser, and what scenarios of the page share.
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { createRequire } from 'node:module'
import { chromium } from 'playwright-core'

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
const PATIENCE_MS = Number(process.env.PATIENCE_MS ?? 60000)
let failed = 0

const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox', '--disable-gpu'] })

// A page that notes what it should not do.
export async function open(base, options = {}, path = '') {
	const context = await browser.newContext({ viewport: { width: 1024, height: 720 }, ...options })
	const page = await context.newPage()
	page.setDefaultTimeout(PATIENCE_MS)
	page.wrongs = []
	// For an address without a page, such as /healthz, the browser asks for an icon at a place of its own choice.
	const isIcon = m => m.location().url.endsWith('/favicon.ico')
	page.on('console', m => ['error', 'warning'].includes(m.type()) && !isIcon(m) && page.wrongs.push(m.text()))
	page.on('pageerror', e => page.wrongs.push(String(e)))
	page.on('request', r => /^(https?|wss?):/.test(r.url()) && !r.url().startsWith(base) && page.wrongs.push(`it asks ${r.url()}`))
	await page.goto(base + path)
	return page
}

export function want(isTrue, what) {
	if (!isTrue) throw new Error(what)
}

export async function check(name, run) {
	const began = Date.now()
	try {
		await run()
		console.log(`ok - ${name}`)
	} catch (e) {
		failed++
		console.log(`not ok - ${name}\n  ${String(e.stack ?? e).replaceAll('\n', '\n  ')}`)
	}
	if (process.env.TIMES) console.log(`# ${Date.now() - began} ms`)
}

export const box = page => page.getByRole('textbox', { name: 'Your question' })
export async function ask(page, question) {
	await box(page).fill(question)
	await box(page).press('Enter')
}
export const answered = page => page.getByRole('button', { name: 'Copy the answer' }).last().waitFor()
export const clean = page => want(page.wrongs.length === 0, page.wrongs.join('\n'))

export async function accessible(page, screen) {
	// Through the debugger: the page's own policy would refuse the script.
	if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(axe)
	const found = await page.evaluate(() => globalThis.axe.run({ resultTypes: ['violations'] }))
	const serious = found.violations.filter(v => ['serious', 'critical'].includes(v.impact))
	want(serious.length === 0, `${screen}: ${JSON.stringify(serious.map(v => [v.id, v.nodes.map(n => [n.html, n.failureSummary])]), null, 1)}`)
}

// Milliseconds of a frame, the median of 60, while a box scrolls (without one the window), and what of it is drawn.
async function frames(page, box, selector) {
	const run = async (at, [step, what]) => {
		const times = []
		let last = performance.now()
		for (let i = 0; i < 60; i++) {
			if (at) at.scrollTop += step
			else scrollBy(0, step)
			await new Promise(requestAnimationFrame)
			times.push(performance.now() - last)
			last = performance.now()
		}
		return { drawn: (at ?? document).querySelectorAll(what).length, median: times.sort((a, b) => a - b)[30] }
	}
	return box ? box.evaluate(run, [400, selector]) : page.evaluate(`(${run})(null, ${JSON.stringify([300, selector])})`)
}

// Fails when it scrolls much slower than an empty page does in the same browser, now. Returns what was measured, in words.
export async function smooth(page, box, selector, most) {
	const got = await frames(page, box, selector)
	want(got.drawn > 0 && got.drawn < most, `${got.drawn} are drawn`)
	const other = await page.context().newPage()
	await other.goto('about:blank')
	const empty = await frames(other, null, 'body')
	await other.close()
	const words = `${got.drawn} drawn, ${got.median.toFixed(1)} ms a frame, of an empty page ${empty.median.toFixed(1)} ms (medians)`
	want(got.median < empty.median * 1.5 + 4, words)
	return words
}

export const shots = process.env.SHOTS // a folder for screenshots
export const WIDTHS = shots ? [390, 1024, 1440] : [390, 1024]
export const sizeOf = width => ({ width, height: width < 500 ? 844 : 900 })

// A screen as it is, in both themes: no serious finding, nothing wider than the window, and a picture where a folder wants them.
export async function look(page, screen, file) {
	const { width } = page.viewportSize()
	for (const theme of ['light', 'dark']) {
		await page.emulateMedia({ colorScheme: theme, reducedMotion: 'reduce' })
		await page.locator(`html[data-theme=${theme}]`).waitFor({ state: 'attached' })
		await accessible(page, `${screen}, ${theme}, ${width} pixels`)
		if (shots && file) await page.screenshot({ path: `${shots}/${file}-${width}-${theme}.png` })
	}
	const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
	want(wide <= 0, `${screen}: the page is ${wide} pixels wider than the window`)
}

// The same at each width, for screens whose way there does not depend on it.
export async function lookAtWidths(page, screen, file) {
	const before = page.viewportSize()
	for (const width of WIDTHS) {
		await page.setViewportSize(sizeOf(width))
		await look(page, screen, file)
	}
	await page.setViewportSize(before)
}

// On the way: once, and for pictures at each width in both themes.
export const glance = (page, screen, file) => (shots ? lookAtWidths(page, screen, file) : accessible(page, screen))

// Calls a tool as a program does, over MCP.
export async function callTool(base, tool, fields, token) {
	const ask = (id, method, params, session) =>
		fetch(`${base}/mcp`, {
			method: 'POST',
			headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...(session && { 'mcp-session-id': session }), ...(token && { authorization: `Bearer ${token}` }) },
			body: JSON.stringify({ jsonrpc: '2.0', id, method, params }),
		})
	const hello = await ask(0, 'initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 't', version: '1' } })
	await hello.text()
	const made = await (await ask(1, 'tools/call', { name: tool, arguments: fields }, hello.headers.get('mcp-session-id'))).json()
	want(made.result && !made.result.isError, JSON.stringify(made))
	return made.result.structuredContent
}

// The id of an artifact that a tool saves.
export async function put(base, tool, fields) {
	const made = await callTool(base, tool, fields)
	want(made.success, JSON.stringify(made))
	return made.data.artifact_id
}

export const projectOf = async base => (await (await fetch(`${base}/api/start`)).json()).projects[0].id

// Another server, which notes who comes to it.
export async function outside() {
	const heard = []
	const server = createServer((rq, rp) => {
		heard.push(`${rq.method} ${rq.url}`)
		rp.setHeader('access-control-allow-origin', '*')
		rp.end('x')
	})
	server.on('connection', s => heard.push(`a connection from ${s.remotePort}`))
	server.listen(0, '127.0.0.1')
	await once(server, 'listening')
	const { port } = server.address()
	const packets = createSocket('udp4')
	packets.on('message', m => heard.push(`a packet of ${m.length} bytes`))
	packets.bind(port, '127.0.0.1')
	await once(packets, 'listening')
	return { away: `http://127.0.0.1:${port}`, port, heard }
}

export async function end() {
	await browser.close()
	process.exit(failed ? 1 : 0)
}

export async function signIn(page, name, secret) {
	await page.getByRole('heading', { name: 'Sign in to Argus' }).waitFor()
	await page.getByLabel('Name', { exact: true }).fill(name)
	await page.getByLabel('Password', { exact: true }).fill(secret)
	await page.getByRole('button', { name: 'Sign in', exact: true }).click()
	await page.getByRole('heading', { name: 'Sign in to Argus' }).waitFor({ state: 'detached' })
	page.wrongs.length = 0 // the browser notes each 401
}
