// Compresses the built pages and their frames, twice, and drops the plain files: each browser takes one of the two. The pages stay
// as well.
// usage: node compress.mjs FOLDER
import { readdirSync, readFileSync, unlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'

// In brotli: what each page names.
const FIRST_LOAD_KB = { 'index.html': 250, 'shared.html': 120 }
const folder = process.argv[2]
const brotli = { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } }
const pages = Object.keys(FIRST_LOAD_KB).map(name => ({ name, text: readFileSync(join(folder, name), 'utf8'), first: 0 }))

const inside = (sub, end) =>
	readdirSync(join(folder, sub))
		.filter(n => n.endsWith(end))
		.map(n => `${sub}/${n}`)
for (const name of [...pages.map(p => p.name), ...inside('assets', ''), ...inside('frame', '.html')]) {
	const file = join(folder, name)
	const bytes = readFileSync(file)
	const small = brotliCompressSync(bytes, brotli)
	writeFileSync(`${file}.br`, small)
	writeFileSync(`${file}.gz`, gzipSync(bytes, { level: 9 }))
	if (!(name in FIRST_LOAD_KB)) unlinkSync(file)
	const of = pages.filter(p => p.name === name || p.text.includes(name))
	for (const p of of) p.first += small.length
	console.log(`${of.length ? `first of ${of.map(p => p.name)}` : 'later'} ${name} ${bytes.length} bytes, ${small.length} in brotli`)
}
for (const { name, first } of pages) {
	console.log(`first load of ${name}: ${(first / 1000).toFixed(1)} kB in brotli`)
	if (first > FIRST_LOAD_KB[name] * 1000) throw new Error(`the first load of ${name} may have ${FIRST_LOAD_KB[name]} kB`)
}
