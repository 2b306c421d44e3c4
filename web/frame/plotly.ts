// The frame of a Plotly artifact: a specification in JSON, so nothing of it is code.
import Plotly from 'plotly.js-strict-dist-min'
import { serve } from './channel'
import type { Show } from './messages'

type Json = null | boolean | number | string | Json[] | { [key: string]: Json }

// "{{sales.total}}" is the column total of the query sales, as a list; "{{n}}" a member of the data.
function filled(v: Json, data: Record<string, unknown>): Json {
	if (Array.isArray(v)) return v.map(x => filled(x, data))
	if (v && typeof v === 'object') return Object.fromEntries(Object.entries(v).map(([k, x]) => [k, filled(x, data)]))
	const path = typeof v === 'string' ? /^\{\{([^{}]+)\}\}$/.exec(v.trim())?.[1]?.trim() : undefined
	if (!path) return v
	if (Object.hasOwn(data, path)) return data[path] as Json
	const dot = path.indexOf('.')
	const rows = dot > 0 && Object.hasOwn(data, path.slice(0, dot)) ? data[path.slice(0, dot)] : undefined
	if (!Array.isArray(rows)) throw new Error(`there is no data "${path}"`)
	const column = path.slice(dot + 1)
	if (rows.length && !rows.some(r => Object.hasOwn(r as object, column))) throw new Error(`the rows of "${path.slice(0, dot)}" have no "${column}"`)
	return rows.map(r => (r as Record<string, Json>)[column] ?? null)
}

const colours = {
	light: { font: '#1c1d1f', grid: '#dcdcd7', back: '#ffffff' },
	dark: { font: '#ececea', grid: '#363a40', back: '#1c1e21' },
}

async function show({ code, data, theme }: Show) {
	let spec: { data?: Json[]; layout?: Record<string, Json> }
	try {
		const made = filled(JSON.parse(code) as Json, data)
		spec = (Array.isArray(made) ? { data: made } : made) as typeof spec
	} catch (e) {
		if (e instanceof SyntaxError) throw new Error(`the specification is not JSON: ${e.message}`)
		throw e
	}
	const traces = [...(Array.isArray(spec?.data) ? spec.data : []), ...(Array.isArray(data.traces) ? data.traces : [])]
	if (!traces.length) throw new Error('the specification has no traces: want {"data": [...], "layout": {...}}')
	const known = Object.keys(Plotly.PlotSchema.get().traces)
	for (const t of traces as { type?: string }[])
		if (t.type && !known.includes(t.type)) throw new Error(`there is no trace of the type "${t.type}"`)
	const { font, grid, back } = colours[theme]
	const axis = { gridcolor: grid, zerolinecolor: grid, linecolor: grid, automargin: true, ticks: 'outside', tickcolor: back, ticklen: 6 }
	// What the specification says comes later, and counts.
	const template = {
		layout: {
			font: { color: font, family: 'ui-sans-serif, system-ui, sans-serif' },
			paper_bgcolor: back,
			plot_bgcolor: back,
			xaxis: axis,
			yaxis: axis,
			colorway: ['#0b8a80', '#d9822b', '#7c5cc4', '#3b7dd8', '#c4457a', '#6b8e23', '#b3261e', '#5b5e63'],
			margin: { l: 56, r: 24, t: 56, b: 48 },
		},
	}
	let paper = document.getElementById('paper')
	if (!paper) {
		paper = Object.assign(document.createElement('div'), { id: 'paper' })
		document.body.replaceChildren(paper)
	}
	paper.className = 'chart'
	const { width: _w, height: _h, ...layout } = spec?.layout ?? {}
	// Saving a picture from inside is forbidden to the frame; the page does it.
	await Plotly.react(paper, traces, { template, autosize: true, ...layout }, { responsive: true, displaylogo: false, modeBarButtonsToRemove: ['toImage'] })
}

async function svg() {
	const paper = document.getElementById('paper')
	if (!paper) return ''
	const address: string = await Plotly.toImage(paper, { format: 'svg', width: paper.clientWidth, height: paper.clientHeight })
	return decodeURIComponent(address.slice(address.indexOf(',') + 1))
}

serve({ show, svg })
