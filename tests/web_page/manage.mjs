// What the page has for those who manage, by its visible names: people, members, tokens, knowledge, clients.
// usage: node manage.mjs URL PASSWORD-OF-ADMIN SETUP-LINK-OF-ANOTHER SQLITE-FILE [FOLDER-FOR-SCREENSHOTS]
import { accessible, check, clean, end, open, signIn, want } from './page.mjs'

const [base, password, setup, file, shots] = process.argv.slice(2)

async function manage(part) {
	const page = await open(base)
	await signIn(page, 'admin', password)
	await page.getByRole('link', { name: 'Manage' }).click()
	if (part) await page.getByRole('link', { name: part, exact: true }).click()
	await page.getByRole('heading', { name: part ?? 'Knowledge', exact: true }).waitFor()
	return page
}

let link = ''
await check('an account is made, with a link that chooses its password', async () => {
	const page = await manage('People')
	await page.getByLabel('Name of the new account').fill('bea')
	await page.getByRole('button', { name: 'Add' }).click()
	link = (await page.getByRole('status').locator('code').textContent()) ?? ''
	want(link.startsWith(`${base}/setup#`), link)
	await page.getByText('has no password yet').first().waitFor()
	const other = await open(link)
	await other.getByLabel('Password', { exact: true }).fill('staple battery horse')
	await other.getByLabel('The same again').fill('staple battery horse')
	await other.getByRole('button', { name: 'Save and sign in' }).click()
	await other.getByRole('link', { name: 'Manage' }).click()
	await other.getByRole('heading', { name: 'Knowledge', exact: true }).or(other.getByRole('heading', { name: 'Tokens', exact: true })).first().waitFor()
	want((await other.getByRole('link', { name: 'People', exact: true }).count()) === 0, 'bea sees accounts')
	clean(page)
	await other.context().close()
	await page.context().close()
})

await check('a name that is taken is refused in words', async () => {
	const page = await manage('People')
	await page.getByLabel('Name of the new account').fill('bea')
	await page.getByRole('button', { name: 'Add' }).click()
	await page.getByRole('alert').waitFor()
	await page.context().close()
})

await check('an account is disabled, enabled and removed, and the last manager is not', async () => {
	const page = await manage('People')
	await page.getByRole('button', { name: 'Disable bea' }).click()
	await page.getByRole('button', { name: 'Enable bea' }).click()
	await page.getByRole('button', { name: 'Disable bea' }).waitFor()
	await page.getByRole('button', { name: 'Disable admin' }).click()
	await page.getByRole('alert').waitFor()
	await page.getByRole('button', { name: 'Remove bea' }).click()
	await page.getByRole('group', { name: 'Remove bea?' }).getByRole('button', { name: 'Remove' }).click()
	await page.getByRole('button', { name: 'Remove bea' }).waitFor({ state: 'detached' })
	await page.context().close()
})

await check('a token is made, shown once, and revoked', async () => {
	const page = await manage('Tokens')
	await page.getByLabel('What the token is for').fill('nightly')
	await page.getByRole('button', { name: 'Make a token' }).click()
	const token = (await page.getByRole('status').locator('code').textContent()) ?? ''
	want(/^argus_[\w-]{43}$/.test(token), token)
	const status = t => page.evaluate(async x => (await fetch('/api/auth/me', { headers: { Authorization: `Bearer ${x}` }, credentials: 'omit' })).status, t)
	want((await status(token)) === 200, 'the token is refused')
	await page.getByRole('button', { name: 'Revoke nightly' }).click()
	await page.getByRole('group', { name: 'Revoke nightly?' }).getByRole('button', { name: 'Revoke' }).click()
	await page.getByRole('button', { name: 'Revoke nightly' }).waitFor({ state: 'detached' })
	want((await status(token)) === 401, 'the token is still good')
	await page.context().close()
})

await check('the audit table is shown and checked', async () => {
	const page = await manage('Calls')
	await page.getByRole('button', { name: 'Check the table' }).click()
	await page.getByText(/The table is whole: [\d,]+ rows were checked\./).waitFor()
	await page.getByLabel('Only calls of this tool').fill('no_such_tool')
	await page.getByText('There is no such call.').waitFor()
	clean(page)
	await page.context().close()
})

