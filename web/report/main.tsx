// A report: draws the data inside the document in place of its plain form, and asks no server. Without data it is a frame of MCP Apps,
// and the host hands it the result of an audit.
import './report.css'
import { createRoot } from 'react-dom/client'
import { connect, report, wordsOf } from '../shared/app_host'
import { visibly } from '../shared/visible'
import { Inspected, Reports } from './page'
import type { Saved, SavedReport } from './types'
import { whole } from './whole'

const MOST = 900 // pixels in a host: a longer report scrolls
const page = document.getElementById('page')!
page.replaceChildren()
const root = createRoot(page)
const draw = (saved: Saved) => root.render('inspected' in saved ? <Inspected of={saved.inspected} /> : <Reports of={saved} />)
const say = (text: string) => root.render(<p className="p-4 break-words whitespace-pre-wrap">{text}</p>)

function asFrame() {
	addEventListener('error', e => report(`report: ${e.message}`))
	say('The audit runs …')
	connect(
		{
			onInput: input => say(typeof input.collection === 'string' ? `Auditing ${input.collection} …` : 'The audit runs …'),
			onResult: r => {
				const found = JSON.parse(JSON.stringify(r.structuredContent ?? {}), visibly) as SavedReport & { view?: { words?: string } }
				if (found.view) draw(whole({ reports: [{ ...found, words: found.view.words ?? '' }], left_out: [] }))
				else say(wordsOf(r))
			},
			onCancelled: reason => say(`The audit was cancelled${reason && `: ${reason}`}.`),
			onContext: () => {},
		},
		MOST,
	)
}

const saved = JSON.parse(document.getElementById('data')!.textContent, visibly) as Saved | null
if (saved) {
	const dark = matchMedia('(prefers-color-scheme: dark)')
	const light = () => (document.documentElement.dataset.theme = dark.matches ? 'dark' : 'light')
	dark.addEventListener('change', light)
	light()
	draw(whole(saved))
} else {
	asFrame()
}
