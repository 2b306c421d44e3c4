// Sends the bytes of a file, and says how many of them are on their way. XMLHttpRequest: fetch tells nothing of an upload.
import { Problem } from './api'

export function upload(method: 'PUT' | 'POST', path: string, file: File, type: string, onSent: (share: number) => void, headers: Record<string, string> = {}): Promise<string> {
	return new Promise((done, fail) => {
		const r = new XMLHttpRequest()
		r.open(method, path)
		r.setRequestHeader('Content-Type', type)
		for (const [name, value] of Object.entries(headers)) r.setRequestHeader(name, value)
		r.upload.onprogress = e => e.lengthComputable && onSent(e.loaded / e.total)
		r.onerror = () => fail(new Problem(0, 'The server cannot be reached.'))
		r.onload = () => {
			if (r.status < 300) return done(r.responseText)
			let told: { detail?: string; hint?: string; reference?: string } = {}
			try {
				told = JSON.parse(r.responseText) as typeof told
			} catch {
				// then the status says it alone
			}
			fail(new Problem(r.status, told.detail ?? '', told.hint, told.reference))
		}
		r.send(file)
	})
}
