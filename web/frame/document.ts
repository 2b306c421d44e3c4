// The frame of Markdown, HTML and SVG: a document that the server has written anew from an allow-list. It runs nothing, and the
// frame's policy would refuse a script that was left in.
import { serve, svgOf } from './channel'
import type { Show } from './messages'

function show({ code }: Show) {
	const made = new DOMParser().parseFromString(code, 'text/html')
	const paper = Object.assign(document.createElement('main'), { id: 'paper', className: 'prose' })
	paper.append(...made.body.childNodes)
	document.body.replaceChildren(paper)
}

serve({ show, svg: () => svgOf(document) })
