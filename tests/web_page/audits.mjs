// Audits in the page, by its visible names: begun, watched, read, judged, compared.
// usage: node audits.mjs URL FOLDER-WITH-FILES [FOLDER-FOR-SCREENSHOTS]
import { writeFileSync } from 'node:fs'
import { accessible, check, clean, end, open, want } from './page.mjs'

const [base, folder, shots] = process.argv.slice(2)
const people = (n, wrong) => Array.from({ length: n }, (_, i) => JSON.stringify({ _id: i, age: i < wrong ? String(20 + (i % 50)) : 20 + (i % 50), mail: `user${i}@example.org` })).join('\n')
const complete = page => page.getByRole('tab', { name: 'Findings' }).waitFor()
const rows = page => page.getByRole('region', { name: 'Audits', exact: true })

async function screen(path, options) {
	const page = await open(base, options)
	await page.goto(base + path)
	return page
}

async function upload(page, name, text) {
	writeFileSync(`${folder}/${name}`, text)
	await page.getByLabel('File to audit').setInputFiles(`${folder}/${name}`)
}

await check('an empty list teaches what an audit is', async () => {
	const page = await screen('/audits')
	await page.getByText('An audit looks at each field of a collection').waitFor()
	await page.getByText('3 collections of the project').waitFor()
	clean(page)
	await page.context().close()
})

await check('a collection is audited: steps as they come, then the report', async () => {
	const page = await screen('/audits')
	await page.getByRole('button', { name: 'Audit orders' }).click()
	await complete(page)
	await page.getByRole('heading', { name: 'orders' }).waitFor()
	await page.getByText('Complete').waitFor()
	const first = page.getByRole('article').first()
	await first.getByRole('button').first().click()
	await first.getByText('db.orders.').waitFor()
	await first.getByRole('button', { name: 'Check again now' }).click()
	await first.getByText('Still so').waitFor()
	clean(page)
	await page.context().close()
})

await check('findings are chosen by severity and by words', async () => {
	const page = await screen('/audits')
	await rows(page).getByRole('link', { name: /orders/ }).first().click()
	await complete(page)
	const all = await page.getByRole('article').count()
	await page.getByRole('button', { name: /^\d+ low$/ }).click()
	want((await page.getByRole('article').count()) < all, 'fewer findings are low')
	await page.getByRole('button', { name: /^All / }).click()
	await page.getByRole('searchbox', { name: 'Search findings' }).fill('items[].price')
	await page.getByRole('article', { name: /items\[\]\.price/ }).first().waitFor()
	await page.getByRole('searchbox', { name: 'Search findings' }).fill('no such words')
	await page.getByText('No finding has these words.').waitFor()
	clean(page)
	await page.context().close()
})

await check('an audit takes the profile and the limits of the form', async () => {
	const page = await screen('/audits')
	await page.getByText('Profile and limits').click()
	await page.getByLabel('Findings are judged').selectOption('fast')
	await page.getByRole('spinbutton').nth(0).fill('3')
	await page.getByRole('spinbutton').nth(1).fill('5')
	const sent = page.waitForRequest(r => r.method() === 'POST' && r.url().endsWith('/api/audits'))
	await page.getByRole('button', { name: 'Audit customers' }).click()
	const body = (await sent).postDataJSON()
	want(body.eval_profile === 'fast' && body.max_iterations === 3 && body.max_seconds === 300, JSON.stringify(body))
	await complete(page)
	await page.getByText('Partial', { exact: true }).waitFor()
	clean(page)
	await page.context().close()
})

await check('a person judges a finding, and takes the word back', async () => {
	const page = await screen('/audits')
	await rows(page).getByRole('link', { name: /orders/ }).first().click()
	await complete(page)
	const first = page.getByRole('article').first()
	await first.getByRole('button').first().click()
	await first.getByRole('button', { name: 'It is a problem' }).click()
	await page.getByText('Somebody said that it is a problem.').waitFor()
	await page.getByRole('button', { name: 'Take that back' }).click()
	await first.getByRole('button', { name: 'It is a problem' }).waitFor()
	clean(page)
	await page.context().close()
})

