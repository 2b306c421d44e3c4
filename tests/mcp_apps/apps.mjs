// MCP Apps: charts and reports of argus mcp in a host. The host is npm's own, the browser a real Chromium.
// usage: node apps.mjs ARGUS EXAMPLES FOLDER HOSTILE.jsx
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { build } from 'esbuild'
import { chromium } from 'playwright-core'
import { APPS, overHttp, overStdio } from './server.mjs'

const [argus, examples, folder, hostile] = process.argv.slice(2)
const words = ['--config', `${folder}/argus.yaml`]
const here = name => new URL(name, import.meta.url)
const FRAMES = { create_artifact: 'ui://argus/artifact', update_artifact: 'ui://argus/artifact', audit_collection: 'ui://argus/report' }
let failed = 0

function want(isTrue, what) {
	if (!isTrue) throw new Error(what)
}
async function check(name, run) {
	if (!name.includes(process.env.ONLY ?? '')) return
	try {
		await run()
		console.log(`ok - ${name}`)
	} catch (e) {
		failed++
		console.log(`not ok - ${name}\n  ${String(e.stack ?? e).slice(0, 3000).replaceAll('\n', '\n  ')}`)
	}
}

// --- the server

const apps = await overStdio(argus, words, folder, APPS)
const call = async (name, args) => (await apps.ask('tools/call', { name, arguments: args })).result
const without = o => JSON.stringify(o, (k, v) => (k === '_meta' ? undefined : v))

async function sameButFor(open, what) {
	const [plain, other, odd] = await Promise.all([open({}), open(APPS), open({ extensions: { 'io.modelcontextprotocol/ui': { mimeTypes: ['text/html'] } } })])
	const [a, b, c] = await Promise.all([plain, other, odd].map(s => s.ask('tools/list')))
	want(a.result.tools.every(t => !('_meta' in t)) && JSON.stringify(a.result.tools) === JSON.stringify(c.result.tools), `${what}: a client without Apps has _meta`)
	want(without(a.result.tools) === without(b.result.tools), `${what}: the tools differ`)
	for (const t of b.result.tools) {
		want(t._meta.ui.resourceUri === FRAMES[t.name] && t._meta['ui/resourceUri'] === FRAMES[t.name], `${what}: ${t.name} ${JSON.stringify(t._meta)}`)
		want(JSON.stringify(t._meta.ui.visibility) === '["model"]', `${what}: a frame may call ${t.name}`)
	}
	const uris = r => r.result.resources.map(x => x.uri).filter(u => u.startsWith('ui:'))
	const listed = await Promise.all([plain, other, odd].map(s => s.ask('resources/list')))
	want(uris(listed[0]).length === 0 && uris(listed[2]).length === 0, `${what}: it lists frames to everybody`)
	want(uris(listed[1]).join() === 'ui://argus/artifact,ui://argus/report', uris(listed[1]).join())
	want(listed[1].result.resources.filter(x => x.uri.startsWith('ui:')).every(x => x.mimeType === 'text/html;profile=mcp-app'), `${what}: another type`)
	for (const uri of ['ui://argus/artifact', 'ui://argus/report']) {
		want((await plain.ask('resources/read', { uri })).error, `${what}: ${uri} is read by everybody`)
		const one = (await other.ask('resources/read', { uri })).result.contents
		want(one.length === 1 && one[0].uri === uri && one[0].mimeType === 'text/html;profile=mcp-app', `${what}: ${JSON.stringify(one).slice(0, 200)}`)
		want(one[0].text.toLowerCase().startsWith('<!doctype html>'), one[0].text.slice(0, 100))
		const csp = one[0]._meta.ui.csp
		want(['connectDomains', 'resourceDomains', 'frameDomains', 'baseUriDomains'].every(k => csp[k].length === 0), JSON.stringify(csp))
	}
	const chart = { project_id: 'shop', title: 'Same', artifact_type: 'markdown', code: '# Same' }
	const made = await Promise.all([plain, other].map(s => s.ask('tools/call', { name: 'create_artifact', arguments: chart })))
	want(!('view' in made[0].result.structuredContent) && made[1].result.structuredContent.view.kind === 'markdown', JSON.stringify(made[1].result).slice(0, 500))
	want(made.every(m => !m.result.content[0].text.includes('"view"')), 'the model reads the view')
	for (const s of [plain, other, odd]) s.end()
}

