// The page as people use it: by its visible names.
// usage: node scenarios.mjs DEMO-URL SLOW-URL LINK-OF-THE-ADMINISTRATOR [FOLDER-FOR-SCREENSHOTS]
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { chromium } from 'playwright-core'

const [demo, slow, link, shots] = process.argv.slice(2)
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
const PATIENCE_MS = Number(process.env.PATIENCE_MS ?? 60000)
let failed = 0

const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox', '--disable-gpu'] })

// A page that notes what it should not do.
async function open(base, options = {}) {
	const context = await browser.newContext({ viewport: { width: 1024, height: 720 }, ...options })
	const page = await context.newPage()
	page.setDefaultTimeout(PATIENCE_MS)
	page.wrongs = []
	page.on('console', m => ['error', 'warning'].includes(m.type()) && page.wrongs.push(m.text()))
	page.on('pageerror', e => page.wrongs.push(String(e)))
	page.on('request', r => /^(https?|wss?):/.test(r.url()) && !r.url().startsWith(base) && page.wrongs.push(`it asks ${r.url()}`))
	await page.goto(base)
	return page
}

function want(isTrue, what) {
	if (!isTrue) throw new Error(what)
}

async function check(name, run) {
	try {
		await run()
		console.log(`ok - ${name}`)
	} catch (e) {
		failed++
		console.log(`not ok - ${name}\n  ${String(e.stack ?? e).replaceAll('\n', '\n  ')}`)
	}
}

const box = page => page.getByRole('textbox', { name: 'Your question' })
async function ask(page, question) {
	await box(page).fill(question)
	await box(page).press('Enter')
}
const answered = page => page.getByRole('button', { name: 'Copy the answer' }).last().waitFor()
const clean = page => want(page.wrongs.length === 0, page.wrongs.join('\n'))

async function accessible(page, screen) {
	// Through the debugger: the page's own policy would refuse the script.
	await page.evaluate(axe)
	const found = await page.evaluate(() => globalThis.axe.run({ resultTypes: ['violations'] }))
	const serious = found.violations.filter(v => ['serious', 'critical'].includes(v.impact))
	want(serious.length === 0, `${screen}: ${JSON.stringify(serious.map(v => [v.id, v.nodes.map(n => [n.html, n.failureSummary])]), null, 1)}`)
}

await check('a question of the empty page is answered, with its statements and where it comes from', async () => {
	const page = await open(demo)
	await page.getByRole('button', { name: 'Which country has the most customers?' }).click()
	await answered(page)
	want(page.url().startsWith(`${demo}/chat/`), page.url())
	await page.getByText('Germany has the most customers').waitFor()
	const cards = page.locator('[data-tool=execute_sql] > summary')
	want((await cards.count()) === 2, 'there are two calls')
	want((await cards.first().textContent()).includes('no such column: contry'), 'the mistake is shown')
	await cards.first().click()
	await page.getByText('The analyst read this, and tried again below.').waitFor()
	await page.getByText(/^Based on customers$/).click()
	await page.getByText('Model argus-demo-script').waitFor()
	clean(page)
	await page.context().close()
})

await check('a figure leads to its cell; the table is sorted, copied and saved', async () => {
	const page = await open(demo)
	await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
	await ask(page, 'Which country has the most customers?')
	await answered(page)
	await page.getByRole('button', { name: '78' }).click()
	const cell = page.locator('td[aria-current]')
	await cell.waitFor()
	want((await cell.textContent()) === '78', await cell.textContent())
	const first = page.locator('tbody tr:not([aria-hidden]) td').first()
	await page.getByRole('button', { name: 'country', exact: true }).click()
	want((await first.textContent()) === 'France', 'sorted by name')
	await page.getByRole('button', { name: 'Copy', exact: true }).click()
	const text = await page.evaluate(() => navigator.clipboard.readText())
	want(text === 'country\tcustomers\nFrance\t67\nGermany\t137\nPortugal\t43\nSpain\t53\nUnited Kingdom\t78', text)
	const download = page.waitForEvent('download')
	await page.getByRole('button', { name: 'CSV' }).click()
	const csv = readFileSync(await (await download).path(), 'utf8')
	want(csv.startsWith('country,customers\r\nFrance,67\r\n'), csv)
	clean(page)
	await page.context().close()
})