await check('a recipe is written, runs with the values of its form, and its run is found again', async () => {
	const page = await manage('Recipes')
	await page.getByText('There is no recipe yet.').waitFor()
	await page.getByRole('button', { name: 'New recipe' }).click()
	await page.getByLabel('Name of the recipe').fill('Names by letter')
	await page.getByLabel('What it does').fill('Names that begin with a letter')
	await page.getByLabel('Question of step 1').fill('Which names begin with {{letter}}?')
	await page.getByLabel('SQL of step 1').fill("SELECT name FROM customers WHERE name LIKE {{letter}} || '%' AND id > {{least}}")
	await page.getByText('{{letter}}, {{least}}: there is no such variable yet.').waitFor()
	await page.getByRole('button', { name: 'Save' }).click()
	await page.getByRole('alert').getByText(/letter/).waitFor()
	await page.getByRole('button', { name: 'Add a variable' }).click()
	await page.getByLabel('What people read for letter').fill('First letter')
	await page.getByLabel('Type of letter').selectOption('choice')
	await page.getByLabel('Choices of letter').fill('a,b')
	await page.getByRole('button', { name: 'Add a variable' }).click()
	await page.getByLabel('Type of least').selectOption('number')
	await page.getByLabel('Default of least').fill('0')
	await page.getByRole('button', { name: 'Save' }).click()
	const form = page.getByRole('form', { name: 'Run Names by letter' })
	await form.getByLabel('First letter').selectOption('b')
	want((await form.getByLabel('least').inputValue()) === '0', 'the default is not there')
	await form.getByRole('button', { name: 'Run it' }).click()
	await page.getByRole('status').getByText('complete').waitFor()
	await page.getByRole('cell', { name: 'b', exact: true }).waitFor()
	await page.getByText('letter = b').first().waitFor()
	if (shots) await page.screenshot({ path: `${shots}/manage-recipe-run.png` })
	await page.getByRole('button', { name: 'Back to the recipe' }).click()
	await page.getByRole('button', { name: /admin ?complete ?letter = b/ }).click()
	await page.getByRole('button', { name: 'Back to the recipe' }).click()
	await page.getByRole('button', { name: 'Edit', exact: true }).click()
	await page.getByLabel('What it does').fill('Names with their first letter')
	await page.getByRole('button', { name: 'Save' }).click()
	await page.getByText('Names with their first letter').waitFor()
	want(page.wrongs.length === 1, page.wrongs.join('\n')) // the browser notes the 400
	await page.context().close()
})

await check('golden questions are written, asked, and their failures say why', async () => {
	const page = await manage('Golden questions')
	await page.getByText('There is no golden question yet.').waitFor()
	for (const [question, expected] of [['How many customers are there?', '3'], ['How many customers were there?', '4']]) {
		await page.getByRole('button', { name: 'New question' }).click()
		await page.getByLabel('Question', { exact: true }).fill(question)
		await page.getByLabel('Expected').fill(expected)
		await page.getByRole('button', { name: 'Save' }).click()
		await page.getByRole('button', { name: `Edit ${question}` }).waitFor()
	}
	await page.getByRole('button', { name: 'Ask all of them' }).click()
	await page.getByText('1 of 2 right, 50 %').waitFor()
	await page.getByRole('list', { name: 'Wrong answers' }).getByText('How many customers were there?').waitFor()
	await page.getByRole('button', { name: 'Edit How many customers were there?' }).click()
	await page.getByLabel('Expected').fill('3')
	await page.getByRole('button', { name: 'Save' }).click()
	await page.getByRole('button', { name: 'Edit How many customers were there?' }).waitFor()
	await page.getByRole('button', { name: 'Ask all of them' }).click()
	await page.getByText('Each answer is right.').waitFor()
	await page.getByText('before: 50 %').waitFor()
	await page.getByRole('button', { name: /1 of 2 right/ }).click()
	await page.getByText('1 of 2 right, 50 %').waitFor()
	clean(page)
	await page.context().close()
})

await check('a schedule is made, paused and changed', async () => {
	const page = await manage('Schedules')
	await page.getByText('There is no schedule yet.').waitFor()
	await page.getByRole('button', { name: 'New schedule' }).click()
	await page.getByLabel('Name of the schedule').fill('monday')
	await page.getByLabel('Recipe').selectOption('Names by letter')
	await page.getByLabel('First letter').selectOption('a')
	await page.getByLabel('When', { exact: true }).fill('61 7 * * mon')
	await page.getByRole('button', { name: 'Save' }).click()
	await page.getByRole('alert').waitFor()
	page.wrongs.length = 0 // the browser notes the 400
	await page.getByLabel('When', { exact: true }).fill('0 7 * * mon')
	await page.getByRole('button', { name: 'Save' }).click()
	await page.getByText('it has queued nothing yet').waitFor()
	await page.getByRole('button', { name: 'Pause monday' }).click()
	await page.getByText('paused', { exact: true }).waitFor()
	await page.getByRole('button', { name: 'Resume monday' }).click()
	await page.getByRole('button', { name: 'Edit monday' }).click()
	await page.getByLabel('When monday is due').fill('30 7 * * mon')
	await page.getByRole('button', { name: 'Save' }).click()
	await page.getByText('30 7 * * mon').waitFor()
	clean(page)
	await page.context().close()
})