await check('a host without Apps sees what it saw; the handshake names frames to one with Apps', () => sameButFor(c => overStdio(argus, words, folder, c), 'stdio'))
await check('and by each request over HTTP', () => sameButFor(c => overHttp(argus, words, folder, c), 'HTTP'))

// --- the host

const bundle = await build({ entryPoints: [here('host.mjs').pathname], bundle: true, write: false, format: 'iife', logLevel: 'error' })
const script = bundle.outputFiles[0].text
// What a host makes of empty lists (the specification's restrictive default, and its rules for the sandbox).
const POLICY =
	"default-src 'none'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; media-src 'self' data:; connect-src 'none'; frame-src 'none'; base-uri 'self'; object-src 'none'"

async function serve(host, answer) {
	const heard = []
	const server = createServer((rq, rp) => {
		heard.push(rq.url)
		answer(rq, rp)
	})
	server.listen(0, host)
	await once(server, 'listening')
	return { url: `http://${host}:${server.address().port}`, port: server.address().port, heard, server }
}
const hostPage = await serve('127.0.0.1', (rq, rp) => {
	rp.setHeader('Set-Cookie', 'host=secret-of-the-host')
	rp.setHeader('Content-Type', 'text/html')
	rp.end(`<!doctype html><meta charset="utf-8"><title>Host</title><p>text of the host</p><script>${script.replaceAll('</script', '<\\/script')}</script>`)
})
const proxy = await serve('localhost', (rq, rp) => {
	rp.setHeader('Content-Security-Policy', POLICY)
	rp.setHeader('Content-Type', 'text/html')
	rp.end(readFileSync(here('proxy.html')))
})
const outside = await serve('127.0.0.1', (rq, rp) => rp.end('x'))
const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox', '--disable-gpu'] })

const frames = {}
for (const uri of ['ui://argus/artifact', 'ui://argus/report']) {
	const one = (await apps.ask('resources/read', { uri })).result.contents[0]
	frames[uri] = { html: one.text, csp: one._meta.ui.csp }
}

async function open(what, { as = 'written', theme = 'light', uri = 'ui://argus/artifact' } = {}) {
	const page = await browser.newPage({ viewport: { width: 900, height: 1200 } })
	page.setDefaultTimeout(30000)
	page.wrongs = []
	page.on('pageerror', e => page.wrongs.push(String(e)))
	page.on('request', r => /^(https?|wss?):/.test(r.url()) && ![hostPage.url, proxy.url].some(u => r.url().startsWith(u)) && page.wrongs.push(`it asks ${r.url()}`))
	await page.goto(hostPage.url)
	await page.evaluate(w => globalThis.host.show(w), {
		proxy: `${proxy.url}/?as=${as}&host=${encodeURIComponent(hostPage.url)}`,
		context: { theme, displayMode: 'inline', containerDimensions: { width: 700, maxHeight: 2000 } },
		input: {},
		...frames[uri],
		...what,
	})
	page.view = page.frameLocator('#view').frameLocator('iframe')
	page.art = page.view.frameLocator('iframe')
	page.heard = () => page.evaluate(() => globalThis.host.heard)
	return page
}
async function close(page, isClean = true) {
	const asked = (await page.heard()).asked
	want(asked.length === 0, `the host was asked: ${JSON.stringify(asked)}`)
	want(!isClean || page.wrongs.length === 0, page.wrongs.join('\n'))
	await page.close()
}

const MONTHS = { name: 'months', sql: "SELECT substr(created_at, 1, 7) AS month, sum(total) AS total FROM orders GROUP BY 1 ORDER BY 1" }
const chart = {
	project_id: 'shop',
	title: 'Orders by month',
	artifact_type: 'plotly',
	code: JSON.stringify({ data: [{ type: 'bar', x: '{{months.month}}', y: '{{months.total}}' }], layout: { title: { text: 'Orders' } } }),
	source_queries: [MONTHS],
}

for (const as of ['written', 'text']) {
	await check(`a chart is drawn with the rows of its query, in a frame ${as === 'text' ? 'without origin' : 'of the sandbox'}`, async () => {
		const result = await call('create_artifact', chart)
		want(result.structuredContent.view.data.months.length === 3, JSON.stringify(result).slice(0, 800))
		const page = await open({ input: chart, result }, { as })
		await page.art.locator('.barlayer .point').nth(2).waitFor()
		want((await page.art.locator('.barlayer .point').count()) === 3, 'not three bars')
		await page.waitForFunction(() => globalThis.host.heard.sizes.at(-1)?.height === 420)
		const { app, can } = await page.evaluate(() => globalThis.host.about())
		want(app.name === 'argus' && can.availableDisplayModes.includes('inline'), JSON.stringify([app, can]))
		want((await page.evaluate(() => globalThis.host.end())) === 'it answered', 'the end of the view is not answered')
		await close(page)
	})
}

