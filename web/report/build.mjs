// Builds the document of saved reports: one file with its style and its script inside, and places for a title, the plain form of the
// report and its data (src/report/page.c). Preact stands in for React: the page is saved with each report, so it has to be small.
// usage: node report/build.mjs FOLDER
import { createHash } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { constants, deflateSync } from 'node:zlib'
import tailwindcss from '@tailwindcss/vite'
import { build } from 'vite'

const MOST_KB = 150
const folder = join(process.argv[2], 'report')
const made = await build({
	configFile: false,
	logLevel: 'error',
	plugins: [tailwindcss()],
	define: { 'process.env.NODE_ENV': '"production"' },
	resolve: {
		alias: [
			{ find: /^react\/jsx-runtime$/, replacement: 'preact/jsx-runtime' },
			{ find: /^react-dom\/client$/, replacement: 'preact/compat/client' },
			{ find: /^react-dom$/, replacement: 'preact/compat' },
			{ find: /^react$/, replacement: 'preact/compat' },
		],
	},
	build: {
		target: 'es2022',
		write: false,
		minify: true,
		cssCodeSplit: false,
		lib: { entry: 'report/main.tsx', name: 'argusReport', formats: ['iife'], fileName: 'report' },
	},
})
const files = made[0].output
const css = String(files.find(f => f.fileName.endsWith('.css')).source).trim()
// A script inside a document ends at the first; the second would hide that end. Characters that steer a line stay escaped.
const js = files
	.find(f => f.type === 'chunk')
	.code.trim()
	.replace(/<\/(?=script)/gi, '<\\/')
	.replaceAll('<!--', '\\x3C!--')
	.replace(/[\0-\x08\x0b-\x1f\x7f-\uffff]/g, c => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`)
const policy = [
	"default-src 'none'",
	`script-src 'sha256-${createHash('sha256').update(js).digest('base64')}'`,
	"style-src 'unsafe-inline'",
	"base-uri 'none'",
	"form-action 'none'",
].join('; ')
const page = `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<title><!--title--></title>
<style>${css}</style>
<style><!--style--></style>
</head>
<body>
<div id="page"><!--plain--></div>
<script type="application/json" id="data"><!--data--></script>
<script>${js}</script>
</body>
</html>
`
console.log(`saved reports: ${page.length} bytes without data`)
if (page.length > MOST_KB * 1000) throw new Error(`a saved report may have ${MOST_KB} kB without its data`)
mkdirSync(folder, { recursive: true })
const bytes = Buffer.from(page)
// The length is in front: the program expands it in one step.
const length = Buffer.alloc(4)
length.writeUInt32LE(bytes.length)
writeFileSync(join(folder, 'page.deflated'), Buffer.concat([length, deflateSync(bytes, { level: constants.Z_BEST_COMPRESSION })]))