await check('settings say where they come from', async () => {
	const page = await manage('Settings')
	await page.getByText('ARGUS_MAX_REQUESTS_PER_MINUTE').first().waitFor()
	await page.getByLabel('only what somebody has set').check()
	await page.getByText('environment', { exact: true }).first().waitFor()
	await page.getByLabel('Search settings').fill('nothing like it')
	await page.getByText('No setting is like that.').waitFor()
	clean(page)
	await page.context().close()
})

await check('jobs are listed by their state', async () => {
	const page = await manage('Jobs')
	await page.getByText('There was no job yet.').waitFor()
	await page.getByLabel('State of the jobs').selectOption('failed')
	await page.getByText('No job is like that.').waitFor()
	clean(page)
	await page.context().close()
})

await check('a column is found by its name, and has a note', async () => {
	const page = await manage('Dictionary')
	await page.getByRole('button', { name: 'customers', exact: true }).click()
	await page.getByRole('button', { name: 'Write a note on customers.name' }).click()
	await page.getByLabel('Note on customers.name').fill('The given name alone')
	await page.getByRole('button', { name: 'Save' }).click()
	await page.getByText('The given name alone').waitFor()
	await page.getByLabel('Search tables and columns').fill('given')
	await page.getByText('The given name alone').waitFor()
	want((await page.getByText('id', { exact: true }).count()) === 0, 'a column without the word is shown')
	await page.getByLabel('Search tables and columns').fill('nothing like it')
	await page.getByText('No table or column has these words.').waitFor()
	await page.getByRole('button', { name: 'Refresh' }).click()
	await page.getByRole('button', { name: 'Refresh' }).waitFor()
	clean(page)
	await page.context().close()
})

await check('a project is connected to a database: tried, saved, disconnected', async () => {
	const page = await open(new URL(setup).origin)
	await page.goto(setup)
	await page.getByLabel('Password', { exact: true }).fill(password)
	await page.getByLabel('The same again').fill(password)
	await page.getByRole('button', { name: 'Save and sign in' }).click()
	await page.getByRole('link', { name: 'Manage' }).click()
	await page.getByRole('link', { name: 'Connections', exact: true }).click()
	const form = page.getByRole('form', { name: 'Database' })
	page.wrongs.length = 0
	await form.getByLabel('Address').fill('sqlite:/etc/passwd')
	await form.getByRole('button', { name: 'Save' }).click()
	await form.getByRole('alert').getByText('This is no file that the server allows').waitFor()
	page.wrongs.length = 0 // the browser notes the 403
	await form.getByLabel('Address').fill(`sqlite:${file}`)
	await form.getByRole('button', { name: 'Try it' }).click()
	await form.getByText('It works, and shows 1 table.').waitFor()
	await form.getByRole('button', { name: 'Save' }).click()
	await form.getByRole('button', { name: 'Disconnect Database' }).waitFor()
	for (const theme of ['light', 'dark'])
		for (const width of [390, 1024, 1440]) {
			await page.emulateMedia({ colorScheme: theme })
			await page.setViewportSize({ width, height: 860 })
			await accessible(page, `connections, ${theme}, ${width} pixels`)
			want((await page.evaluate(() => document.documentElement.scrollWidth)) <= width, 'the page is wider than the window')
			if (shots) await page.screenshot({ path: `${shots}/manage-connected-${theme}-${width}.png` })
		}
	await form.getByRole('button', { name: 'Disconnect Database' }).click()
	await form.getByRole('group', { name: 'Disconnect Database?' }).getByRole('button', { name: 'Disconnect' }).click()
	await form.getByRole('button', { name: 'Disconnect Database' }).waitFor({ state: 'detached' })
	clean(page)
	await page.context().close()
})

await check('what clients of MCP need names this server', async () => {
	const page = await manage('Connect')
	await page.getByText(`"url": "${base}/mcp"`).first().waitFor()
	clean(page)
	await page.context().close()
})

for (const theme of ['light', 'dark']) {
	for (const width of shots ? [390, 1024, 1440] : [390, 1024]) {
		await check(`the screens for managing are accessible: ${theme}, ${width} pixels`, async () => {
			const page = await open(base, { viewport: { width, height: 860 }, colorScheme: theme })
			await signIn(page, 'admin', password)
			await page.getByRole('link', { name: 'Manage' }).click()
			for (const part of ['Knowledge', 'Dictionary', 'Recipes', 'Golden questions', 'Connections', 'Import', 'Share links', 'Project settings', 'Calls', 'Jobs', 'Schedules', 'People', 'Settings', 'Tokens', 'Connect']) {
				await page.getByRole('link', { name: part, exact: true }).click()
				await page.getByRole('heading', { name: part, exact: true }).waitFor()
				await page.waitForTimeout(200)
				await accessible(page, part)
				if (shots) await page.screenshot({ path: `${shots}/manage-${part.toLowerCase().replaceAll(' ', '-')}-${theme}-${width}.png` })
			}
			clean(page)
			await page.context().close()
		})
	}
}

await end()
