// Taking an artifact along: its data, its code, a page of it, or a picture.
import { Download } from 'lucide-react'
import { type RefObject, useRef, useState } from 'react'
import type { Artifact, ArtifactData } from '../shared/api'
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
		for (const { name, value } of [...e.attributes]) {
			const isRun = /^on/i.test(name) || (/href$/i.test(name) && !/^(#|data:image\/(png|jpeg|gif|webp))/i.test(value))
			// Elsewhere, a function that is no reference inside the file.
			if (isRun || /(url|image|image-set|src)\s*\(\s*(?!["']?#)/i.test(value)) e.removeAttribute(name)
		}
	}
	return new XMLSerializer().serializeToString(doc).replace(/(\s)data-argus-style=/g, '$1style=')
}

const PNG = 'data:image/png;base64,'
const bytesOf = (base64: string) => Uint8Array.from(atob(base64), c => c.charCodeAt(0))

interface Props {
	artifact: Artifact
	data?: ArtifactData
	page?: string // the document of Markdown, HTML and SVG
	frame: RefObject<FrameHandle | null>
	onRefused: (e: unknown) => void
}

export function ExportMenu({ artifact, data, page, frame, onRefused }: Props) {
	const [isOpen, setOpen] = useState(false)
	const menu = useRef<HTMLDivElement>(null)
	const name = fileName(artifact.title)
	const picture = async (as: 'svg' | 'png') => {
		const made = (await frame.current?.picture(as)) ?? ''
		if (as === 'svg' && made) {
			const clean = cleanSvg(made)
			if (clean) return saveFile(`${name}.svg`, 'image/svg+xml', clean)
		} else if (made.startsWith(PNG)) {
			return saveFile(`${name}.png`, 'image/png', bytesOf(made.slice(PNG.length)))
		}
		throw new Error('There is no drawing to take a picture of.')
	}
	const results = data?.results.filter(r => r.columns && r.rows) ?? []
	const choices: [string, () => void | Promise<void>][] = [
		...(artifact.type === 'markdown'
			? []
			: ([
					['Picture (PNG)', () => picture('png')],
					['Picture (SVG)', () => picture('svg')],
				] as [string, () => Promise<void>][])),
		...(page ? ([['Page (HTML)', () => saveFile(`${name}.html`, 'text/html', page)]] as [string, () => void][]) : []),
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
