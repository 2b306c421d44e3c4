// Patterns of evidence, executed by this JavaScript engine: node regex_js.mjs FILE PATTERNS
// Each line of FILE is {"pattern", "options", "texts", "count"}; count is what PCRE2 matched (regex_js.h).
import { createReadStream } from 'node:fs'
import { createInterface } from 'node:readline'

const [file, wanted] = process.argv.slice(2)
let n = 0, failed = 0
for await (const line of createInterface({ input: createReadStream(file) })) {
	const { pattern, options, texts, count } = JSON.parse(line)
	const re = new RegExp(pattern, options)
	const mine = texts.filter((t) => re.test(t)).length
	n++
	if (mine === count)
		continue
	failed++
	console.error(`# ${JSON.stringify(pattern)} ${options}: PCRE2 ${count}, JavaScript ${mine}, of ${texts.length} texts`)
}
if (n !== Number(wanted)) {
	console.error(`# ${n} patterns were read, ${wanted} were written`)
	failed++
}
process.exit(failed ? 1 : 0)
