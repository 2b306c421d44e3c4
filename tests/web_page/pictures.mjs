// The README's pictures of the page: taken from the demo, with a fixed clock, size and font. Beside each picture is a record of what
// it shows, each text with its place; the page has to show the same now. MAKE=1 writes pictures and records again.
// usage: node pictures.mjs DEMO-URL FOLDER-OF-PICTURES
import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { answered, ask, check, clean, end, open, want } from './page.mjs'

const [demo, folder] = process.argv.slice(2)
const MAX_BYTES = 200 * 1000
const NEAR_PX = 4 // a text may be that far from its recorded place: another version of the font
const HOW = 'Look at what changed. If it is meant, make pictures and records again: MAKE=1 ONLY=pictures ARGUS=build/argus FAKE_MODEL=build/tests/fake_model tests/e2e/web_page.sh'
const SIZE = { viewport: { width: 1280, height: 800 }, colorScheme: 'light', locale: 'en-US', timezoneId: 'UTC', reducedMotion: 'reduce' }

// What depends on the day and on the machine gets a fixed text: times of day, milliseconds, tokens.
async function still(page) {
	await page.evaluate(() => {
		const sheet = new CSSStyleSheet()
		sheet.replaceSync("* { font-family: 'DejaVu Sans', sans-serif !important; caret-color: transparent !important } code, pre, pre *, kbd { font-family: 'DejaVu Sans Mono', monospace !important }")
		document.adoptedStyleSheets = [sheet]
		const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
		for (let n = walk.nextNode(); n; n = walk.nextNode()) {
			const text = n.textContent.replace(/\b\d{1,2}:\d\d\s[AP]M\b/g, '10:24 AM').replace(/[<\d,]+ ms\b/g, '2 ms')
			if (text !== n.textContent) n.textContent = text
		}
		document.activeElement?.blur()
	})
	await page.evaluate(() => document.fonts.ready)
	await page.mouse.move(0, 0)
}

// Each visible text with the place of its box: left, top, width, height.
const recordOf = page =>
	page.evaluate(() => {
		const out = []
		const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
		for (let n = walk.nextNode(); n; n = walk.nextNode()) {
			const text = n.textContent.replace(/\s+/g, ' ').trim()
			if (!text || !n.parentElement.checkVisibility({ visibilityProperty: true, contentVisibilityAuto: true })) continue
			const range = new Range()
			range.selectNodeContents(n)
			const r = range.getBoundingClientRect()
			if (r.width < 2 || r.height < 2 || r.bottom <= 0 || r.right <= 0 || r.top >= innerHeight || r.left >= innerWidth) continue
			out.push([r.left, r.top, r.width, r.height].map(Math.round).join(' ') + '\t' + text)
		}
		return out
	})

function compare(name, now, then) {
	const texts = lines => lines.map(l => l.split('\t')[1])
	const missing = texts(then).filter(t => !texts(now).includes(t))
	const added = texts(now).filter(t => !texts(then).includes(t))
	want(missing.length + added.length === 0, `${name} does not show the page any more. Gone: ${JSON.stringify(missing)}. New: ${JSON.stringify(added)}. ${HOW}`)
	const moved = now.filter((l, i) => {
		const [a, b] = [l, then[i] ?? ''].map(x => x.split('\t')[0].split(' ').map(Number))
		return a.some((v, k) => !(Math.abs(v - b[k]) <= NEAR_PX))
	})
	want(moved.length === 0, `${name}: these have another place or size now: ${moved.join('; ')}. ${HOW}`)
}

async function picture(page, name) {
	await still(page)
	const image = `${folder}/${name}.png`
	const record = `${folder}/${name}.txt`
	const now = await recordOf(page)
	want(now.length > 10, `${name}: the record has ${now.length} texts`)
	if (process.env.MAKE) {
		await page.screenshot({ path: image, animations: 'disabled' })
		writeFileSync(record, `${now.join('\n')}\n`)
	}
	want(statSync(image).size <= MAX_BYTES, `${image} has ${statSync(image).size} bytes, more than ${MAX_BYTES}`)
	compare(`${name}.png`, now, readFileSync(record, 'utf8').trimEnd().split('\n'))
	want(readFileSync(`${folder}/../../README.md`, 'utf8').includes(`docs/images/${name}.png`), `the README does not show ${name}.png`)
	clean(page)
	await page.context().close()
}

await check('the picture of a conversation is what the page shows', async () => {
	const page = await open(demo, SIZE)
	await ask(page, 'Which country has the most customers?')
	await answered(page)
	await page.getByRole('button', { name: '137' }).click()
	await page.locator('td[aria-current]').waitFor()
	await picture(page, 'web-chat')
})

await check('the picture of an artifact is what the page shows', async () => {
	const page = await open(demo, SIZE)
	await ask(page, 'Draw the total of orders by month.')
	await answered(page)
	await page.getByRole('button', { name: 'Open Total of orders by month' }).last().click()
	const panel = page.getByRole('complementary', { name: 'Artifacts' })
	await panel.frameLocator('iframe').locator('.barlayer .point').nth(23).waitFor()
	await picture(page, 'web-artifact')
})

await end()