await check('the view says what is drawn until the result is there, and takes a later one', async () => {
	const page = await open({ input: chart })
	await page.view.getByText('Drawing “Orders by month” …').waitFor()
	await page.evaluate(r => globalThis.host.result(r), await call('create_artifact', { ...chart, artifact_type: 'markdown', code: '# Now it is there' }))
	await page.art.getByRole('heading', { name: 'Now it is there' }).waitFor()
	await close(page)
})

await check('the theme of the host is taken, and a change of it', async () => {
	const page = await open({ input: chart, result: await call('create_artifact', chart) }, { theme: 'dark' })
	const paper = page.art.locator('#paper .main-svg').first()
	const colour = async () => (await paper.getAttribute('style'))?.match(/background: ([^;]*)/)?.[1]
	await paper.waitFor()
	want((await colour()) === 'rgb(28, 30, 33)', await colour())
	await page.evaluate(() => globalThis.host.theme('light'))
	await page.art.locator('.main-svg[style*="255, 255, 255"]').first().waitFor()
	await close(page)
})

await check('JSX is compiled where the host allows no eval, and its rows arrive', async () => {
	const board = {
		project_id: 'shop',
		title: 'Board',
		artifact_type: 'react',
		code: "import { BarChart, Bar } from 'recharts'\nexport default function App({ data }) { const [n, setN] = React.useState(0); return <div className=\"flex gap-2\"><button onClick={() => setN(n + 1)}>pressed {n}</button><p>{data.months.map(m => m.month).join(' ')}</p><BarChart width={300} height={120} data={data.months}><Bar dataKey=\"total\" isAnimationActive={false} /></BarChart></div> }",
		source_queries: [MONTHS],
	}
	const page = await open({ input: board, result: await call('create_artifact', board) })
	await page.art.getByText('2024-01 2024-02 2024-03').waitFor()
	await page.art.getByRole('button').click()
	await page.art.getByText('pressed 1').waitFor()
	want((await page.art.locator('.recharts-bar-rectangle').count()) === 3, 'not three bars')
	want((await page.art.locator('div.flex').evaluate(e => getComputedStyle(e).display)) === 'flex', 'the classes of Tailwind have no rules')
	await close(page)
})

await check('Markdown, HTML and SVG are shown as the server cleaned them, as high as they are', async () => {
	for (const [artifact_type, code, words] of [
		['markdown', '# A heading\n\n<script>alert(1)</script> **bold**', 'A heading'],
		['html', '<h1>A heading</h1><script>document.title=1</script><p onclick="x()" style="height: 700px">text</p>', 'A heading'],
		['svg', '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 100 40"><text y="20">A heading</text><script>1</script></svg>', 'A heading'],
	]) {
		const input = { project_id: 'shop', title: artifact_type, artifact_type, code }
		const page = await open({ input, result: await call('create_artifact', input) })
		await page.art.getByText(words).first().waitFor()
		want((await page.art.locator('#paper script').count()) === 0, 'a script was left')
		if (artifact_type === 'html') await page.waitForFunction(() => globalThis.host.heard.sizes.at(-1)?.height > 700)
		await close(page)
	}
})

await check('a link inside a text leads to its place, not away', async () => {
	const input = { project_id: 'shop', title: 'Links', artifact_type: 'html', code: '<a href="#end">to the end</a><p style="height: 900px">x</p><p id="end">the end</p>' }
	const page = await open({ input, result: await call('create_artifact', input) })
	await page.art.getByText('to the end').click()
	await page.art.getByText('the end', { exact: true }).waitFor()
	await close(page)
})

await check('an error of the code is shown, and told to the host', async () => {
	const input = { project_id: 'shop', title: 'Broken', artifact_type: 'react', code: "export default function App() { throw new TypeError('the rows are gone') }" }
	const page = await open({ input, result: await call('create_artifact', input) })
	await page.view.getByText('“Broken” cannot be drawn: TypeError: the rows are gone').waitFor()
	const logs = (await page.heard()).logs
	want(logs.length === 1 && logs[0].level === 'error' && logs[0].data === 'artifact: TypeError: the rows are gone', JSON.stringify(logs))
	await close(page, false)
})

