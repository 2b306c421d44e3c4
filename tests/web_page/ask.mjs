// Questions about files in the page, by its visible names: asked, followed, stopped, read with the lines that they cite.
// usage: node ask.mjs URL-OF-DEMO URL-WITH-MODEL URL-WITHOUT-FOLDER
import { check, clean, end, lookAtWidths, open, want } from './page.mjs'

const [demo, modelled, bare] = process.argv.slice(2)
const box = page => page.getByRole('textbox', { name: 'Ask about the documentation and code' })
const past = page => page.getByRole('region', { name: 'Earlier questions' })

async function screen(base, options) {
	const page = await open(base, options)
	await page.getByRole('link', { name: 'Ask', exact: true }).click()
	await box(page).waitFor()
	return page
}

await check('an empty screen teaches, and its questions can be asked', async () => {
	const page = await screen(demo)
	await page.getByText('Argus reads the project’s documentation and code').waitFor()
	await page.getByText('What you ask is kept here').waitFor()
	await page.getByRole('button', { name: 'How do I protect a branch?' }).click()
	await page.getByRole('region', { name: 'Answer', exact: true }).getByText('cannot be pushed to directly').waitFor()
	await page.getByText('From the index of the files, without a model').waitFor()
	clean(page)
	await page.context().close()
})

await check('a citation opens the cited lines, and more around them', async () => {
	const page = await screen(demo)
	await past(page).getByRole('link', { name: /How do I protect a branch/ }).first().click()
	const citation = page.getByRole('button', { name: /wiki\/github\.md/ }).first()
	await citation.press('Enter')
	const lines = page.getByRole('region', { name: /wiki\/github\.md, lines/ })
	await lines.getByText('Tick Require conversation').or(lines.getByText('Require conversation resolution')).first().waitFor()
	const before = await lines.getByRole('listitem').count()
	await page.getByRole('button', { name: 'Show more around it' }).click()
	await page.waitForFunction(n => document.querySelectorAll('[role=region] ol li').length > n, before)
	await citation.press('Enter')
	await lines.waitFor({ state: 'detached' })
	clean(page)
	await page.context().close()
})

await check('a question with the keyboard alone, and its address after a reload', async () => {
	const page = await screen(demo)
	await box(page).fill('How do I bring back yesterday’s database?')
	await box(page).press('Enter')
	await page.getByRole('region', { name: 'Answer', exact: true }).waitFor()
	want(/\/ask\/[0-9a-f-]{36}$/.test(page.url()), page.url())
	await page.reload()
	await page.getByRole('region', { name: 'Answer', exact: true }).waitFor()
	await page.getByRole('heading', { name: /How do I bring back/ }).waitFor()
	clean(page)
	await page.context().close()
})

await check('a question that nothing answers says so', async () => {
	const page = await screen(demo)
	await box(page).fill('zyxwvut qponmlk')
	await page.getByRole('button', { name: 'Ask', exact: true }).click()
	await page.getByText('The answer is partial.').waitFor()
	await page.getByRole('button', { name: 'Ask again' }).click()
	want((await box(page).inputValue()) === 'zyxwvut qponmlk', 'the question is not in the box')
	clean(page)
	await page.context().close()
})

await check('a model’s steps are shown as they come, and the calls that led there', async () => {
	const page = await screen(modelled)
	await box(page).fill('Which port?')
	await box(page).press('Enter')
	await page.getByRole('region', { name: 'Progress' }).getByText('docs/run.md').waitFor()
	await page.getByRole('region', { name: 'Answer', exact: true }).getByText('The port is 8031').waitFor()
	await page.getByText('1 call led there').click()
	await page.getByRole('group').getByText('docs/run.md').last().click()
	await page.getByLabel('What read_file gave').getByText('number 8031').waitFor()
	clean(page)
	await page.context().close()
})

await check('a question is stopped', async () => {
	const page = await screen(modelled)
	await box(page).fill('Think long')
	await box(page).press('Enter')
	await page.getByRole('button', { name: 'Stop' }).click()
	await page.getByText('The question was stopped.').waitFor()
	clean(page)
	await page.context().close()
})

await check('a project without a folder says what to do', async () => {
	const page = await open(bare)
	await page.goto(`${bare}/ask`)
	await page.getByText('This project has no folder yet').waitFor()
	want(await box(page).isDisabled(), 'one can ask')
	clean(page)
	await page.context().close()
})

await check('the screen of questions is accessible at each width in both themes', async () => {
	const page = await screen(demo)
	await lookAtWidths(page, 'empty', 'ask-empty')
	await past(page).getByRole('link', { name: /How do I protect a branch/ }).first().click()
	await page.getByRole('button', { name: /wiki\/github\.md/ }).first().click()
	await page.getByRole('region', { name: /wiki\/github\.md, lines/ }).waitFor()
	await lookAtWidths(page, 'answer', 'ask-answer')
	clean(page)
	await page.context().close()
	const other = await screen(modelled)
	await past(other).getByRole('link', { name: /Which port/ }).first().click()
	await other.getByText('1 call led there').click()
	await lookAtWidths(other, 'calls', 'ask-calls')
	await other.context().close()
})

await end()
