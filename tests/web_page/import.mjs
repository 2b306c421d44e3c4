// What the page has for a team's own material, by its visible names: CSV files, knowledge that is written down, share links.
// usage: node import.mjs URL PASSWORD-OF-ADMIN [FOLDER-FOR-SCREENSHOTS]
import { rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { accessible, answered, ask, check, clean, end, open, signIn, want } from './page.mjs'

const [base, password, shots] = process.argv.slice(2)

async function manage(part, options) {
	const page = await open(base, options)
	await signIn(page, 'admin', password)
	await page.getByRole('link', { name: 'Manage' }).click()
	await page.getByRole('link', { name: part, exact: true }).click()
	await page.getByRole('heading', { name: part, exact: true }).waitFor()
	return page
}
const choose = (page, name, text) => page.getByLabel('CSV file to import').setInputFiles({ name, mimeType: 'text/csv', buffer: Buffer.from(text) })

async function everywhere(page, name) {
	for (const theme of ['light', 'dark'])
		for (const width of [390, 1024, 1440]) {
			await page.emulateMedia({ colorScheme: theme })
			await page.setViewportSize({ width, height: 860 })
			await page.waitForTimeout(100)
			await accessible(page, `${name}, ${theme}, ${width} pixels`)
			want((await page.evaluate(() => document.documentElement.scrollWidth)) <= width, `${name}: the page is wider than ${width} pixels`)
			if (shots) await page.screenshot({ path: `${shots}/${name}-${theme}-${width}.png` })
		}
	await page.setViewportSize({ width: 1024, height: 720 })
}

await check('a CSV file becomes a table, and is asked about', async () => {
	const page = await manage('Import')
	await page.getByText('Drop a CSV file here').waitFor()
	await everywhere(page, 'import-empty')
	const rows = Array.from({ length: 3000 }, (_, i) => `${i + 1};"Customer ${i}";${(i * 1.5).toFixed(2)};2026-01-${String(1 + (i % 28)).padStart(2, '0')};0${i}`)
	await choose(page, 'big orders.csv', `\ufeffOrder No;Customer;Amount (EUR);When;Code\n${rows.join('\n')}\n`)
	await page.getByRole('region', { name: 'The first lines of big orders.csv' }).getByText('Order No;Customer').waitFor()
	await page.getByLabel('Name of the new project').fill('Orders of January')
	await page.getByLabel('Name of the table').fill('orders')
	await everywhere(page, 'import-chosen')
	await page.getByRole('button', { name: 'Import', exact: true }).click()
	await page.getByRole('status').getByText('3,000 rows, 5 columns').waitFor()
	for (const [name, type] of [['order_no', 'integer'], ['customer', 'text'], ['amount_eur', 'real'], ['when', 'date'], ['code', 'text']]) await page.getByRole('columnheader', { name: `${name} ${type}` }).waitFor()
	await page.getByRole('cell', { name: 'Customer 4' }).waitFor()
	await everywhere(page, 'import-made')
	await page.getByRole('link', { name: 'Ask about it' }).click()
	want((await page.getByRole('combobox', { name: /^Project/ }).locator('option:checked').textContent()) === 'Orders of January', 'the conversation is about another project')
	await ask(page, 'How many rows are there?')
	await answered(page)
	want(!page.url().includes('project='), page.url())
	clean(page)
	await page.context().close()
})

await check('a second file goes into the same project, and can be taken back', async () => {
	const page = await manage('Import')
	await choose(page, 'customers.csv', 'id,name\n1,Ann\n2,Bob\n3\n')
	await page.getByRole('combobox', { name: /^Project/ }).selectOption({ label: 'Orders of January' })
	await page.getByText('A table of the same name is replaced.').waitFor()
	await page.getByRole('button', { name: 'Import', exact: true }).click()
	await page.getByText('1 row had fewer cells than the header').waitFor()
	await page.getByRole('button', { name: 'Remove customers' }).click()
	await page.getByRole('group', { name: 'Remove customers?' }).getByRole('button', { name: 'Remove' }).click()
	await page.getByText('Drop a CSV file here').waitFor()
	clean(page)
	await page.context().close()
})

await check('a broken file says where, keeps the form, and a mended one goes in', async () => {
	const page = await manage('Import')
	await choose(page, 'broken.csv', 'id,name\n1,Ann\n2,Bob,Cy\n')
	await page.getByLabel('Name of the table').fill('people')
	await page.getByRole('button', { name: 'Import', exact: true }).click()
	await page.getByRole('alert').getByText('line 3, column 7').waitFor()
	want((await page.getByLabel('Name of the table').inputValue()) === 'people', 'the form is lost')
	page.wrongs.length = 0 // the browser notes the 422
	await page.getByRole('button', { name: 'Another file' }).click()
	const huge = join(tmpdir(), `argus-huge-${process.pid}.csv`)
	writeFileSync(huge, '')
	truncateSync(huge, (50 << 20) + 1)
	await page.getByLabel('CSV file to import').setInputFiles(huge)
	rmSync(huge)
	await page.getByRole('alert').getByText('at most 50 MB').waitFor()
	clean(page)
	await page.context().close()
})

await check('a file of 2,000 columns is shown, and its dictionary stays smooth', async () => {
	const page = await manage('Import')
	const n = Array.from({ length: 2000 }, (_, i) => i)
	await choose(page, 'wide.csv', `${n.map(i => `measure ${i}`).join(',')}\n${n.join(',')}\n`)
	await page.getByRole('combobox', { name: /^Project/ }).selectOption('')
	await page.getByLabel('Name of the new project').fill('Wide')
	await page.getByRole('button', { name: 'Import', exact: true }).click()
	await page.getByText('The first 50 of 2,000 columns.').waitFor()
	await page.getByRole('link', { name: 'dictionary', exact: true }).click()
	await page.getByRole('combobox', { name: /^Project/ }).selectOption({ label: 'Wide' })
	await page.getByRole('button', { name: 'wide', exact: true }).click()
	const tree = page.getByRole('region', { name: 'Tables and columns' })
	await tree.getByText('measure_3', { exact: true }).waitFor()
	const drawn = await tree.locator('[data-index]').count()
	want(drawn < 100, `${drawn} rows are drawn`)
	// A wheel turn each frame, through all of it: how long the slowest frames took.
	const frames = await tree.evaluate(async box => {
		const took = []
		let last = performance.now()
		while (box.scrollTop + box.clientHeight < box.scrollHeight - 2 && took.length < 600) {
			box.scrollTop += 300
			await new Promise(requestAnimationFrame)
			took.push(performance.now() - last)
			last = performance.now()
		}
		return took.sort((a, b) => a - b)
	})
	const at = share => frames[Math.floor((frames.length - 1) * share)]
	console.log(`# 2,000 columns: ${frames.length} frames, median ${at(0.5).toFixed(1)} ms, 95 % ${at(0.95).toFixed(1)} ms, longest ${at(1).toFixed(1)} ms`)
	want(frames.length > 100, `only ${frames.length} frames`)
	want(at(0.5) < 50, `a frame takes ${at(0.5)} ms`)
	want(await tree.getByText('measure_1999', { exact: true }).count(), await tree.innerText())
	const began = Date.now()
	await page.getByLabel('Search tables and columns').fill('measure_1234')
	await tree.getByText('measure_1234', { exact: true }).waitFor()
	await page.waitForFunction(() => document.querySelectorAll('[data-index]').length === 2)
	console.log(`# a search of 2,000 columns: ${Date.now() - began} ms`)
	want(Date.now() - began < 3000, 'the search is slow')
	clean(page)
	await page.context().close()
})

await check('an entry, a metric and a learning are written, changed and deleted', async () => {
	const page = await manage('Knowledge')
	const saved = async name => {
		await page.getByRole('button', { name: 'Save' }).click()
		await page.getByRole('button', { name: 'Save' }).waitFor({ state: 'detached' })
		await page.getByText(name, { exact: true }).click()
	}
	await page.getByRole('button', { name: 'New entry' }).click()
	await page.getByLabel('Title').fill('Refunds are negative')
	await page.getByLabel('What is to be known').fill('A refund is an order below zero.')
	await page.getByLabel('Tables, one a line').fill('customers')
	await everywhere(page, 'knowledge-new')
	await saved('Refunds are negative')
	await page.getByRole('button', { name: 'Edit Refunds are negative' }).click()
	want((await page.getByLabel('Tables, one a line').inputValue()) === 'customers', 'the tables are lost')
	await page.getByLabel('What is to be known').fill('A refund has a total below zero.')
	await saved('Refunds are negative')
	await page.getByText('A refund has a total below zero.').waitFor()
	await page.getByRole('button', { name: 'New metric' }).click()
	await page.getByLabel('Name', { exact: true }).fill('Customers')
	await page.getByLabel('What it measures').fill('People in the table')
	await page.getByLabel('SELECT that computes it').fill('SELECT count(*) FROM nowhere')
	await page.getByRole('button', { name: 'Save' }).click()
	await page.getByRole('alert').getByText(/nowhere/).waitFor()
	page.wrongs.length = 0 // the browser notes the 400
	await page.getByLabel('SELECT that computes it').fill('SELECT count(*) FROM customers')
	await page.getByLabel('Unit').fill('people')
	await saved('Customers')
	await page.getByRole('button', { name: 'New learning' }).click()
	await page.getByLabel('What to do otherwise').fill('Count customers by id, because names repeat')
	await page.getByLabel('Kind of mistake').selectOption('aggregation')
	await page.getByLabel('Tables, one a line').fill('customers')
	await saved('Count customers by id, because names repeat')
	for (const name of ['Refunds are negative', 'Customers', 'Count customers by id, because names repeat']) {
		await page.getByRole('button', { name: `Delete ${name}` }).click()
		await page.getByRole('group', { name: `Delete ${name}?` }).getByRole('button', { name: 'Delete' }).click()
		await page.getByRole('button', { name: `Delete ${name}` }).waitFor({ state: 'detached' })
	}
	clean(page)
	await page.context().close()
})

await check('limits and instructions of a project are changed, and say where they come from', async () => {
	const page = await manage('Project settings')
	await page.getByText('This project is set where the server was started').waitFor()
	await page.getByRole('combobox', { name: /^Project/ }).selectOption({ label: 'Orders of January' })
	const row = page.getByRole('listitem', { name: 'max rows per query' })
	await row.getByText('500', { exact: true }).waitFor()
	await row.getByText('default', { exact: true }).waitFor()
	want((await page.getByRole('button', { name: /Change allowed/ }).count()) === 0, 'the rules of the guard can be changed')
	await page.getByRole('button', { name: 'Change max rows per query' }).click()
	await page.getByLabel('New value of max rows per query').fill('20')
	await everywhere(page, 'project-settings')
	await page.getByRole('button', { name: 'Save' }).click()
	await row.getByText('this project', { exact: true }).waitFor()
	await row.getByText('20', { exact: true }).waitFor()
	await page.getByRole('button', { name: 'Change system prompt' }).click()
	await page.getByLabel('New value of system prompt').fill('Amounts are in euros, and without tax. Say so whenever a sum is shown to anybody.')
	await page.getByRole('button', { name: 'Save' }).click()
	await page.getByRole('region', { name: 'Value of system prompt' }).getByText('Amounts are in euros').waitFor()
	await page.getByRole('button', { name: 'Reset max rows per query' }).click()
	await row.getByText('default', { exact: true }).waitFor()
	clean(page)
	await page.context().close()
})

await check('share links of a project are listed and revoked', async () => {
	const page = await manage('Share links')
	await page.getByText('There is no link yet.').waitFor()
	await page.goto(base)
	await ask(page, 'How many customers are there?')
	await answered(page)
	const id = page.url().split('/chat/')[1]
	const made = await page.evaluate(async thing => {
		const project = (await (await fetch('/api/threads/' + thing)).json()).project
		const r = await fetch(`/api/projects/${project}/shares`, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify({ kind: 'thread', thing, audience: 'public' }) })
		return [r.status, project]
	}, id)
	want(made[0] === 201, JSON.stringify(made))
	await page.getByRole('link', { name: 'Manage' }).click()
	await page.getByRole('link', { name: 'Share links', exact: true }).click()
	if (await page.getByRole('combobox', { name: /^Project/ }).count()) await page.getByRole('combobox', { name: /^Project/ }).selectOption(made[1])
	await page.getByText('Everybody').waitFor()
	await everywhere(page, 'share-links')
	await page.getByRole('button', { name: /Revoke the link for Everybody/ }).click()
	await page.getByText('No link here works any more.').waitFor()
	await page.getByLabel('only links that work').uncheck()
	await page.getByText(/revoked/).first().waitFor()
	clean(page)
	await page.context().close()
})

await end()
