// Signing in by an OpenID Connect issuer (tests/e2e/oidc_issuer.py), by the page's visible names.
// usage: node sign_in.mjs URL ISSUER [FOLDER-FOR-SCREENSHOTS]
import { accessible, answered, ask, box, check, clean, end, open, want } from './page.mjs'

const [base, issuer, shots] = process.argv.slice(2)
const button = page => page.getByRole('link', { name: /^Sign in with Example/ })
const empty = page => page.getByRole('heading', { name: 'What do you want to know?' })

// The browser notes each 401; and the issuer is where the test sends it.
const calm = page => (page.wrongs = page.wrongs.filter(w => !w.includes('401') && !w.startsWith(`it asks ${issuer}`)))

await check('people sign in by the issuer, come back to where they were, and sign out there, too', async () => {
	const page = await open(base, {}, '/audits')
	await button(page).waitFor()
	await accessible(page, 'sign in by an issuer')
	for (const colorScheme of shots ? ['light', 'dark'] : [])
		for (const width of [390, 1024, 1440]) {
			await page.emulateMedia({ colorScheme })
			await page.setViewportSize({ width, height: 720 })
			await page.screenshot({ path: `${shots}/sign-in-issuer-${colorScheme}-${width}.png` })
		}
	await button(page).click()
	await page.getByRole('heading', { name: 'Who are you?' }).waitFor()
	await page.getByRole('link', { name: 'ann' }).click()
	await page.waitForURL(`${base}/audits`)
	await page.getByRole('button', { name: 'Sign out' }).waitFor()
	await page.getByText('ann@example.com').first().waitFor()
	const cookies = await page.context().cookies(base)
	want(cookies.length === 1 && cookies[0].httpOnly && cookies[0].sameSite === 'Lax', JSON.stringify(cookies))
	await page.getByRole('button', { name: 'Sign out' }).click()
	await button(page).waitFor()
	calm(page)
	clean(page)
	await page.context().close()
})

await check('a session that ends loses nothing: the issuer opens in another window', async () => {
	const page = await open(base)
	await button(page).click()
	await page.getByRole('link', { name: 'ann' }).click()
	await empty(page).waitFor()
	await ask(page, 'Good morning')
	await answered(page)
	await box(page).fill('How many customers are there?')
	await page.context().clearCookies()
	await box(page).press('Enter')
	await page.getByRole('heading', { name: 'Sign in to Argus' }).waitFor()
	const coming = page.context().waitForEvent('page')
	await button(page).click()
	const second = await coming
	await second.getByRole('link', { name: 'ann' }).click()
	await page.getByRole('button', { name: 'Try again' }).click()
	await page.getByText('There are 3 customers.').waitFor()
	want(second.isClosed() || (await second.getByRole('heading', { name: 'You are signed in' }).count()) === 1, 'the second window')
	calm(page)
	clean(page)
	await page.context().close()
})

await check('who is not let in learns why, and nothing stays in the address', async () => {
	const page = await open(base)
	await button(page).click()
	await page.getByRole('link', { name: 'eve' }).click()
	await page.getByText('You have no account here.').waitFor()
	await page.getByText(/^Reference [0-9a-f]{8}$/).waitFor()
	want(page.url() === `${base}/`, page.url())
	await accessible(page, 'a sign-in that was refused')
	if (shots) await page.screenshot({ path: `${shots}/sign-in-refused.png` })
	calm(page)
	clean(page)
	await page.context().close()
	const strange = await open(base, {}, '/?sign_in=%3Cimg%20src%3Dx%3E&reference=%3Cb%3Ebold')
	await strange.getByText('The sign-in was refused.').waitFor()
	want((await strange.getByText('Reference <b>bold').count()) === 1, 'the reference is text')
	await strange.context().close()
})

await end()
