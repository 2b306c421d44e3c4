// An artifact that tries every way out of its frame that its author knew. OUTSIDE and PORT are another server's address, which
// must hear nothing. Each result that begins with "refused" was refused.
const OUTSIDE = '{{outside}}'
const PORT = '{{port}}'

const wait = ms => new Promise(done => setTimeout(done, ms))
// Waits for an element to load or to fail.
const loads = (name, attributes) =>
	new Promise((done, refuse) => {
		const e = Object.assign(document.createElement(name), attributes)
		e.onload = () => done('loaded')
		e.onerror = () => refuse(new Error('not loaded'))
		document.body.append(e)
		setTimeout(() => refuse(new Error('nothing came')), 1500)
	})
const put = html => {
	const e = document.createElement('div')
	e.innerHTML = html
	document.body.append(e)
	return e
}
// A frame inside this one, with the frame's own script, the only one that may run: does it hand out what was taken away?
const nested = async html => {
	const f = document.createElement('iframe')
	f.srcdoc = html
	document.body.append(f)
	await wait(600)
	return f
}
const stun = make => {
	const c = make({ iceServers: [{ urls: `stun:127.0.0.1:${PORT}` }] })
	c.createDataChannel('x')
	return c.createOffer().then(o => c.setLocalDescription(o)).then(() => 'connected')
}