await check('fields have pictures, and are found by words', async () => {
	const page = await screen('/audits')
	await rows(page).getByRole('link', { name: /orders/ }).first().click()
	await page.getByRole('tab', { name: 'Fields' }).click()
	await page.getByRole('searchbox', { name: 'Search fields' }).fill('created_at')
	await page.getByRole('region', { name: 'created_at' }).getByRole('group', { name: /^over time/ }).waitFor()
	await page.goto(`${base}/audits`)
	await page.getByRole('link', { name: 'Fields of products' }).click()
	await page.getByRole('heading', { name: 'Fields of products' }).waitFor()
	await page.getByRole('searchbox', { name: 'Search fields' }).waitFor()
	clean(page)
	await page.context().close()
})

await check('a bar, a value and a finding lead to their documents', async () => {
	const page = await screen('/audits')
	await rows(page).getByRole('link', { name: /orders/ }).first().click()
	await page.getByRole('tab', { name: 'Fields' }).click()
	for (const [field, group] of [['shipping.cost', /^over value/], ['shipping.due', /^over time/], ['comment', /^over length/], ['items', /^over number of items/]]) {
		await page.getByRole('searchbox', { name: 'Search fields' }).fill(field)
		const bars = page.getByRole('region', { name: field, exact: true }).getByRole('group', { name: group }).getByRole('button')
		await bars.first().waitFor()
		const names = await bars.evaluateAll(all => all.map(b => b.getAttribute('aria-label')))
		const place = names.findIndex(n => !/: 0$/.test(n))
		const n = /: ([\d,]+)/.exec(names[place])[1]
		await bars.nth(place).click()
		const dialog = page.getByRole('dialog')
		await dialog.getByRole('status').getByText(new RegExp(`^${n} documents? of 5,400 match`)).waitFor()
		await dialog.getByText('orders.ndjson:').first().waitFor()
		await page.keyboard.press('Escape')
		await dialog.waitFor({ state: 'detached' })
	}
	await page.getByRole('searchbox', { name: 'Search fields' }).fill('status')
	await page.getByRole('region', { name: 'status' }).getByRole('button', { name: 'delivered' }).click()
	const dialog = page.getByRole('dialog')
	await dialog.getByRole('list', { name: 'Documents' }).getByText('"delivered"').first().waitFor()
	await dialog.getByLabel('Filter').fill('{statuss: 1}')
	await dialog.getByRole('button', { name: 'Find' }).click()
	await dialog.getByText('no document has the field').waitFor()
	await accessible(page, 'documents')
	await dialog.getByRole('button', { name: 'Close' }).click()
	await page.getByRole('tab', { name: 'Findings' }).click()
	const first = page.getByRole('article').first()
	await first.getByRole('button').first().click()
	const said = (await first.getByRole('button').first().innerText()).match(/[\d,]+(?=\n?[\d.<]+ ?%)/)?.[0]
	await first.getByRole('button', { name: 'Show the documents' }).click()
	await dialog.getByRole('status').getByText(new RegExp(`^${said} documents? of`)).waitFor()
	clean(page)
	await page.context().close()
})

await check('an uploaded file is audited twice, and what was mended is gone', async () => {
	const page = await screen('/audits')
	await upload(page, 'people.ndjson', people(400, 40))
	await complete(page)
	await page.getByRole('article', { name: /age/ }).first().waitFor()
	await page.getByRole('tab', { name: 'Past' }).click()
	await page.getByText('This is the first audit of this source.').waitFor()
	await page.getByRole('link', { name: 'All audits' }).click()
	await upload(page, 'people.ndjson', people(400, 0))
	await complete(page)
	await page.getByText('Nothing was found').waitFor()
	await page.getByRole('tab', { name: 'Past' }).click()
	await page.getByRole('region', { name: 'Gone' }).getByText('checked: resolved').waitFor()
	clean(page)
	await page.context().close()
})

