// Conversations as people change them: edited questions, versions, commands, feedback, tables, lost access; and how fast they are.
// usage: node chat.mjs DEMO-URL FIRST-LINK-OF-A-SERVER-WITH-PROJECT-CREW LONG-URL STORE-OF-IT LONG-THREAD-SCRIPT
import { execFileSync } from 'node:child_process'
import { WIDTHS, accessible, answered, ask, box, check, clean, end, glance, look, open, shots, sizeOf, want } from './page.mjs'

const [demo, link, long, longStore, longThread] = process.argv.slice(2)
const MAX_FIRST_TEXT_MS = 3000
const MAX_FRAME_MS = 20
const MAX_ARTICLES = 80 // of 2,000 that are in the page at once
const TURNS = 1000
const ROWS = 10000
// Chromium's "Fast 3G": 1.6 Mbit/s less a tenth, 562.5 ms for a request.
const THIRD_GENERATION = { offline: false, latency: 562.5, downloadThroughput: 180000, uploadThroughput: 84375 }

const main = page => page.locator('main')
const question = (page, name) => page.getByRole('article', { name: 'Your question' }).filter({ hasText: name })
const button = (page, name) => page.getByRole('button', { name, exact: true })

await check('the questions of a conversation become the steps of a recipe', async () => {
	const page = await open(demo)
	await box(page).fill('/rec')
	await page.getByRole('option', { name: /recipe/ }).waitFor()
	await box(page).fill('')
	await ask(page, '/recipe')
	await page.getByText('Ask something first').waitFor()
	await ask(page, 'How many customers are there?')
	await answered(page)
	await ask(page, '/recipe')
	await page.getByRole('form', { name: 'New recipe' }).waitFor()
	want((await page.getByLabel('Question of step 1').inputValue()) === 'How many customers are there?', 'the question is not there')
	await page.getByLabel('SQL of step 1').getByText(/customers/).waitFor()
	await glance(page, 'a new recipe', 'manage-recipe-new')
	await page.getByLabel('Name of the recipe').fill('Customers')
	await page.getByLabel('What it does').fill('Counts them')
	await page.getByRole('button', { name: 'Save' }).click()
	await page.getByRole('form', { name: 'Run Customers' }).getByRole('button', { name: 'Run it' }).click()
	await page.getByRole('status').getByText('complete').waitFor()
	clean(page)
	await page.context().close()
})

await check('a question is changed in its place, and its versions can be read', async () => {
	const page = await open(demo)
	await ask(page, 'How many customers are there?')
	await answered(page)
	await ask(page, 'How many order items are there?')
	await page.getByText(/There are [\d,]+ order items/).waitFor()
	await answered(page)
	await question(page, 'How many customers').hover()
	await button(page, 'Change the question').first().click()
	const field = page.getByRole('textbox', { name: 'The changed question' })
	await glance(page, 'changing a question', 'edit')
	await field.fill('Which country has the most customers?')
	await field.press('Enter')
	await page.getByText('Germany has the most customers').waitFor()
	await answered(page)
	want((await page.getByText(/order items/).count()) === 0, 'what followed is still there')
	await page.getByText('2 of 2').waitFor()
	await page.reload()
	await page.getByText('Germany has the most customers').waitFor()
	want((await question(page, 'How many customers').count()) === 0, 'the old version came back')
	await button(page, 'Earlier version').click()
	await page.getByText(/There are [\d,]+ order items/).waitFor()
	await page.getByText('1 of 2').waitFor()
	await page.getByText('This is an earlier version.').waitFor()
	await glance(page, 'an earlier version', 'version')
	await button(page, 'Show the newest').click()
	await page.getByText('Germany has the most customers').waitFor()
	await button(page, 'Earlier version').click()
	const first = page.url()
	await button(page, 'Go on from this one').click()
	await page.waitForURL(url => String(url) !== first)
	await page.getByText(/There are [\d,]+ order items/).waitFor()
	await ask(page, 'Which country has the most customers?')
	await page.getByText('Germany has the most customers').waitFor()
	clean(page)
	await page.context().close()
})

await check('another answer replaces the one before; the arrow up changes the last question', async () => {
	const page = await open(demo)
	await ask(page, 'How many customers are there?')
	await answered(page)
	await button(page, 'Another answer').click()
	await page.getByText('2 of 2').waitFor()
	want((await page.getByRole('article', { name: 'Answer' }).count()) === 1, 'both answers are there')
	await box(page).press('ArrowUp')
	const field = page.getByRole('textbox', { name: 'The changed question' })
	await field.press('Escape')
	await field.waitFor({ state: 'detached' })
	await box(page).press('ArrowUp')
	await field.fill('How many order items are there?')
	await field.press('Enter')
	await page.getByText('3 of 3').waitFor()
	await page.getByText(/There are [\d,]+ order items/).waitFor()
	clean(page)
	await page.context().close()
})