const ways = {
	'fetch of the API': () => fetch('/api/start').then(r => r.text()),
	'fetch of another host': () => fetch(OUTSIDE),
	'a request': () => new Promise((done, refuse) => {
		const x = new XMLHttpRequest()
		x.onload = () => done('loaded')
		x.onerror = () => refuse(new Error('not sent'))
		x.open('GET', OUTSIDE)
		x.send()
	}),
	'a beacon': async () => (navigator.sendBeacon(OUTSIDE, 'x'), 'refused if nothing was heard'),
	'a web socket': () => new Promise((done, refuse) => {
		const s = new WebSocket(OUTSIDE.replace('http', 'ws'))
		s.onopen = () => done('open')
		s.onerror = () => refuse(new Error('not open'))
	}),
	'server-sent events': () => new Promise((done, refuse) => {
		const s = new EventSource(OUTSIDE)
		s.onopen = () => done('open')
		s.onerror = () => refuse(new Error('not open'))
	}),
	'cookies': () => document.cookie,
	'storage': () => localStorage.getItem('argus-theme'),
	'session storage': () => sessionStorage.length,
	'a database': () => new Promise((done, refuse) => {
		const r = indexedDB.open('x')
		r.onsuccess = () => done('open')
		r.onerror = () => refuse(r.error)
	}),
	'the page': () => parent.document.body.textContent,
	'the page’s storage': () => parent.localStorage,
	'the element of the frame': () => frameElement.ownerDocument.title,
	'the page’s address': () => (top.location.href = OUTSIDE),
	'a link to the top': async () => {
		put(`<a target="_top" href="${OUTSIDE}">x</a>`).firstChild.click()
		return 'refused if nothing was heard'
	},
	'a link with a ping': async () => {
		put(`<a href="#x" ping="${OUTSIDE}">x</a>`).firstChild.click()
		return 'refused if nothing was heard'
	},
	'a window': () => open(OUTSIDE).closed,
	'a form': async () => {
		put(`<form method="post" action="${OUTSIDE}"><input name="a" value="b"></form>`).firstChild.submit()
		return 'refused if nothing was heard'
	},
	'an image': () => loads('img', { src: `${OUTSIDE}/x.png` }),
	'an image of the API': () => loads('img', { src: '/api/start' }),
	'a script': () => loads('script', { src: `${OUTSIDE}/x.js` }),
	'a script of the server': () => loads('script', { src: '/api/start' }),
	'a script inside': async () => {
		const s = document.createElement('script')
		s.textContent = 'globalThis.inside = 1'
		document.body.append(s)
		return globalThis.inside ? 'it ran' : 'refused'
	},
	'a handler in markup': async () => {
		put('<button onclick="globalThis.handled = 1">x</button>').firstChild.click()
		return globalThis.handled ? 'it ran' : 'refused'
	},
	'a module': () => new Function('u', 'return import(u)')(`${OUTSIDE}/x.mjs`),
	'a style sheet': () => loads('link', { rel: 'stylesheet', href: `${OUTSIDE}/x.css` }),
	'a style that asks': async () => {
		put(`<style>@import url(${OUTSIDE}/a.css); @font-face { font-family: x; src: url(${OUTSIDE}/f) } b { background: url(${OUTSIDE}/b); font-family: x }</style><b>x</b>`)
		return 'refused if nothing was heard'
	},
	'a film': () => loads('video', { src: `${OUTSIDE}/x.mp4`, autoplay: true }),
	'an object': async () => (put(`<object data="${OUTSIDE}"></object><embed src="${OUTSIDE}">`), 'refused if nothing was heard'),
	'hints': async () => {
		for (const rel of ['prefetch', 'preload', 'modulepreload', 'preconnect', 'dns-prefetch', 'manifest', 'icon'])
			document.head.append(Object.assign(document.createElement('link'), { rel, href: OUTSIDE, as: 'script' }))
		return 'refused if nothing was heard'
	},
	'speculation': async () => {
		const s = document.createElement('script')
		s.type = 'speculationrules'
		s.textContent = JSON.stringify({ prefetch: [{ urls: [OUTSIDE] }] })
		document.head.append(s)
		return 'refused if nothing was heard'
	},
	'a worker': () => new Promise((done, refuse) => {
		const w = new Worker(URL.createObjectURL(new Blob([`fetch("${OUTSIDE}").then(() => postMessage(1))`])))
		w.onmessage = () => done('it runs')
		w.onerror = () => refuse(new Error('refused'))
	}),
	'WebRTC': () => stun(o => new RTCPeerConnection(o)),
	'WebRTC by its old name': () => stun(o => new webkitRTCPeerConnection(o)),
	'WebRTC of an empty frame': async () => {
		const f = document.createElement('iframe')
		document.body.append(f)
		return stun(o => new f.contentWindow.RTCPeerConnection(o))
	},
	'WebRTC of a frame with a script': async () => {
		let heard = ''
		addEventListener('message', e => (heard = e.data?.rtc ?? heard))
		await nested('<script>parent.postMessage({ rtc: typeof RTCPeerConnection }, "*")</' + 'script>')
		return heard || 'refused: its script did not run'
	},
	'WebRTC of a frame with this script': async () => {
		let heard = ''
		addEventListener('message', e => (heard = e.data?.rtc ?? heard))
		const own = document.scripts[0].textContent
		const f = await nested(`<!doctype html><body><script>${own}</` + 'script>')
		f.contentWindow.postMessage({ argus: 'show', theme: 'light', data: {}, code: 'export default function App() { window.parent.postMessage({ rtc: typeof RTCPeerConnection }, "*"); return null }' }, '*')
		await wait(1500)
		return heard === '' || heard === 'undefined' ? `refused: ${heard || 'it did not run'}` : heard
	},
	'a picture of its own, saved': async () => {
		put('<a download="x.txt" href="data:text/plain,x">x</a>').firstChild.click()
		return 'refused if nothing was saved'
	},
	'a message in the page’s name': async () => {
		postMessage({ argus: 'show', theme: 'light', data: {}, code: 'export default () => "taken"' }, '*')
		parent.postMessage({ argus: 'picture', picture: 'x' }, '*')
		parent.postMessage({ argus: 'show', code: 'x' }, '*')
		await wait(300)
		return document.body.textContent.includes('taken') ? 'it was believed' : 'refused'
	},
}

export default function App() {
	const [said, setSaid] = React.useState({})
	React.useEffect(() => {
		const run = async () => {
			for (const [name, way] of Object.entries(ways)) {
				let words
				try {
					words = String(await Promise.race([way(), wait(4000).then(() => 'refused: nothing came of it')]))
				} catch (e) {
					words = `refused: ${e.message}`
				}
				setSaid(s => ({ ...s, [name]: words }))
			}
			setSaid(s => ({ ...s, end: 'refused' }))
		}
		run()
	}, [])
	return <pre data-said={JSON.stringify(said)}>{Object.keys(said).length} ways tried{said.end ? ', all' : ''}</pre>
}
