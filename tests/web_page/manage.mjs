// What the page has for those who manage, by its visible names: people, members, tokens, knowledge, clients.
// usage: node manage.mjs URL PASSWORD-OF-ADMIN [FOLDER-FOR-SCREENSHOTS]
import { accessible, check, clean, end, open, want } from './page.mjs'

const [base, password, shots] = process.argv.slice(2)

async function signIn(page, name, secret) {
	await page.getByRole('heading', { name: 'Sign in to Argus' }).waitFor()
	await page.getByLabel('Name', { exact: true }).fill(name)
	await page.getByLabel('Password', { exact: true }).fill(secret)
	await page.getByRole('button', { name: 'Sign in', exact: true }).click()
	await page.getByRole('heading', { name: 'Sign in to Argus' }).waitFor({ state: 'detached' })
	page.wrongs.length = 0 // the browser notes each 401
}

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
			for (const part of ['Knowledge', 'Calls', 'People', 'Tokens', 'Connect']) {
				await page.getByRole('link', { name: part, exact: true }).click()
				await page.getByRole('heading', { name: part, exact: true }).waitFor()
				await page.waitForTimeout(200)
				await accessible(page, part)
				if (shots) await page.screenshot({ path: `${shots}/manage-${part.toLowerCase()}-${theme}-${width}.png` })
			}
			clean(page)
			await page.context().close()
		})
	}
}

await end()