await check('the quality of all collections is on one page: sorted, searched, filtered', async () => {
	const page = await screen('/audits')
	await page.getByRole('link', { name: 'Quality' }).click()
	const table = page.getByRole('region', { name: 'Collections' })
	await table.getByRole('row', { name: /people.*resolved/ }).waitFor()
	const first = () => table.locator('tbody th').first().innerText()
	await table.getByRole('button', { name: 'Collection' }).click()
	await page.waitForURL(/sort=name/)
	await table.getByRole('columnheader', { name: 'Collection', exact: true }).and(page.locator('[aria-sort=ascending]')).waitFor()
	const lowest = await first()
	await table.getByRole('button', { name: 'Collection' }).click()
	await page.waitForURL(/order=reverse/)
	await table.locator('[aria-sort=descending]').waitFor()
	await page.waitForFunction(was => document.querySelector('tbody th').innerText !== was, lowest)
	await page.getByRole('searchbox', { name: 'Search collections' }).fill('peop')
	await page.waitForURL(/q=peop/)
	await table.getByRole('row').nth(2).waitFor({ state: 'detached' })
	await page.reload()
	await table.getByRole('row', { name: /people/ }).waitFor()
	want((await table.locator('tbody tr').count()) === 1, 'the address keeps the words')
	await page.getByRole('searchbox', { name: 'Search collections' }).fill('no such words')
	await page.getByText('No collection fits the filter.').waitFor()
	await page.getByRole('searchbox', { name: 'Search collections' }).fill('')
	await page.getByRole('checkbox', { name: 'only what changed' }).check()
	await table.getByRole('row', { name: /people/ }).waitFor()
	await table.getByRole('link', { name: 'people', exact: true }).click()
	await page.getByRole('heading', { name: 'people' }).waitFor()
	clean(page)
	await page.context().close()
})

await check('two audits are compared side by side, by an address that can be passed on', async () => {
	const page = await screen('/audits/quality')
	await page.getByRole('link', { name: 'Compare the last two audits of people' }).click()
	await page.getByRole('heading', { name: 'Two audits of people' }).waitFor()
	const gone = page.getByRole('article', { name: /^age/ }).first()
	await gone.getByText('resolved').waitFor()
	await gone.getByRole('button').first().click()
	await gone.getByRole('region', { name: 'Evidence of the older audit' }).getByText('db.people.').waitFor()
	await gone.getByRole('region', { name: 'Evidence of the newer audit' }).getByText('It was not reported.').waitFor()
	await page.getByRole('button', { name: /^\d+ gone$/ }).click()
	await page.waitForURL(/show=gone/)
	const other = await open(base, {}, page.url().slice(base.length))
	await other.getByRole('button', { name: /^\d+ gone$/, pressed: true }).waitFor()
	await other.getByRole('button', { name: 'Swap the two audits' }).click()
	await other.getByRole('button', { name: /^[1-9]\d* new$/ }).click()
	await other.getByRole('article', { name: /^age/ }).first().getByText('new').waitFor()
	clean(other)
	await other.context().close()
	clean(page)
	await page.context().close()
})

await check('an audit is made the baseline, and a later one says what is new against it', async () => {
	const page = await screen('/audits')
	await rows(page).getByRole('link', { name: /people/ }).nth(0).click()
	await page.getByText('Nothing was found').waitFor()
	const group = page.getByRole('group', { name: 'Baseline' })
	await group.getByRole('button', { name: 'Make this the baseline' }).click()
	await group.getByText('This audit is the baseline').waitFor()
	await page.getByRole('link', { name: 'All audits' }).click()
	await upload(page, 'people.ndjson', people(400, 40))
	await complete(page)
	await group.getByText(/[1-9]\d* new/).waitFor()
	await page.getByRole('button', { name: /^[1-9]\d* new since the baseline$/ }).click()
	await page.getByRole('article', { name: /^age/ }).first().getByText('new', { exact: true }).waitFor()
	await group.getByRole('link', { name: 'baseline' }).click()
	await group.getByRole('button', { name: 'No longer the baseline' }).click()
	await group.getByRole('button', { name: 'Make this the baseline' }).waitFor()
	clean(page)
	await page.context().close()
})

await check('a file that is none is refused in words', async () => {
	const page = await screen('/audits')
	await upload(page, 'notes.txt', 'words')
	await page.getByRole('alert').getByText('.csv').waitFor()
	await upload(page, 'empty.csv', '')
	await page.getByRole('alert').getByText('The file is empty.').waitFor()
	await page.context().close()
})

await check('the report is saved as a page', async () => {
	const page = await screen('/audits')
	await rows(page).getByRole('link', { name: /orders/ }).first().click()
	await complete(page)
	await page.getByText('Save as …').click()
	const [file] = await Promise.all([page.waitForEvent('download'), page.getByRole('link', { name: 'CSV', exact: true }).click()])
	want(file.suggestedFilename().endsWith('.csv'), file.suggestedFilename())
	clean(page)
	await page.context().close()
})

await check('an audit that is not there is said to be so', async () => {
	const page = await screen('/audits/00000000-0000-7000-8000-000000000000')
	await page.getByText('There is no such audit.').waitFor()
	await page.context().close()
})