await check('an edit that is refused changes nothing, and its words are kept', async () => {
	const page = await open(demo)
	await ask(page, 'How many customers are there?')
	await answered(page)
	const conflict = { contentType: 'application/problem+json', body: '{"detail":"the question was changed meanwhile","hint":"read the conversation again"}' }
	await page.route('**/api/chat', route => route.fulfill({ ...conflict, status: 409 }), { times: 1 })
	await box(page).press('ArrowUp')
	await page.getByRole('textbox', { name: 'The changed question' }).fill('How many stores are there?')
	await page.keyboard.press('Enter')
	await page.getByRole('alert').filter({ hasText: 'changed meanwhile' }).waitFor()
	await question(page, 'How many customers are there?').waitFor()
	want((await box(page).inputValue()) === 'How many stores are there?', await box(page).inputValue())
	await page.context().close()
})

await check('commands are listed while they are typed, and do what they say', async () => {
	const page = await open(demo)
	await box(page).pressSequentially('/')
	const list = page.getByRole('listbox', { name: 'Commands' })
	await list.getByRole('option', { name: '/sql' }).waitFor()
	await glance(page, 'commands', 'commands')
	await box(page).pressSequentially('s')
	want((await list.getByRole('option').count()) === 1, 'the list is not filtered')
	await page.keyboard.press('Tab')
	const editor = page.getByRole('textbox', { name: 'SQL statement' })
	await editor.pressSequentially('select country, count(*) as n from cust')
	await page.getByRole('option', { name: /^customers/ }).waitFor()
	await glance(page, 'the editor of a statement', 'sql')
	await page.keyboard.press('Tab')
	await editor.pressSequentially(' group by country order by n desc')
	want((await editor.textContent()) === 'select country, count(*) as n from customers group by country order by n desc', await editor.textContent())
	await page.keyboard.press('Enter')
	await page.locator('[data-tool=execute_sql] > summary').click()
	await page.getByRole('cell', { name: 'Germany' }).first().waitFor()
	await box(page).fill('/why')
	await page.keyboard.press('Enter')
	await page.locator('details[data-why][open]').waitFor()
	await box(page).fill('/help')
	await page.keyboard.press('Enter')
	await page.getByRole('heading', { name: 'What you can type' }).waitFor()
	await glance(page, 'help', 'help')
	await page.keyboard.press('Escape')
	await box(page).fill('/nothing')
	await page.keyboard.press('Enter')
	await page.getByText('There is no command /nothing.').waitFor()
	await box(page).fill('/new')
	await page.keyboard.press('Enter')
	await page.getByRole('heading', { name: 'What do you want to know?' }).waitFor()
	clean(page)
	await page.context().close()
})

await check('a statement is changed where it stands, and one of an answer is taken over', async () => {
	const page = await open(demo)
	await ask(page, 'Which country has the most customers?')
	await answered(page)
	await page.locator('[data-tool=execute_sql] > summary').last().click()
	await button(page, 'Change it and run it yourself').click()
	const editor = page.getByRole('textbox', { name: 'SQL statement' })
	await editor.filter({ hasText: /^select country,/i }).waitFor()
	const colours = await editor.locator('.cm-line span').evaluateAll(all => new Set(all.map(s => getComputedStyle(s).color)).size)
	want(colours >= 2, 'the statement has no colours')
	// The keyboard gets out of it: forwards, and back to a question.
	await editor.press('Control+End')
	await page.keyboard.press('Tab')
	want(await page.evaluate(() => document.activeElement?.getAttribute('aria-label') === 'Ask'), 'Tab stays in the editor')
	await editor.focus()
	await page.keyboard.press('Escape')
	await box(page).waitFor()
	want((await box(page).inputValue()) === '', 'the statement stays')
	await box(page).fill('/sql select count(*) as stores from customers')
	await editor.press('Enter')
	await page.getByRole('article', { name: 'Answer' }).nth(1).getByRole('button', { name: 'Copy the answer' }).waitFor()
	await box(page).press('ArrowUp')
	const changed = page.getByRole('textbox', { name: 'The changed statement' })
	await changed.press('Control+a')
	await changed.pressSequentially('select count(*) as people from customers')
	await changed.press('Enter')
	await page.getByText('2 of 2').waitFor()
	const again = page.getByRole('article', { name: 'Answer' }).nth(1)
	await again.getByRole('button', { name: 'Copy the answer' }).waitFor()
	await again.locator('[data-tool=execute_sql] > summary').click()
	await page.getByRole('region', { name: /^Rows of / }).getByRole('columnheader', { name: 'people' }).waitFor()
	clean(page)
	await page.context().close()
})

