// The frame of a React artifact: its JSX is compiled here, with React, Recharts and the classes of Tailwind at hand.
import '@tailwindcss/browser'
import * as React from 'react'
import * as jsxRuntime from 'react/jsx-runtime'
import { type Root, createRoot } from 'react-dom/client'
import * as Recharts from 'recharts'
import { transform } from 'sucrase'
import { fail, serve, svgOf } from './channel'
import { functionOf } from './compiled'
import type { Show } from './messages'

const modules: Record<string, unknown> = { react: React, recharts: Recharts, 'react/jsx-runtime': jsxRuntime }
// The names that the code may use without an import.
const { default: _, ...reactNames } = React as typeof React & { default?: unknown }
const scope: Record<string, unknown> = { React, Recharts, ...reactNames, ...Recharts }
const names = Object.keys(scope).filter(n => /^[A-Za-z_$][\w$]*$/.test(n))
const COMPONENTS = ['App', 'Chart', 'Visualization', 'Dashboard', 'Report', 'ReportCard']

type Component = React.ComponentType<{ data: Record<string, unknown> }>

function load(name: string): unknown {
	const found = Object.hasOwn(modules, name) ? modules[name] : undefined
	if (!found) throw new Error(`cannot import "${name}": only react and recharts are here, and nothing comes from the network`)
	return found
}

function compile(code: string): Component {
	const js = transform(code, {
		transforms: ['jsx', 'typescript', 'imports'],
		jsxRuntime: 'automatic',
		production: true,
		filePath: 'artifact.jsx',
	}).code
	const last = COMPONENTS.map(n => `(typeof ${n} === 'function' && ${n})`).join(' || ')
	// A function inside, so that the code may declare the same names.
	const body = `return (function () {\n${js}\n;return exports.default || ${last} })()`
	const found: unknown = functionOf(['require', 'exports', ...names], body)(load, {}, ...names.map(n => scope[n]))
	if (!found) throw new Error('the code has no component: write "export default function App({ data })"')
	return found as Component
}

let root: Root | null = null
let drawn: { code: string; component: Component } | null = null

// Fails when a component throws while it is drawn, now or later.
class Guard extends React.Component<{ children: React.ReactNode }> {
	state = { hasFailed: false }
	static getDerivedStateFromError = () => ({ hasFailed: true })
	componentDidCatch(e: unknown) {
		fail(e)
	}
	render() {
		return this.state.hasFailed ? null : this.props.children
	}
}

function show({ code, data }: Show): Promise<void> {
	root?.unmount()
	const paper = document.createElement('div')
	paper.id = 'paper'
	document.body.replaceChildren(paper)
	root = createRoot(paper, { onCaughtError: () => {}, onUncaughtError: fail })
	if (drawn?.code !== code) drawn = { code, component: compile(code) }
	const One = drawn.component
	return new Promise(done => {
		const Told = () => {
			React.useEffect(done, [])
			return null
		}
		root!.render(
			<Guard>
				<One data={data} />
				<Told />
			</Guard>,
		)
		setTimeout(done, 1000) // a component that throws is never there
	})
}

serve({ show, svg: () => svgOf(document) })