// Milliseconds of a frame, the median of 60, while a list scrolls; and what of it is drawn.
async function scroll(list, drawn) {
	const got = await list.evaluate(async (box, selector) => {
		const times = []
		let last = performance.now()
		for (let i = 0; i < 60; i++) {
			box.scrollTop += 400
			await new Promise(requestAnimationFrame)
			times.push(performance.now() - last)
			last = performance.now()
		}
		return { drawn: box.querySelectorAll(selector).length, median: times.sort((a, b) => a - b)[30] }
	}, drawn)
	want(got.drawn > 0 && got.drawn < 60, `${got.drawn} are drawn`)
	return `${got.drawn} drawn, ${got.median.toFixed(1)} ms a frame (median)`
}

await check('a report of 300 findings stays smooth', async () => {
	const page = await screen('/audits')
	const doc = i => JSON.stringify(Object.fromEntries(Array.from({ length: 320 }, (_, k) => [`measure_${k}`, (i + k) % 20 === 0 ? 'unknown' : (i * 7 + k * 3) % 101])))
	await upload(page, 'many.ndjson', Array.from({ length: 200 }, (_, i) => doc(i)).join('\n'))
	await complete(page)
	const n = Number(/\d+/.exec((await page.getByRole('button', { name: /^All \d+/ }).textContent()) ?? '')?.[0])
	want(n >= 300, `${n} findings`)
	console.log(`# ${n} findings: ${await scroll(page.getByRole('region', { name: /\d+ findings/ }), 'article')}`)
	clean(page)
	await page.context().close()
})

await check('a collection of 2,000 fields stays smooth', async () => {
	const page = await screen('/audits')
	const wide = i => JSON.stringify(Object.fromEntries(Array.from({ length: 2000 }, (_, k) => [`field_${k}`, (i * 7 + k) % 11])))
	await upload(page, 'wide.ndjson', [1, 2, 3, 4, 5].map(wide).join('\n'))
	await complete(page)
	await page.goto(`${base}/audits`)
	await page.getByRole('link', { name: 'Fields of wide.ndjson' }).click()
	await page.getByRole('searchbox', { name: 'Search fields' }).waitFor()
	const list = page.getByRole('region', { name: 'Fields', exact: true })
	await list.getByRole('region').first().waitFor()
	console.log(`# 2,000 fields: ${await scroll(list, 'section')}`)
	await page.context().close()
})

for (const theme of ['light', 'dark']) {
	for (const width of shots ? [390, 1024, 1440] : [390, 1024]) {
		await check(`the screens of audits are accessible: ${theme}, ${width} pixels`, async () => {
			const page = await screen('/audits', { viewport: { width, height: 860 }, colorScheme: theme })
			await rows(page).getByRole('link', { name: /orders/ }).first().waitFor()
			await accessible(page, 'list')
			if (shots) await page.screenshot({ path: `${shots}/audits-${theme}-${width}.png` })
			await rows(page).getByRole('link', { name: /orders/ }).first().click()
			await complete(page)
			await page.getByRole('article').first().getByRole('button').first().click()
			await accessible(page, 'report')
			if (shots) await page.screenshot({ path: `${shots}/audit-${theme}-${width}.png` })
			for (const tab of ['Fields', 'Past']) {
				await page.getByRole('tab', { name: tab }).click()
				await page.waitForTimeout(300)
				await accessible(page, tab)
				if (shots) await page.screenshot({ path: `${shots}/audit-${tab.toLowerCase()}-${theme}-${width}.png` })
			}
			await page.goto(`${base}/audits/quality`)
			await page.getByRole('region', { name: 'Collections' }).getByRole('row', { name: /orders/ }).waitFor()
			await accessible(page, 'quality')
			if (shots) await page.screenshot({ path: `${shots}/quality-${theme}-${width}.png` })
			await page.getByRole('link', { name: 'Compare the last two audits of people' }).click()
			await page.getByRole('article').first().getByRole('button').first().click()
			await page.getByText('db.people.').first().waitFor()
			await accessible(page, 'two audits')
			if (shots) await page.screenshot({ path: `${shots}/compare-${theme}-${width}.png` })
			const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
			want(wide <= 0, `the page is ${wide} pixels wider than the window`)
			clean(page)
			await page.context().close()
		})
	}
}

await end()