await check('feedback is given, explained, seen again, and taken back', async () => {
	const page = await open(demo)
	await ask(page, 'How many customers are there?')
	await answered(page)
	await button(page, 'A bad answer').click()
	await page.getByRole('textbox', { name: 'Why?' }).fill('It counts the closed accounts')
	await glance(page, 'feedback', 'feedback')
	await button(page, 'Send').click()
	await page.getByRole('textbox', { name: 'Why?' }).waitFor({ state: 'detached' })
	await page.reload()
	await page.getByRole('button', { name: 'A bad answer', pressed: true }).click()
	await page.getByRole('button', { name: 'A bad answer', pressed: false }).waitFor()
	await page.reload()
	await page.getByRole('button', { name: 'A bad answer', pressed: false }).waitFor()
	clean(page)
	await page.context().close()
})

await check('a table of results is filtered by words and columns, and drawn', async () => {
	const page = await open(demo)
	await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
	await ask(page, 'Which country has the most customers?')
	await answered(page)
	await page.getByRole('button', { name: '137' }).click()
	await button(page, 'Filter').click()
	await page.getByRole('searchbox', { name: 'Filter the rows of' }).fill('an')
	await page.getByText('2 of 5 rows').waitFor()
	await page.getByRole('textbox', { name: 'Filter customers' }).fill('> 100')
	await page.getByText('1 of 5 rows').waitFor()
	await button(page, 'Copy').click()
	const text = await page.evaluate(() => navigator.clipboard.readText())
	want(text === 'country\tcustomers\nGermany\t137', text)
	await page.getByRole('textbox', { name: 'Filter customers' }).fill('')
	await page.getByRole('searchbox', { name: 'Filter the rows of' }).fill('')
	await button(page, 'Chart').click()
	await page.getByRole('img', { name: 'Bars of customers along country' }).waitFor()
	want((await page.locator('figure svg rect').count()) === 5, 'five bars')
	await page.getByRole('combobox', { name: 'Kind of chart' }).selectOption('lines')
	await page.getByRole('img', { name: 'Lines of customers along country' }).waitFor()
	await accessible(page, 'table')
	clean(page)
	await page.context().close()
})

await check('who is removed from the project is told so, and keeps what was typed', async () => {
	const choose = async (page, secret) => {
		await page.getByLabel('Password', { exact: true }).fill(secret)
		await page.getByLabel('The same again').fill(secret)
		await button(page, 'Save and sign in').click()
		await box(page).waitFor()
	}
	const admin = await open(link)
	await choose(admin, 'correct horse battery')
	const call = (path, method, body) =>
		admin.evaluate(
			async ([path, method, body]) => {
				const r = await fetch(path, { method, headers: { 'Content-Type': 'application/json' }, body: body && JSON.stringify(body) })
				if (!r.ok) throw new Error(`${method} ${path}: ${await r.text()}`)
				return r.status === 204 ? null : await r.json()
			},
			[path, method, body],
		)
	const made = await call('/api/users', 'POST', { name: 'cara' })
	const project = 'crew'
	await call(`/api/projects/${project}/members/cara`, 'PUT', { role: 'analyst' })
	const page = await open(`${new URL(link).origin}/setup#${made.link_token}`)
	await choose(page, 'staple battery horse')
	await ask(page, 'Good morning')
	await answered(page)
	await call(`/api/projects/${project}/members/cara`, 'DELETE')
	page.wrongs.length = 0
	await ask(page, 'How many customers are there?')
	const dialog = page.getByRole('alertdialog')
	await dialog.getByText('Your access to the project ended').waitFor()
	await glance(page, 'lost access', 'lost-access')
	await button(page, 'Keep reading').click()
	want((await box(page).inputValue()) === 'How many customers are there?', await box(page).inputValue())
	want((await main(page).getByText('Good morning').count()) > 0, 'the conversation is gone')
	await call(`/api/projects/${project}/members/cara`, 'PUT', { role: 'analyst' })
	await box(page).press('Enter')
	await page.getByText('There are 3 customers.').waitFor()
	await page.context().close()
	await admin.context().close()
})

// --- figures

