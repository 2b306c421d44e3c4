// Saved reports (--output html), opened from a file without a server: read, searched, printed, without scripts, with hostile data.
// usage: node saved.mjs ARGUS EXAMPLES FOLDER [FOLDER-FOR-SCREENSHOTS]
import { execFileSync } from 'node:child_process'
import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
import { accessible, check, clean, end, open, smooth, want } from './page.mjs'

const [argus, examples, folder, shots] = process.argv.slice(2)
const run = (...words) => {
	try {
		execFileSync(argus, [...words, '--store', `${folder}/saved.db`], { stdio: 'pipe' })
	} catch (e) {
		if (![0, 1, 3].includes(e.status)) throw e
	}
}
const save = (name, ...words) => {
	run(...words, '--output', 'html', '--out', `${folder}/${name}`)
	return pathToFileURL(`${folder}/${name}`).href
}
const card = (page, name) => page.getByRole('article', { name }).first()

run('audit', `${examples}/orders.ndjson`, '--output', 'silent')
const orders = save('orders.html', 'audit', `${examples}/orders.ndjson`)
const all = save('all.html', 'audit', examples)

await check('a saved report is read without a server: findings, evidence, fields, earlier audits', async () => {
	const page = await open(orders)
	await page.getByRole('heading', { name: /^orders/ }).waitFor()
	await page.getByText(/Since the audit of .*: nothing new, nothing resolved/).waitFor()
	const first = page.getByRole('article').first()
	await first.getByRole('button').first().click()
	await first.getByText('db.orders.').waitFor()
	await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
	await first.getByRole('button', { name: 'Copy the command that checks it again' }).click()
	want(/^argus verify [0-9a-f-]{36}$/.test(await page.evaluate(() => navigator.clipboard.readText())), 'the command is copied')
	await page.getByRole('searchbox', { name: 'Search findings' }).fill('items[].price')
	await card(page, /items\[\]\.price/).waitFor()
	want((await page.getByRole('article').count()) < 19, 'fewer findings have the words')
	await page.getByRole('tab', { name: 'Fields' }).click()
	await page.getByRole('region', { name: 'created_at' }).getByRole('img', { name: /^over time/ }).waitFor()
	await page.getByRole('tab', { name: 'Past' }).click()
	await page.getByRole('img', { name: /^Findings of 2 audits/ }).waitFor()
	clean(page)
	await page.context().close()
})

await check('a saved report of several collections leads to each', async () => {
	const page = await open(all)
	await page.getByRole('table').getByRole('link', { name: 'products' }).click()
	await page.getByRole('heading', { name: /^products/ }).waitFor()
	want((await page.getByRole('tablist').count()) === 3, 'three collections')
	clean(page)
	await page.context().close()
})

await check('without scripts a saved report has its verdict and a table', async () => {
	const page = await open(orders, { javaScriptEnabled: false })
	await page.getByRole('heading', { name: /^orders: 19 problems/ }).waitFor()
	want((await page.getByRole('row').count()) === 20, `${await page.getByRole('row').count()} rows`)
	await page.getByRole('row', { name: /items\[\]\.price/ }).first().waitFor()
	if (shots) await page.screenshot({ path: `${shots}/saved-plain-light-1024.png` })
	await page.context().close()
})

await check('a printed report has what is folded on the screen', async () => {
	const page = await open(orders)
	await page.getByRole('article').first().waitFor()
	want((await page.getByText('db.orders.').count()) === 0, 'evidence is folded')
	await page.emulateMedia({ media: 'print' })
	await page.getByText('db.orders.').nth(18).waitFor()
	await page.getByRole('region', { name: 'created_at' }).waitFor()
	const paper = await page.pdf({ format: 'A4' })
	const pages = paper.toString('latin1').match(/\/Type\s*\/Page\b/g).length
	console.log(`# printed: ${pages} pages`)
	want(pages > 3, `${pages} pages`)
	clean(page)
	await page.context().close()
})

