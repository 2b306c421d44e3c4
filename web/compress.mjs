// Compresses the built page and its frames, twice, and drops the plain files: each browser takes one of the two. index.html stays as
// well.
// usage: node compress.mjs FOLDER
import { readdirSync, readFileSync, unlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'

const FIRST_LOAD_KB = 250 // brotli; what index.html names
const folder = process.argv[2]
const brotli = { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } }
const page = readFileSync(join(folder, 'index.html'), 'utf8')
let first = 0

const inside = (sub, end) =>
	readdirSync(join(folder, sub))
		.filter(n => n.endsWith(end))
		.map(n => `${sub}/${n}`)
for (const name of ['index.html', ...inside('assets', ''), ...inside('frame', '.html')]) {
	const file = join(folder, name)
	const bytes = readFileSync(file)
	const small = brotliCompressSync(bytes, brotli)
	writeFileSync(`${file}.br`, small)
	writeFileSync(`${file}.gz`, gzipSync(bytes, { level: 9 }))
	if (name !== 'index.html') unlinkSync(file)
	const isFirst = name === 'index.html' || page.includes(name)
	first += isFirst ? small.length : 0
	console.log(`${isFirst ? 'first' : 'later'} ${name} ${bytes.length} bytes, ${small.length} in brotli`)
}
console.log(`first load: ${(first / 1000).toFixed(1)} kB in brotli`)
if (first > FIRST_LOAD_KB * 1000) throw new Error(`the first load may have ${FIRST_LOAD_KB} kB`)