// Scrolls a box by step pixels a frame. In ms: the median of the frames as they came, and what the page's thread computed for one.
// The first depends on what else the machine does and is printed; the second does not, and has a limit.
async function scrolled(page, region, step, nframe) {
	const debug = await page.context().newCDPSession(page)
	await debug.send('Performance.enable', { timeDomain: 'threadTicks' })
	const computed = async () => (await debug.send('Performance.getMetrics')).metrics.find(m => m.name === 'TaskDuration').value * 1000
	const before = await computed()
	const times = await region.evaluate(
		async (box, [step, nframe]) => {
			const times = []
			let last = await new Promise(requestAnimationFrame)
			for (let i = 0; i < nframe; i++) {
				box.scrollTop += step
				const now = await new Promise(requestAnimationFrame)
				times.push(now - last)
				last = now
			}
			return times.sort((a, b) => a - b)
		},
		[step, nframe],
	)
	const cpu = ((await computed()) - before) / nframe
	await debug.detach()
	return { median: times[Math.floor(nframe / 2)], cpu }
}

await check(`a conversation of ${TURNS * 2} messages scrolls, is searched, and a link leads into it`, async () => {
	const page = await open(long)
	const region = page.getByRole('region', { name: 'Conversation' })
	const articles = page.getByRole('feed', { name: 'Messages' }).getByRole('article')
	await ask(page, 'How many customers are there?')
	await answered(page)
	const idle = await scrolled(page, region, 10, 60)
	const oldest = execFileSync('python3', [longThread, longStore, String(TURNS - 1), 'How many customers', 'Which pelican asks how many customers'], { encoding: 'utf8' }).trim()
	await page.reload()
	await answered(page)
	want((await articles.last().getAttribute('aria-setsize')) === '-1', 'how many there are is known before they were read')
	const atEnd = () => region.evaluate(b => b.scrollHeight - b.scrollTop - b.clientHeight)
	want((await atEnd()) < 2, `it opens ${await atEnd()} pixels above its end`)

	// Earlier questions come while it is scrolled, and move nothing in sight.
	await region.evaluate(b => (b.scrollTop = 0))
	await page.keyboard.press('Control+f')
	const field = page.getByRole('searchbox', { name: 'Find in this conversation' })
	await field.fill('pelican')
	await page.getByText('No message has these words.').waitFor()
	await button(page, 'Also in earlier questions').click()
	await page.getByText('1 of 1 messages').waitFor()
	await articles.filter({ hasText: 'Which pelican' }).waitFor()
	want(await page.evaluate(() => CSS.highlights.get('found')?.size > 0), 'the words are not marked')
	await glance(page, 'find', 'find')
	await field.press('Escape')
	await field.waitFor({ state: 'detached' })

	want((await articles.first().getAttribute('aria-setsize')) === String(TURNS * 2), await articles.first().getAttribute('aria-setsize'))
	want((await articles.first().getAttribute('aria-posinset')) === '1', 'the oldest is not the first')
	const down = await scrolled(page, region, 400, 300)
	await button(page, 'Newest').click()
	await page.waitForFunction(() => !document.querySelector('[aria-label=Conversation]').textContent.includes('(9)'))
	const up = await scrolled(page, region, -400, 300)
	const inPage = await articles.count()
	console.log(
		`# ${TURNS * 2} messages, ${inPage} in the page: ${down.median.toFixed(1)} ms a frame (median) down, ${up.median.toFixed(1)} up; ` +
			`computed ${down.cpu.toFixed(1)} and ${up.cpu.toFixed(1)} ms; one message: ${idle.median.toFixed(1)} and ${idle.cpu.toFixed(1)} ms`,
	)
	want(inPage <= MAX_ARTICLES, `${inPage} messages are in the page`)
	want(down.cpu <= MAX_FRAME_MS && up.cpu <= MAX_FRAME_MS, `it computes ${down.cpu} and ${up.cpu} ms for a frame`)
	const order = await articles.evaluateAll(all => all.map(a => Number(a.getAttribute('aria-posinset'))))
	want(order.every((p, i) => i === 0 || p > order[i - 1]), `a screen reader meets them as ${order}`)
	const overlaps = await articles.evaluateAll(all =>
		all.map(a => a.getBoundingClientRect()).some((r, i, rs) => i > 0 && r.top < rs[i - 1].bottom),
	)
	want(!overlaps, 'messages lie over each other')

	// What was opened in a message stays open while the message is out of sight.
	const inSight = order[Math.floor(order.length / 2)]
	const place = String(inSight % 2 ? inSight + 1 : inSight) // an answer
	const answer = page.locator(`article[aria-posinset="${place}"]`)
	await answer.locator('[data-tool=execute_sql] > summary').click()
	await answer.getByRole('region', { name: /^Rows of / }).waitFor()
	await region.evaluate(b => (b.scrollTop -= 20000))
	await articles.filter({ hasText: 'How many customers' }).and(page.locator(`[aria-posinset="${Number(place) + 1}"]`)).waitFor({ state: 'detached' })
	want(await answer.locator('details[data-tool][open]').count(), 'what was opened is closed')
	await answer.locator('summary').first().focus()
	await page.keyboard.press('PageDown')
	await page.waitForFunction(p => document.activeElement?.getAttribute('aria-posinset') === p, String(Number(place) + 1))
	await page.keyboard.press('PageUp')
	await page.waitForFunction(p => document.activeElement?.getAttribute('aria-posinset') === p, place)

	// A link to its oldest answer reads what is before.
	const linked = await open(long, {}, `${new URL(page.url()).pathname}#${oldest}`)
	await linked.getByText('Which pelican').waitFor()
	await linked.waitForFunction(() => document.activeElement?.getAttribute('aria-label') === 'Answer')
	clean(linked)
	await linked.context().close()

	// While an answer is written the end stays in sight.
	await box(page).fill('Tell a long story')
	await page.keyboard.press('Enter')
	await page.getByText(/alpha bravo .* tango uniform/).waitFor()
	want((await atEnd()) < 2, 'the end of the new answer is not in sight')
	clean(page)
	await page.context().close()
})