await check('hostile names and values stay text', async () => {
	const bad = ['</script><script>document.title="taken"</script>', '<img src=x onerror="document.title=\'taken\'">', '<!--<script>', '\u202etxt\u2028', 'javascript:alert(1)']
	const rows = Array.from({ length: 400 }, (_, i) => JSON.stringify({ _id: i, [bad[0]]: i % 25 ? `word ${i % 7}` : null, b: i % 40 === 3 ? bad[(i / 40) % 5 | 0] : i % 60, ['\u202egnp']: i % 30 ? 'x' : null }))
	writeFileSync(`${folder}/hostile.ndjson`, rows.join('\n'))
	const page = await open(save('hostile.html', 'audit', `${folder}/hostile.ndjson`, '--show-values'))
	for (const one of await page.getByRole('article').all()) await one.getByRole('button').first().click()
	await page.getByRole('tab', { name: 'Fields' }).click()
	await page.getByRole('searchbox', { name: 'Search fields' }).waitFor()
	want((await page.title()) === 'Data quality', await page.title())
	want((await page.locator('#page img, #page script, #page a[href^=javascript]').count()) === 0, 'it drew what the data wrote')
	want(!/[\u200b-\u200f\u2028-\u202e\u2066-\u2069]/.test(await page.locator('body').innerText()), 'a character steers the line')
	await page.getByText('\\u202egnp').first().waitFor()
	clean(page)
	await page.context().close()
})

await check('personal values are masked in a saved report, as in JSON', async () => {
	const mails = Array.from({ length: 200 }, (_, i) => JSON.stringify({ _id: i, mail: i % 9 ? `somebody${i}@example.org` : 'N/A', age: i % 20 ? i % 60 : null }))
	writeFileSync(`${folder}/masked.ndjson`, mails.join('\n'))
	save('masked.html', 'audit', `${folder}/masked.ndjson`)
	want(!/somebody\d+@/.test(readFileSync(`${folder}/masked.html`, 'utf8')), 'a value is in the file')
	save('shown.html', 'audit', `${folder}/masked.ndjson`, '--show-values')
	want(/somebody\d+@/.test(readFileSync(`${folder}/shown.html`, 'utf8')), 'with --show-values it is there')
})

await check('a saved report of 300 findings stays smooth and small', async () => {
	const doc = i => JSON.stringify(Object.fromEntries(Array.from({ length: 320 }, (_, k) => [`measure_${k}`, (i + k) % 20 === 0 ? 'unknown' : (i * 7 + k * 3) % 101])))
	writeFileSync(`${folder}/many.ndjson`, Array.from({ length: 200 }, (_, i) => doc(i)).join('\n'))
	const page = await open(save('many.html', 'audit', `${folder}/many.ndjson`))
	const n = await page.getByRole('article').count()
	want(n >= 300, `${n} findings`)
	console.log(`# ${n} findings, ${Math.round(statSync(`${folder}/many.html`).size / 1000)} kB: ${await smooth(page, null, 'article', 1000)}`)
	await page.context().close()
})

for (const colorScheme of ['light', 'dark']) {
	for (const width of [390, 1024, 1440]) {
		await check(`a saved report is accessible: ${colorScheme}, ${width} pixels`, async () => {
			const page = await open(all, { colorScheme, viewport: { width, height: 860 } })
			await page.getByRole('heading', { name: 'Data quality' }).waitFor()
			await page.getByRole('article').first().getByRole('button').first().click()
			await accessible(page, 'saved report')
			if (shots) await page.screenshot({ path: `${shots}/saved-${colorScheme}-${width}.png` })
			for (const [tab, name] of [['Fields', 'fields'], ['Past', 'past']]) {
				const one = page.getByRole('tab', { name: tab })
				if (!(await one.count())) continue
				await one.first().click()
				await page.waitForTimeout(200)
				await accessible(page, `saved ${name}`)
				if (shots) await page.screenshot({ path: `${shots}/saved-${name}-${colorScheme}-${width}.png` })
			}
			const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
			want(wide <= 0, `the page is ${wide} pixels wider than the window`)
			clean(page)
			await page.context().close()
		})
	}
}

await end()
