// Builds the frames of artifacts: for each kind one document with its script inside, and the policy that allows this script and
// no other. The server sends the policy as it is written here.
// usage: node frame/build.mjs FOLDER
import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'vite'

const folder = join(process.argv[2], 'frame')
const style = readFileSync(new URL('frame.css', import.meta.url), 'utf8')

const frames = [
	// Compiled JSX becomes code by `new Function`, which is all that 'unsafe-eval' adds; a script of another text stays refused.
	{ name: 'react', entry: 'frame/react.tsx', script: "'unsafe-eval'" },
	{ name: 'plotly', entry: 'frame/plotly.ts', script: '' },
	{ name: 'document', entry: 'frame/document.ts', script: '' },
]

// A script inside a document ends at the first; the second would hide that end.
const inlined = js => js.replace(/<\/(?=script)/gi, '<\\/').replaceAll('<!--', '\\x3C!--')

mkdirSync(folder, { recursive: true })
for (const f of frames) {
	const made = await build({
		configFile: false,
		logLevel: 'error',
		define: { 'process.env.NODE_ENV': '"production"' },
		build: {
			target: 'es2022',
			write: false,
			minify: true,
			lib: { entry: f.entry, name: 'argusFrame', formats: ['iife'], fileName: f.name },
		},
	})
	const js = inlined(made[0].output[0].code.trim())
	const hash = createHash('sha256').update(js).digest('base64')
	const policy = [
		"default-src 'none'",
		`script-src 'sha256-${hash}' ${f.script}`.trim(),
		"style-src 'unsafe-inline'",
		'img-src data: blob:',
		'font-src data:',
		"base-uri 'none'",
		"form-action 'none'",
		"frame-ancestors 'self'",
		'sandbox allow-scripts',
	].join('; ')
	writeFileSync(join(folder, `${f.name}.csp`), policy)
	writeFileSync(
		join(folder, `${f.name}.html`),
		`<!doctype html><html lang="en" data-frame="${f.name}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Artifact</title><style>${style}</style></head><body><script>${js}</script></body></html>`,
	)
}
