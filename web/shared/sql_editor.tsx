// A field for SQL: colours, and names of tables and columns while they are typed. Loaded only where SQL is edited.
//
// It lives in a shadow tree: there CodeMirror's rules are sheets of its own; in the document they would be <style> elements, which
// the page's policy refuses. Tab leaves it, as each field, unless names are offered.
import { acceptCompletion, autocompletion, closeBrackets, closeBracketsKeymap, completeFromList, completionKeymap, completionStatus, moveCompletionSelection, selectedCompletionIndex } from '@codemirror/autocomplete'
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands'
import { PostgreSQL, type SQLNamespace, schemaCompletionSource } from '@codemirror/lang-sql'
import { HighlightStyle, LanguageSupport, bracketMatching, syntaxHighlighting } from '@codemirror/language'
import { Compartment, EditorState, Prec } from '@codemirror/state'
import { EditorView, keymap, placeholder } from '@codemirror/view'
import { tags } from '@lezer/highlight'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useMemo, useRef } from 'react'
import { type DictionaryTable, manage } from '../manage/api'
import { WORDS } from './sql'

// The colours of the page, which change with its theme.
const colours = HighlightStyle.define([
	{ tag: [tags.keyword, tags.operatorKeyword, tags.modifier], color: 'var(--key)', fontWeight: '600' },
	{ tag: [tags.string, tags.special(tags.string)], color: 'var(--lit)' },
	{ tag: [tags.number, tags.bool, tags.null], color: 'var(--num)' },
	{ tag: [tags.lineComment, tags.blockComment], color: 'var(--quiet)', fontStyle: 'italic' },
])
const look = EditorView.theme({
	'&': { color: 'var(--text)', fontSize: '13px' },
	'&.cm-focused': { outline: 'none' },
	'.cm-scroller': { fontFamily: "ui-monospace, 'SF Mono', Menlo, Consolas, 'DejaVu Sans Mono', monospace", lineHeight: '1.5', maxHeight: '15rem' },
	'.cm-content': { padding: '6px 0', caretColor: 'var(--text)', minHeight: 'var(--sql-least, 1.5em)' },
	'.cm-line': { padding: '0 8px' },
	'.cm-placeholder': { color: 'var(--quiet)' },
	'&.cm-focused .cm-matchingBracket': { backgroundColor: 'var(--accent-soft)', outline: '1px solid var(--accent)' },
	'.cm-tooltip': { backgroundColor: 'var(--panel)', border: '1px solid var(--line)', borderRadius: '8px', overflow: 'hidden', zIndex: '30' },
	'.cm-tooltip.cm-tooltip-autocomplete > ul': { fontFamily: 'inherit', maxHeight: '14rem' },
	'.cm-tooltip.cm-tooltip-autocomplete > ul > li': { padding: '3px 8px' },
	'.cm-tooltip.cm-tooltip-autocomplete > ul > li[aria-selected]': { backgroundColor: 'var(--accent-soft)', color: 'var(--text)' },
	'.cm-completionDetail': { color: 'var(--quiet)', fontStyle: 'normal', marginLeft: '1em' },
	'.cm-completionMatchedText': { textDecoration: 'none', fontWeight: '600' },
})

function namesOf(tables: DictionaryTable[]): SQLNamespace {
	const out: Record<string, SQLNamespace> = {}
	for (const t of tables) {
		out[t.name] = {
			self: { label: t.name, type: 'type', detail: t.type },
			children: t.columns.map(c => ({ label: c.name, type: 'property', detail: c.type })),
		}
	}
	return out
}

// Names of the database before words of the language, of which only those are offered that a question needs.
const words = completeFromList(WORDS.split('|').map(label => ({ label, type: 'keyword', boost: -50 })))
const languageOf = (tables: DictionaryTable[]) =>
	new LanguageSupport(PostgreSQL.language, [
		PostgreSQL.language.data.of({ autocomplete: schemaCompletionSource({ dialect: PostgreSQL, schema: namesOf(tables) }) }),
		PostgreSQL.language.data.of({ autocomplete: words }),
	])