await check('a reload in the middle of an answer goes on with it', async () => {
	const page = await open(slow)
	await ask(page, 'Tell a long story')
	await page.getByText('alpha bravo').waitFor()
	await page.reload()
	await page.getByText(/alpha bravo .* tango uniform/).waitFor()
	await answered(page)
	want((await page.getByText('alpha bravo').count()) === 1, 'the answer is there once')
	want((await page.getByText('Tell a long story').count()) >= 1, 'the question is there')
	clean(page)
	await page.context().close()
})

await check('stop ends an answer', async () => {
	const page = await open(slow)
	await ask(page, 'Tell an endless story')
	await page.getByText('alpha').waitFor()
	await page.getByRole('button', { name: 'Stop' }).click()
	await page.getByRole('button', { name: 'Ask', exact: true }).waitFor()
	await page.getByText('You stopped this answer.').waitFor()
	want(!(await page.locator('main').textContent()).includes('uniform'), 'it did not come to its end')
	clean(page)
	await page.context().close()
})

await check('what a model writes cannot run, and asks no other host', async () => {
	const page = await open(slow)
	await ask(page, 'Be hostile')
	await page.getByText('Words').waitFor()
	await answered(page)
	want((await page.locator('main img, main script').count()) === 0, 'it drew what the model wrote')
	want((await page.locator('main a[href^="javascript"]').count()) === 0, 'a link runs a script')
	want((await page.title()) !== 'taken', 'it ran')
	clean(page)
	await page.context().close()
})

await check('thoughts are folded, a full limit is explained, and an overloaded server is asked again', async () => {
	const page = await open(slow)
	await ask(page, 'How many customers are there?')
	await page.getByText('There are 3 customers.').waitFor()
	await page.getByText('What the model thought').click()
	await page.getByText('I count them.').waitFor()
	clean(page)
	// The server's own refusals: tests/e2e/serve.py.
	const problem = { contentType: 'application/problem+json', body: '{"detail":"too many"}' }
	await page.route('**/api/chat', route => route.fulfill({ ...problem, status: 429, headers: { 'retry-after': '17' } }), { times: 1 })
	await ask(page, 'Once more')
	const alert = page.getByRole('alert')
	want((await alert.textContent()).includes('many questions in a short time'), await alert.textContent())
	want((await alert.textContent()).includes('Wait 17 seconds'), await alert.textContent())
	await page.route('**/api/chat', route => route.fulfill({ ...problem, status: 503, headers: { 'retry-after': '1' } }), { times: 1 })
	await page.getByRole('button', { name: 'Try again' }).click()
	await page.getByText('There are 3 customers.').nth(1).waitFor()
	want((await alert.count()) === 0, 'an overloaded server is asked once more, without a word')
	await page.context().close()
})

await check('conversations are found, renamed and deleted', async () => {
	const page = await open(demo)
	const list = page.getByRole('navigation', { name: 'Conversations' })
	await ask(page, 'How many order items are there?')
	await answered(page)
	await list.getByRole('link', { name: 'How many order items' }).hover()
	await list.getByRole('button', { name: 'Rename “How many order items are there?”' }).click()
	await page.getByRole('textbox', { name: 'New name of the conversation' }).fill('Order lines')
	await page.keyboard.press('Enter')
	await list.getByRole('link', { name: 'Order lines' }).waitFor()
	await page.getByRole('searchbox', { name: 'Search conversations' }).fill('order li')
	await list.getByRole('link', { name: 'Which country' }).first().waitFor({ state: 'detached' })
	await list.getByRole('link', { name: 'Order lines' }).hover()
	await list.getByRole('button', { name: 'Delete “Order lines”' }).click()
	await list.getByRole('button', { name: 'Delete', exact: true }).click()
	await page.getByText('No conversation has these words.').waitFor()
	await page.getByRole('heading', { name: 'What do you want to know?' }).waitFor()
	clean(page)
	await page.context().close()
})

