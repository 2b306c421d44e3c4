// Taking an artifact along: its data, its code, a page of it, or a picture.
import { Download } from 'lucide-react'
import { type RefObject, useRef, useState } from 'react'
import { type Artifact, type ArtifactData, type QueryResult, api } from '../shared/api'
import { saveFile } from '../shared/save'
import { csvOf } from '../shared/table'
import type { FrameHandle } from './frame'

const CODE_END: Record<string, string> = { react: 'jsx', plotly: 'json', html: 'html', markdown: 'md', svg: 'svg' }

// Of a title: what every file system takes.
const fileName = (title: string) => title.replace(/[^\p{L}\p{N} ._-]+/gu, '_').trim().slice(0, 50) || 'artifact'

// An SVG that the frame gave is as little to be trusted as its code: a file of it must neither run nor ask for anything when
// somebody opens it. Its styles are hidden from the parser, because this page's policy has none inline.
function cleanSvg(text: string): string {
	const plain = text.replace(/<style[^]*?<\/style\s*>/gi, '').replace(/(\s)style=/gi, '$1data-argus-style=')
	const doc = new DOMParser().parseFromString(plain, 'image/svg+xml')
	if (doc.documentElement.nodeName !== 'svg') return ''
	for (const e of doc.querySelectorAll('script, style, foreignObject, iframe, object, embed, a, animate, set, handler')) e.remove()
	for (const e of doc.querySelectorAll('*')) {
		if (e.namespaceURI !== 'http://www.w3.org/2000/svg') e.remove() // HTML inside may lead away, too
		for (const { name, value } of [...e.attributes]) {
			const isRun = /^on/i.test(name) || (/href$/i.test(name) && !/^(#|data:image\/(png|jpeg|gif|webp))/i.test(value))
			// Elsewhere, a function that is no reference inside the file.
			if (isRun || /(url|image|image-set|src)\s*\(\s*(?!["']?#)/i.test(value)) e.removeAttribute(name)
		}
	}
	return new XMLSerializer().serializeToString(doc.documentElement).replace(/(\s)data-argus-style=/g, '$1style=')
}

const escaped = (v: unknown) =>
	String(v ?? '').replace(/[&<>"]/g, c => `&#${c.charCodeAt(0)};`)

// A page of what a script drew: its picture, as an image because an image runs nothing, and the rows that it was drawn from.
function pageOf(artifact: Artifact, svg: string, results: QueryResult[]): string {
	const row = (cells: unknown[], element: string) => `<tr>${cells.map(c => `<${element}>${escaped(c)}</${element}>`).join('')}</tr>`
	const tables = results.map(r => `<h2>${escaped(r.name)}</h2><table>${row(r.columns!, 'th')}${r.rows!.map(x => row(x, 'td')).join('\n')}</table>`)
	return `<!doctype html><html lang="en"><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; img-src data:">
<meta name="viewport" content="width=device-width"><title>${escaped(artifact.title)}</title>
<style>body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem}img{max-width:100%}table{border-collapse:collapse}td,th{border:1px solid #ccc;padding:.25rem .6rem;text-align:left}</style>
</head><body><h1>${escaped(artifact.title)}</h1><p>${escaped(artifact.description)}</p>
<img alt="${escaped(artifact.title)}" src="data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg).replaceAll("'", '%27')}">
${tables.join('\n')}</body></html>
`
}

const PNG = 'data:image/png;base64,'
const bytesOf = (base64: string) => Uint8Array.from(atob(base64), c => c.charCodeAt(0))

interface Props {
	project: string
	artifact: Artifact
	data?: ArtifactData
	page?: string // the document of Markdown, HTML and SVG
	frame: RefObject<FrameHandle | null>
	onRefused: (e: unknown) => void
}

export function ExportMenu({ project, artifact, data, page, frame, onRefused }: Props) {
	const [isOpen, setOpen] = useState(false)
	const menu = useRef<HTMLDivElement>(null)
	const name = fileName(artifact.title)
	const drawing = async (as: 'svg' | 'png') => {
		const made = (await frame.current?.picture(as)) ?? ''
		const good = as === 'svg' ? cleanSvg(made) : made.startsWith(PNG) ? made.slice(PNG.length) : ''
		if (!good) throw new Error('There is no drawing to take a picture of.')
		return good
	}
	const results = data?.results.filter(r => r.columns && r.rows) ?? []
	const choices: [string, () => void | Promise<void>][] = [
		...(artifact.type === 'markdown'
			? []
			: ([
					['Picture (PNG)', async () => saveFile(`${name}.png`, 'image/png', bytesOf(await drawing('png')))],
					['Picture (SVG)', async () => saveFile(`${name}.svg`, 'image/svg+xml', await drawing('svg'))],
				] as [string, () => Promise<void>][])),
		[
			'Page (HTML)',
			async () => saveFile(`${name}.html`, 'text/html', page ?? pageOf(artifact, await drawing('svg'), results)),
		],
		['Document (PDF)', async () => saveFile(`${name}.pdf`, 'application/pdf', await api.artifactPdf(project, artifact.id, artifact.version))],
		...results.map(
			r => [`${results.length > 1 ? r.name : 'Data'} (CSV)`, () => saveFile(`${fileName(r.name)}.csv`, 'text/csv', csvOf(r.columns!, r.rows!))] as [string, () => void],
		),
		...(data ? ([['Data (JSON)', () => saveFile(`${name}.json`, 'application/json', JSON.stringify(data.data, null, 1))]] as [string, () => void][]) : []),
		['Code', () => saveFile(`${name}-code.${CODE_END[artifact.type]}`, 'text/plain', artifact.code)],
	]
	return (
		<div
			ref={menu}
			className="relative"
			onBlur={e => !menu.current?.contains(e.relatedTarget) && setOpen(false)}
			onKeyDown={e => {
				if (e.key !== 'Escape' || !isOpen) return
				e.stopPropagation()
				setOpen(false)
				menu.current?.querySelector('button')?.focus()
			}}
		>
			<button
				type="button"
				aria-label="Export"
				title="Export"
				aria-expanded={isOpen}
				onClick={() => setOpen(!isOpen)}
				className="grid size-9 place-items-center rounded-md text-quiet hover:bg-sunk hover:text-text"
			>
				<Download aria-hidden className="size-4" />
			</button>
			{isOpen && (
				<ul className="absolute top-full right-0 z-30 mt-1 min-w-44 rounded-lg border border-line bg-panel p-1 shadow-lg" aria-label="Export as">
					{choices.map(([label, run]) => (
						<li key={label}>
							<button
								type="button"
								onClick={async () => {
									setOpen(false)
									try {
										await run()
									} catch (e) {
										onRefused(e)
									}
								}}
								className="w-full rounded-md px-3 py-1.5 text-left text-sm whitespace-nowrap hover:bg-sunk"
							>
								{label}
							</button>
						</li>
					))}
				</ul>
			)}
		</div>
	)
}
