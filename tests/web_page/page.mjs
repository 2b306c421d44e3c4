// A browser, and what scenarios of the page share.
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { chromium } from 'playwright-core'

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
const PATIENCE_MS = Number(process.env.PATIENCE_MS ?? 60000)
let failed = 0

const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox', '--disable-gpu'] })

// A page that notes what it should not do.
export async function open(base, options = {}) {
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

export function want(isTrue, what) {
	if (!isTrue) throw new Error(what)
}

export async function check(name, run) {
	try {
		await run()
		console.log(`ok - ${name}`)
	} catch (e) {
		failed++
		console.log(`not ok - ${name}\n  ${String(e.stack ?? e).replaceAll('\n', '\n  ')}`)
	}
}

export const box = page => page.getByRole('textbox', { name: 'Your question' })
export async function ask(page, question) {
	await box(page).fill(question)
	await box(page).press('Enter')
}
export const answered = page => page.getByRole('button', { name: 'Copy the answer' }).last().waitFor()
export const clean = page => want(page.wrongs.length === 0, page.wrongs.join('\n'))

export async function accessible(page, screen) {
	// Through the debugger: the page's own policy would refuse the script.
	await page.evaluate(axe)
	const found = await page.evaluate(() => globalThis.axe.run({ resultTypes: ['violations'] }))
	const serious = found.violations.filter(v => ['serious', 'critical'].includes(v.impact))
	want(serious.length === 0, `${screen}: ${JSON.stringify(serious.map(v => [v.id, v.nodes.map(n => [n.html, n.failureSummary])]), null, 1)}`)
}

export async function end() {
	await browser.close()
	process.exit(failed ? 1 : 0)
}