await check('people sign in by a link, then by a password; a session that ends loses nothing that was typed', async () => {
	const people = new URL(link).origin
	const page = await open(people)
	await page.getByRole('heading', { name: 'Sign in to Argus' }).waitFor()
	await accessible(page, 'sign in')
	if (shots) await page.screenshot({ path: `${shots}/sign-in.png` })
	page.wrongs.length = 0 // the browser notes each 401
	await page.goto(link)
	await page.getByLabel('Password', { exact: true }).fill('correct horse battery')
	await page.getByLabel('The same again').fill('correct horse batter')
	await page.getByRole('button', { name: 'Save and sign in' }).click()
	await page.getByText('The two passwords differ.').waitFor()
	await page.getByLabel('The same again').fill('correct horse battery')
	await page.getByRole('button', { name: 'Save and sign in' }).click()
	await page.getByRole('heading', { name: 'What do you want to know?' }).waitFor()
	want(!page.url().includes('#'), 'the token stays in the address')
	await ask(page, 'Good morning')
	await answered(page)
	clean(page)
	await box(page).fill('How many customers are there?')
	await page.context().clearCookies()
	await box(page).press('Enter')
	const signIn = async password => {
		await page.getByRole('heading', { name: 'Sign in to Argus' }).waitFor()
		await page.getByLabel('Name', { exact: true }).fill('admin')
		await page.getByLabel('Password', { exact: true }).fill(password)
		await page.getByRole('button', { name: 'Sign in', exact: true }).click()
	}
	await signIn('wrong horse battery')
	await page.getByText('The name or the password is wrong.').waitFor()
	await signIn('correct horse battery')
	await page.getByRole('button', { name: 'Try again' }).click()
	await page.getByText('There are 3 customers.').waitFor()
	await answered(page)
	await page.getByRole('button', { name: 'Sign out' }).click()
	await page.getByRole('heading', { name: 'Sign in to Argus' }).waitFor()
	want((await page.getByText('How many customers').count()) === 0, 'what was asked is still on the page')
	await page.context().close()
})

await check('a branch goes on from an answer in a conversation of its own', async () => {
	const page = await open(demo)
	await ask(page, 'How many customers are there?')
	await answered(page)
	const first = page.url()
	await ask(page, 'How many order items are there?')
	await page.getByText(/There are [\d,]+ order items/).waitFor()
	await answered(page)
	await page.getByRole('button', { name: 'Go on from here in a new conversation' }).first().click()
	await page.waitForURL(url => String(url) !== first)
	await page.getByText(/There are [\d,]+ customers/).waitFor()
	want((await page.getByText(/order items\./).count()) === 0, 'what came later is not in it')
	clean(page)
	await page.context().close()
})

await check('the keyboard reaches commands and conversations', async () => {
	const page = await open(demo)
	await page.getByRole('button', { name: 'How many customers are there?' }).waitFor()
	await page.keyboard.press('Control+k')
	await page.keyboard.type('dark')
	await page.getByRole('option', { name: 'Use the dark theme' }).waitFor()
	await accessible(page, 'palette')
	await page.keyboard.press('Enter')
	await page.locator('html[data-theme=dark]').waitFor()
	await page.keyboard.press('Control+k')
	await page.keyboard.type('customers are')
	await page.getByRole('option', { name: 'How many customers are there?' }).first().waitFor()
	await page.keyboard.press('Enter')
	await page.getByText(/There are [\d,]+ customers/).waitFor()
	await page.keyboard.press('Control+k')
	await page.keyboard.press('Escape')
	await page.getByRole('dialog').waitFor({ state: 'detached' })
	clean(page)
	await page.context().close()
})

await check('a conversation that is not there is said to be so', async () => {
	const page = await open(demo)
	await page.goto(`${demo}/chat/nobody-has-this`)
	await page.getByText('There is no such conversation.').waitFor()
	await page.context().close()
})

for (const theme of ['light', 'dark']) {
	for (const width of shots ? [390, 1024, 1440] : [390, 1024]) {
		await check(`each screen is accessible: ${theme}, ${width} pixels`, async () => {
			const page = await open(demo, { colorScheme: theme, viewport: { width, height: width < 500 ? 844 : 900 } })
			const shot = async name => shots && (await page.screenshot({ path: `${shots}/${name}-${width}-${theme}.png` }))
			await page.getByRole('button', { name: 'How many customers are there?' }).waitFor()
			await accessible(page, 'empty')
			await shot('empty')
			await ask(page, 'Which country has the most customers?')
			await answered(page)
			await page.getByRole('button', { name: '137' }).click()
			await page.locator('td[aria-current]').waitFor()
			await page.locator('[data-tool=execute_sql] > summary').first().click()
			await accessible(page, 'answer')
			await shot('answer')
			if (width < 500) {
				await page.getByRole('button', { name: 'Open the list of conversations' }).click()
				await page.getByRole('navigation', { name: 'Conversations' }).waitFor()
				await accessible(page, 'list')
				await shot('list')
			}
			const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
			want(wide <= 0, `the page is ${wide} pixels wider than the window`)
			clean(page)
			await page.context().close()
		})
	}
}

await browser.close()
process.exit(failed ? 1 : 0)