await check('so is code that is no JavaScript', async () => {
	const input = { project_id: 'shop', title: 'No code', artifact_type: 'react', code: 'export default function App() { return 1 +* 2 }' }
	const page = await open({ input, result: await call('create_artifact', input) })
	await page.view.getByText(/“No code” cannot be drawn: .*SyntaxError/).waitFor()
	await close(page, false)
})

await check('a call that failed is shown in its words, and one that was cancelled', async () => {
	const result = await call('create_artifact', { project_id: 'shop', title: 'x', artifact_type: 'cobol', code: 'x' })
	want(result.isError, JSON.stringify(result))
	const page = await open({ result })
	await page.view.getByText(/artifact_type/).waitFor()
	await close(page)
	const other = await open({ cancelled: 'the user left' })
	await other.view.getByText('It was cancelled: the user left.').waitFor()
	await close(other)
})

await check('rows that cannot be read are named beside the drawing', async () => {
	const input = { ...chart, source_queries: [MONTHS, { name: 'wrong', sql: 'SELECT abs(min(-9223372036854775807 - 1)) AS x FROM orders' }] }
	const page = await open({ input, result: await call('create_artifact', input) })
	await page.art.locator('.barlayer .point').nth(2).waitFor()
	await page.view.getByText(/The data “wrong” could not be read: .*overflow/).waitFor()
	await close(page)
})

await check('an update is drawn with its new code', async () => {
	const made = await call('create_artifact', chart)
	const id = made.structuredContent.data.artifact_id
	const result = await call('update_artifact', { project_id: 'shop', artifact_id: id, code: chart.code.replace('"bar"', '"scatter"') })
	const page = await open({ result })
	await page.art.locator('.scatterlayer .point').nth(2).waitFor()
	await close(page)
})

// --- what code of an artifact reaches

// More ways than the page has, for this frame: to the host, and to the nonce that would let it make scripts.
const MORE = String.raw`
	'the host by its protocol': async () => {
		const say = w => { try { w.postMessage({ jsonrpc: '2.0', id: 7, method: 'tools/call', params: { name: 'execute_sql', arguments: { sql: 'SELECT 1' } } }, '*'); w.postMessage({ jsonrpc: '2.0', id: 8, method: 'ui/open-link', params: { url: OUTSIDE } }, '*'); w.postMessage({ jsonrpc: '2.0', id: 9, method: 'ui/message', params: { role: 'user', content: [{ type: 'text', text: 'taken' }] } }, '*'); w.postMessage({ jsonrpc: '2.0', id: 10, method: 'ui/update-model-context', params: { content: [{ type: 'text', text: 'taken' }] } }, '*'); w.postMessage({ jsonrpc: '2.0', method: 'ui/notifications/tool-result', params: { structuredContent: { view: { kind: 'markdown', title: 'x', code: 'taken', data: {}, failed: [], cut: [] } } } }, '*') } catch (e) { return e.message } }
		for (let w = parent, i = 0; i < 6; i++, w = w.parent) say(w)
		say(top)
		return 'refused if the host was not asked'
	},
	'eval': () => new Function('return "it ran"')(),
	'the policy in the document': async () => document.documentElement.outerHTML.match(/nonce-\w+/)?.[0] ?? 'refused',
	'the nonce of a script': async () => [...document.scripts].map(s => s.nonce).join('') || 'refused',
	'the nonce in a report': async () => {
		let heard = ''
		addEventListener('securitypolicyviolation', e => (heard += e.originalPolicy), true)
		document.addEventListener('securitypolicyviolation', e => (heard += e.originalPolicy))
		onsecuritypolicyviolation = e => (heard += e.originalPolicy)
		if (globalThis.ReportingObserver) new ReportingObserver(r => r.forEach(x => (heard += JSON.stringify(x.body))), { buffered: true }).observe()
		put('<img src="' + OUTSIDE + '/seen.png">')
		const s = document.createElement('script')
		s.textContent = '1'
		document.body.append(s)
		s.remove()
		await wait(500)
		return heard.match(/nonce-\w+/)?.[0] ?? 'refused'
	},
	'a second program': async () => {
		const at = document.title
		postMessage({ argus: 'show', theme: 'light', data: {}, code: 'export default () => { document.title = "second"; return null }' }, '*')
		await wait(300)
		return document.title === at ? 'refused' : 'it ran'
	},`

