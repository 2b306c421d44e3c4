// Compresses the built pages and their frames, twice, and drops the plain files: each browser takes one of the two. The pages stay
// as well.
// usage: node compress.mjs FOLDER KEPT
// KEPT holds the results of the last build by the hash of the content: most files are the same again, and take half a minute.
import { createHash } from 'node:crypto'
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, unlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'

// In brotli: what each page names.
const FIRST_LOAD_KB = { 'index.html': 250, 'shared.html': 120 }
const [, , folder, kept] = process.argv
const brotli = { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } }
const pages = Object.keys(FIRST_LOAD_KB).map(name => ({ name, text: readFileSync(join(folder, name), 'utf8'), first: 0 }))

const inside = (sub, end) =>
	readdirSync(join(folder, sub))
		.filter(n => n.endsWith(end))
		.map(n => `${sub}/${n}`)
const used = new Set()
// The result that `compress` has for the bytes; also in file + end.
const compressed = (bytes, file, end, compress) => {
	const name = createHash('sha256').update(bytes).digest('hex') + end
	const at = join(kept, name)
	used.add(name)
	if (!existsSync(at)) {
		writeFileSync(`${at}.part`, compress(bytes))
		renameSync(`${at}.part`, at)
	}
	copyFileSync(at, file + end)
	return readFileSync(at)
}
mkdirSync(kept, { recursive: true })
for (const name of [...pages.map(p => p.name), ...inside('assets', ''), ...inside('frame', '.html')]) {
	const file = join(folder, name)
	const bytes = readFileSync(file)
	const small = compressed(bytes, file, '.br', b => brotliCompressSync(b, brotli))
	compressed(bytes, file, '.gz', b => gzipSync(b, { level: 9 }))
	if (!(name in FIRST_LOAD_KB)) unlinkSync(file)
	const of = pages.filter(p => p.name === name || p.text.includes(name))
	for (const p of of) p.first += small.length
	console.log(`${of.length ? `first of ${of.map(p => p.name)}` : 'later'} ${name} ${bytes.length} bytes, ${small.length} in brotli`)
}
for (const name of readdirSync(kept)) if (!used.has(name)) unlinkSync(join(kept, name))
for (const { name, first } of pages) {
	console.log(`first load of ${name}: ${(first / 1000).toFixed(1)} kB in brotli`)
	if (first > FIRST_LOAD_KB[name] * 1000) throw new Error(`the first load of ${name} may have ${FIRST_LOAD_KB[name]} kB`)
}