await check(`a result of ${ROWS} rows scrolls`, async () => {
	const page = await open(long)
	await box(page).fill(`/sql with recursive n(i) as (select 1 union all select i + 1 from n where i < ${ROWS}) select i, 'row ' || i as name, i * 1.5 as price from n`)
	await page.getByRole('textbox', { name: 'SQL statement' }).press('Enter')
	await page.locator('[data-tool=execute_sql] > summary').click()
	await page.getByText('10,000 rows').first().waitFor()
	const region = page.getByRole('region', { name: /^Rows of / })
	const { median, cpu } = await scrolled(page, region, 400, 300)
	const inPage = await region.locator('tbody tr').count()
	console.log(`# ${ROWS} rows, ${inPage} in the page: ${median.toFixed(1)} ms a frame (median), computed ${cpu.toFixed(1)} ms`)
	want(inPage <= 60, `${inPage} rows are in the page`)
	want(cpu <= MAX_FRAME_MS, `it computes ${cpu} ms for a frame`)
	await region.evaluate(b => (b.scrollTop = b.scrollHeight))
	await page.getByRole('cell', { name: 'row 10000' }).waitFor()
	clean(page)
	await page.context().close()
})

await check(`on a 3G line the first text is there within ${MAX_FIRST_TEXT_MS} ms`, async () => {
	const page = await open('about:blank')
	const line = await page.context().newCDPSession(page)
	await line.send('Network.enable')
	await line.send('Network.emulateNetworkConditions', THIRD_GENERATION)
	const began = Date.now()
	await page.goto(demo, { waitUntil: 'commit' })
	await page.waitForFunction(() => document.body?.innerText.trim().length > 0, undefined, { polling: 'raf' })
	const text = Date.now() - began
	await page.getByRole('heading', { name: 'What do you want to know?' }).waitFor()
	const heading = Date.now() - began
	await button(page, 'How many customers are there?').waitFor()
	console.log(`# 3G: first text ${text} ms, the empty page ${heading} ms, its starter questions ${Date.now() - began} ms`)
	want(text <= MAX_FIRST_TEXT_MS, `${text} ms`)
	await page.context().close()
})

for (const width of shots ? WIDTHS : [390]) {
	await check(`the tools of an answer are accessible in both themes: ${width} pixels`, async () => {
		const page = await open(demo, { viewport: sizeOf(width) })
		await ask(page, 'How many customers are there?')
		await answered(page)
		await box(page).press('ArrowUp')
		await page.getByRole('textbox', { name: 'The changed question' }).fill('Which country has the most customers?')
		await page.keyboard.press('Enter')
		await page.getByText('2 of 2').waitFor()
		await answered(page)
		await page.getByRole('button', { name: '137' }).click()
		await button(page, 'Filter').click()
		await button(page, 'Chart').click()
		await page.getByRole('img', { name: 'Bars of customers' }).waitFor()
		await button(page, 'A good answer').click()
		await page.locator('figure').scrollIntoViewIfNeeded()
		await look(page, 'tools', 'tools')
		await button(page, 'A good answer').scrollIntoViewIfNeeded()
		if (shots) await look(page, 'the end of an answer', 'tools-end')
		clean(page)
		await page.context().close()
	})
}

await end()