await check('code of an artifact reaches neither host, parent, cookies nor network', async () => {
	const udp = createSocket('udp4')
	const packets = []
	udp.on('message', m => packets.push(m))
	udp.bind(0, '127.0.0.1')
	await once(udp, 'listening')
	const code = readFileSync(hostile, 'utf8')
		.replaceAll('{{outside}}', outside.url)
		.replaceAll('{{port}}', String(udp.address().port))
		.replace('const ways = {', () => `const ways = {${MORE}`)
	const input = { project_id: 'shop', title: 'Hostile', artifact_type: 'react', code }
	const result = await call('create_artifact', input)
	want(result.structuredContent.view, JSON.stringify(result).slice(0, 500))
	for (const as of ['written', 'text']) {
		const page = await open({ input, result }, { as })
		page.setDefaultTimeout(120000)
		await page.art.getByText(/ways tried, all/).waitFor()
		const said = JSON.parse(await page.art.locator('[data-said]').getAttribute('data-said'))
		const wrong = Object.entries(said).filter(([, v]) => !v.startsWith('refused'))
		want(wrong.length === 0, `${as}: ${JSON.stringify(wrong)}`)
		want(Object.keys(said).length > 45, `${as}: only ${Object.keys(said).length} ways`)
		want(outside.heard.length === 0, `${as}: the other server heard ${outside.heard}`)
		want(packets.length === 0, `${as}: ${packets.length} packets`)
		want((await page.locator('body').textContent()).includes('text of the host'), 'the host was led away')
		want(!JSON.stringify(said).includes('secret'), 'it read a cookie')
		want(new URL(page.url()).origin === hostPage.url, page.url())
		await close(page, false)
	}
	udp.close()
})

await check('an artifact that leads its frame away asks nobody', async () => {
	for (const way of ["location.href = 'OUT'", "location.replace('OUT')", "const m = document.createElement('meta'); m.httpEquiv = 'refresh'; m.content = '0; url=OUT'; document.head.append(m)", "open('OUT', '_self')"]) {
		const code = `export default function App() { React.useEffect(() => { ${way.replace('OUT', outside.url)} }, []); return <p>here</p> }`
		const input = { project_id: 'shop', title: 'Leaves', artifact_type: 'react', code }
		const page = await open({ input, result: await call('create_artifact', input) })
		await page.waitForTimeout(1500)
		want(outside.heard.length === 0, `${way}: ${outside.heard}`)
		await close(page, false)
	}
})

// --- reports

await check('an audit is shown as its report: verdict, findings, evidence, fields', async () => {
	const result = await call('audit_collection', { project_id: 'docs', collection: 'orders' })
	want(/problems?/.test(result.structuredContent.view.words), JSON.stringify(result).slice(0, 300))
	for (const as of ['written', 'text']) {
		const page = await open({ input: { collection: 'orders' }, result }, { as, uri: 'ui://argus/report', theme: 'dark' })
		await page.view.getByRole('heading', { name: /^orders/ }).waitFor()
		await page.view.getByText(result.structuredContent.view.words).waitFor()
		want((await page.view.getByRole('article').count()) > 10, 'findings are missing')
		const first = page.view.getByRole('article').first()
		await first.getByRole('button').first().click()
		await first.getByText('db.orders.').waitFor()
		await page.view.getByRole('tab', { name: 'Fields' }).click()
		await page.view.getByRole('region', { name: 'created_at' }).waitFor()
		want((await page.view.locator('html').getAttribute('data-theme')) === 'dark', 'another theme')
		await page.waitForFunction(() => globalThis.host.heard.sizes.at(-1)?.height === 900)
		await close(page)
	}
})

await check('while the audit runs the view says so; a refusal is shown in its words', async () => {
	const page = await open({ input: { collection: 'orders' } }, { uri: 'ui://argus/report' })
	await page.view.getByText('Auditing orders …').waitFor()
	const result = await call('audit_collection', { project_id: 'docs', collection: 'nothing' })
	want(result.isError, JSON.stringify(result).slice(0, 300))
	await page.evaluate(r => globalThis.host.result(r), result)
	await page.view.getByText(/there is no collection "nothing"/).waitFor()
	await close(page)
})

await browser.close()
for (const s of [hostPage, proxy, outside]) s.server.close()
apps.end()
process.exit(failed ? 1 : 0)
