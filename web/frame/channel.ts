// The frame's side of the channel, and what is taken away before any code of an artifact runs.
import { MAX_MESSAGE, MAX_STACK, type FromFrame, type Show, type ToFrame } from './messages'

// WebRTC sends packets past every policy. A frame inside this one has another origin, out of reach, and runs no script but this
// one, which takes it away there too.
for (const name of ['RTCPeerConnection', 'webkitRTCPeerConnection']) Reflect.deleteProperty(globalThis, name)

const page = window.parent // before code of an artifact can change what the name means
const send = page.postMessage.bind(page)
// A frame that came as text (app.ts) has no address; who wrote the text is its parent.
const isInside = location.protocol === 'about:'
// The address in the document's bar, which a sandbox does not change: only the server's own page may speak.
const home = location.origin

const tell = (m: FromFrame) => send(m, isInside ? '*' : home)

// The first error counts: later ones are often its consequences.
let hasFailed = false

export function fail(e: unknown) {
	if (hasFailed) return
	hasFailed = true
	const words = e instanceof Error ? `${e.name}: ${e.message}` : String(e)
	const stack = e instanceof Error ? String(e.stack ?? '') : ''
	tell({ argus: 'error', message: words.slice(0, MAX_MESSAGE), stack: stack.slice(0, MAX_STACK) })
	const note = document.createElement('p')
	note.className = 'argus-error'
	note.textContent = words
	document.body.replaceChildren(note)
}

interface Frame {
	show: (s: Show) => void | Promise<void> // draws, or draws again
	svg: () => string | Promise<string> // of what is drawn; "" = none
}

// An SVG as a PNG, twice as large as on the screen.
async function toPng(svg: string): Promise<string> {
	const image = new Image()
	image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`
	await image.decode()
	const canvas = document.createElement('canvas')
	canvas.width = Math.min(image.width * 2, 8000)
	canvas.height = Math.min(image.height * 2, 8000)
	const c = canvas.getContext('2d')!
	c.fillStyle = '#fff'
	c.fillRect(0, 0, canvas.width, canvas.height)
	c.drawImage(image, 0, 0, canvas.width, canvas.height)
	return canvas.toDataURL('image/png')
}

// The first SVG that is on the screen, as a file that needs nothing else.
export function svgOf(root: ParentNode): string {
	const found = [...root.querySelectorAll('svg')].map(s => ({ s, box: s.getBoundingClientRect() }))
	const largest = found.sort((a, b) => b.box.width * b.box.height - a.box.width * a.box.height)[0]
	if (!largest) return ''
	const copy = largest.s.cloneNode(true) as SVGElement
	copy.setAttribute('xmlns', 'http://www.w3.org/2000/svg')
	copy.setAttribute('width', String(Math.round(largest.box.width)))
	copy.setAttribute('height', String(Math.round(largest.box.height)))
	return new XMLSerializer().serializeToString(copy)
}

export function serve(frame: Frame) {
	addEventListener('error', e => fail(e.error ?? e.message))
	addEventListener('unhandledrejection', e => fail(e.reason))
	addEventListener('message', async (e: MessageEvent<ToFrame>) => {
		if (e.source !== page || (!isInside && e.origin !== home)) return
		const m = e.data
		try {
			if (m.argus === 'show') {
				document.documentElement.dataset.theme = m.theme
				hasFailed = false
				await frame.show(m)
				if (!hasFailed) tell({ argus: 'shown' })
			} else if (m.argus === 'picture') {
				const svg = hasFailed ? '' : await frame.svg()
				tell({ argus: 'picture', picture: m.as === 'svg' || !svg ? svg : await toPng(svg) })
			}
		} catch (error) {
			if (m.argus === 'show') fail(error)
			else tell({ argus: 'picture', picture: '' })
		}
	})
	if (isInside) {
		const root = document.documentElement
		// Here "#part" would be an address of the document around this one, and the frame would be led away.
		addEventListener('click', e => {
			const to = (e.target as Element).closest?.('a[href^="#"]')?.getAttribute('href')
			if (!to) return
			e.preventDefault()
			document.getElementById(decodeURIComponent(to.slice(1)))?.scrollIntoView()
		})
		new ResizeObserver(() => tell({ argus: 'size', height: Math.ceil(root.getBoundingClientRect().height) })).observe(root)
	}
	tell({ argus: 'ready' })
}
