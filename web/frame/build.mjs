// Builds the frames of artifacts: for each kind one document with its script inside, and the policy that allows this script and
// no other. The server sends the policy as it is written here. And the shell that shows them in hosts of MCP Apps, which the program
// fills with the compressed frames (src/app/mcp_frames.c).
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

async function script(entry, name) {
	const made = await build({
		configFile: false,
		logLevel: 'error',
		define: { 'process.env.NODE_ENV': '"production"' },
		build: {
			target: 'es2022',
			write: false,
			minify: true,
			lib: { entry, name: 'argusFrame', formats: ['iife'], fileName: name },
		},
	})
	return inlined(made[0].output[0].code.trim())
}

mkdirSync(folder, { recursive: true })
const policies = {}
for (const f of frames) {
	const js = await script(f.entry, f.name)
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
	policies[f.name] = policy
	writeFileSync(join(folder, `${f.name}.csp`), policy)
	writeFileSync(
		join(folder, `${f.name}.html`),
		`<!doctype html><html lang="en" data-frame="${f.name}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Artifact</title><style>${style}</style></head><body><script>${js}</script></body></html>`,
	)
}

// The policy of the shell is that of the frame inside as well, whose scripts are not known here: those of its own policy.
const apps = join(process.argv[2], 'apps')
const policy =
	"default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data: blob:; font-src data:; base-uri 'none'; form-action 'none'"
const held = (id, text) => `<script type="text/plain" id="${id}">${text}</script>`
mkdirSync(apps, { recursive: true })
writeFileSync(
	join(apps, 'artifact.html'),
	`<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><meta http-equiv="Content-Security-Policy" content="${policy}"><title>Artifact</title><style>${readFileSync(new URL('app.css', import.meta.url), 'utf8')}</style></head><body><div id="paper"></div><div id="notes" role="status"></div><script type="application/json" id="view"><!--view--></script>${frames
		.map(f => held(f.name, `<!--${f.name}-->`) + held(`${f.name}-policy`, policies[f.name]))
		.join('')}<script>${await script('frame/app.ts', 'app')}</script></body></html>`,
)