// Tab takes the name that is chosen, or the first; without a list it leaves the field.
function takeName(view: EditorView): boolean {
	if (completionStatus(view.state) !== 'active') return false
	if (selectedCompletionIndex(view.state) === null) moveCompletionSelection(true)(view)
	return acceptCompletion(view)
}

// What is typed over selected lines: the browser would join them by a style of its own, which the page's policy refuses.
function typeOver(e: InputEvent, view: EditorView): boolean {
	if (e.inputType !== 'insertText' || !e.data || view.composing || view.state.selection.main.empty) return false
	view.dispatch({ ...view.state.replaceSelection(e.data), userEvent: 'input.type' })
	e.preventDefault()
	return true
}

interface Props {
	value: string
	onChange: (text: string) => void
	project: string // whose tables are offered
	label: string
	hint?: string // of the empty field
	max?: number // characters
	rows?: number // that it has at least
	isFocused?: boolean // from the beginning, behind its text
	onEnter?: () => void // Enter without Shift; else it begins a line
	onLeave?: () => void // Escape, or Backspace in the empty field
}

export default function SqlEditor({ value, onChange, project, label, hint, max = 10000, rows = 1, isFocused, onEnter, onLeave }: Props) {
	const host = useRef<HTMLDivElement>(null)
	const view = useRef<EditorView>(null)
	const language = useMemo(() => new Compartment(), [])
	const now = useRef({ onChange, onEnter, onLeave })
	now.current = { onChange, onEnter, onLeave }
	const dictionary = useQuery({ queryKey: ['dictionary', project], queryFn: () => manage.dictionary(project), staleTime: 60000, enabled: project !== '', retry: false })
	useEffect(() => {
		const root = host.current!.shadowRoot ?? host.current!.attachShadow({ mode: 'open', delegatesFocus: true })
		const enter = () => (now.current.onEnter ? (now.current.onEnter(), true) : false)
		const leave = () => (now.current.onLeave ? (now.current.onLeave(), true) : false)
		const made = new EditorView({
			root,
			parent: root,
			state: EditorState.create({
				doc: value,
				selection: { anchor: value.length },
				extensions: [
					// Enter takes a name only when one was chosen with the arrows: else it ends the statement. The field is at the bottom of the page.
					autocompletion({ icons: false, defaultKeymap: false, selectOnOpen: false, interactionDelay: 0, aboveCursor: true }),
					Prec.highest(keymap.of([{ key: 'Tab', run: takeName }, ...completionKeymap])),
					Prec.high(
						keymap.of([
							{ key: 'Enter', run: enter },
							{ key: 'Escape', run: leave },
							{ key: 'Backspace', run: v => v.state.doc.length === 0 && leave() },
						]),
					),
					history(),
					bracketMatching(),
					closeBrackets(),
					keymap.of([...closeBracketsKeymap, ...defaultKeymap, ...historyKeymap]),
					language.of(languageOf([])),
					syntaxHighlighting(colours),
					look,
					EditorView.domEventHandlers({ beforeinput: typeOver }),
					EditorView.lineWrapping,
					placeholder(hint ?? ''),
					EditorView.contentAttributes.of({ 'aria-label': label, 'aria-description': 'Tab takes a name that is offered, else it leaves the field. Escape closes the list of names.', autocapitalize: 'off' }),
					EditorState.changeFilter.of(change => change.newDoc.length <= max),
					EditorView.updateListener.of(u => u.docChanged && now.current.onChange(u.state.doc.toString())),
				],
			}),
		})
		view.current = made
		if (isFocused) made.focus()
		return () => made.destroy()
	}, [])
	useEffect(() => {
		const v = view.current!
		const before = v.state.doc.toString()
		if (value !== before) v.dispatch({ changes: { from: 0, to: before.length, insert: value }, selection: { anchor: value.length } })
	}, [value])
	useEffect(() => {
		if (dictionary.data) view.current!.dispatch({ effects: language.reconfigure(languageOf(dictionary.data.tables)) })
	}, [dictionary.data])
	return <div ref={host} data-sql-editor className="min-w-0 grow" style={{ '--sql-least': `${rows * 1.5}em` } as React.CSSProperties} />
}
