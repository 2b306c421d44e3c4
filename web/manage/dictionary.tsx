// The dictionary: schemas, tables and columns of the project's database with what people wrote about them. Only rows in sight are drawn.
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useVirtualizer } from '@tanstack/react-virtual'
import { ChevronDown, ChevronRight, RefreshCw, Search } from 'lucide-react'
import { useDeferredValue, useMemo, useRef, useState } from 'react'
import { ProblemNote } from '../shared/problem'
import { Button } from '../shared/ui'
import { type DictionaryColumn, type DictionaryTable, type Known, manage } from './api'
import { area, moment } from './parts'

const numbers = new Intl.NumberFormat()
const many = (n: number, word: string) => `${numbers.format(n)} ${word}${n === 1 ? '' : 's'}`

interface Notes {
	description?: string
	column_notes?: Record<string, string>
	[field: string]: unknown
}
type Row = { key: string; table: DictionaryTable; column?: DictionaryColumn }

const schemaOf = (t: DictionaryTable, usual: string) => (t.name.includes('.') ? t.name.slice(0, t.name.indexOf('.')) : usual)

// What is in sight of the tree: tables, and the columns of those that are open, or that the search finds.
function rowsOf(tables: DictionaryTable[], open: Set<string>, search: string, notes: Map<string, Known>): Row[] {
	const has = (...texts: (string | undefined)[]) => texts.some(t => t?.toLowerCase().includes(search))
	const rows: Row[] = []
	for (const t of tables) {
		const of = notes.get(t.name.toLowerCase())?.fields as Notes | undefined
		const columns = search ? t.columns.filter(c => has(c.name, c.comment, of?.column_notes?.[c.name])) : open.has(t.name) ? t.columns : []
		if (search && !columns.length && !has(t.name, t.comment, of?.description)) continue
		rows.push({ key: t.name, table: t })
		for (const c of columns) rows.push({ key: `${t.name}\n${c.name}`, table: t, column: c })
	}
	return rows
}

// The fields of the table's notes with this one changed; null = nothing is left of them.
function changed(table: DictionaryTable, old: Notes | undefined, column: string | undefined, text: string): Notes | null {
	const f: Notes = { ...old, column_notes: { ...old?.column_notes } }
	if (column === undefined) f.description = text
	else if (text) f.column_notes![column] = text
	else delete f.column_notes![column]
	const isEmpty = Object.keys(f.column_notes!).length === 0
	if (isEmpty) delete f.column_notes
	if (!f.description && isEmpty) return null
	return { ...f, description: f.description || table.comment || table.name }
}

function NoteForm({ project, of: r, known, onDone }: { project: string; of: Row; known: Known | undefined; onDone: () => void }) {
	const store = useQueryClient()
	const fields = known?.fields as Notes | undefined
	const column = r.column?.name
	const name = column === undefined ? r.table.name : `${r.table.name}.${column}`
	const [text, setText] = useState((column === undefined ? fields?.description : fields?.column_notes?.[column]) ?? '')
	const save = useMutation({
		mutationFn: async () => {
			const f = changed(r.table, fields, column, text.trim())
			if (f && known) await manage.changeKnown(project, 'table', known.id, f)
			else if (f) await manage.addKnown(project, 'table', r.table.name, f)
			else if (known) await manage.removeKnown(project, 'table', known.id)
		},
		onSuccess: async () => {
			await store.invalidateQueries({ queryKey: ['knowledge', project] })
			await store.invalidateQueries({ queryKey: ['table-notes', project] })
			onDone()
		},
	})
	return (
		<form
			className="mt-1 space-y-2"
			onSubmit={e => {
				e.preventDefault()
				save.mutate()
			}}
		>
			<textarea autoFocus rows={2} maxLength={column === undefined ? 20000 : 2000} aria-label={`Note on ${name}`} placeholder="What it means, where it comes from, what to mind" value={text} onChange={e => setText(e.target.value)} className={area} />
			<div className="flex gap-2">
				<Button type="submit" disabled={save.isPending}>
					Save
				</Button>
				<Button onClick={onDone}>Cancel</Button>
			</div>
			{save.error && <ProblemNote error={save.error} />}
		</form>
	)
}

interface RowProps {
	project: string
	of: Row
	usual: string
	known: Known | undefined
	isOpen: boolean
	isEdited: boolean
	mayNote: boolean
	onToggle: () => void
	onEdit: (is: boolean) => void
}

function TreeRow({ project, of: r, usual, known, isOpen, isEdited, mayNote, onToggle, onEdit }: RowProps) {
	const fields = known?.fields as Notes | undefined
	const c = r.column
	const written = c ? fields?.column_notes?.[c.name] : fields?.description
	const note = written === r.table.name ? undefined : written // stands where only columns have notes
	const name = c ? `${r.table.name}.${c.name}` : r.table.name
	const schema = schemaOf(r.table, usual)
	return (
		<div className={`border-b border-line px-2 py-1.5 ${c ? 'pl-9' : ''}`}>
			<div className="flex flex-wrap items-center gap-x-3 gap-y-1">
				{c ? (
					<span className="min-w-0 font-mono text-sm break-all">{c.name}</span>
				) : (
					<button type="button" aria-expanded={isOpen} aria-label={r.table.name} onClick={onToggle} className="flex min-h-7 min-w-0 items-center gap-1 font-mono text-sm font-semibold break-all">
						{isOpen ? <ChevronDown aria-hidden className="size-4 shrink-0" /> : <ChevronRight aria-hidden className="size-4 shrink-0" />}
						{r.table.name}
					</button>
				)}
				<span className="text-sm text-quiet">
					{c
						? [c.type, c.is_primary_key && 'key', !c.nullable && !c.is_primary_key && 'not null', c.is_sensitive && 'not shown to models'].filter(Boolean).join(', ')
						: [r.table.type !== 'table' && r.table.type.replaceAll('_', ' '), many(r.table.columns.length, 'column'), typeof r.table.row_count === 'number' && many(r.table.row_count, 'row'), schema !== usual && schema]
								.filter(Boolean)
								.join(' · ')}
				</span>
				{c && c.sample_values.length > 0 && <span className="min-w-0 truncate font-mono text-xs text-quiet">{c.sample_values.join(', ')}</span>}
				<span className="grow" />
				{mayNote && !isEdited && (
					<button type="button" aria-label={`${note ? 'Edit the note' : 'Write a note'} on ${name}`} onClick={() => onEdit(true)} className="rounded px-1.5 text-sm text-quiet underline hover:text-text">
						{note ? 'edit' : 'note'}
					</button>
				)}
			</div>
			{!isEdited && note && <p className="text-sm break-words">{note}</p>}
			{!isEdited && !note && (c ?? r.table).comment && <p className="text-sm break-words text-quiet">{(c ?? r.table).comment}</p>}
			{isEdited && <NoteForm project={project} of={r} known={known} onDone={() => onEdit(false)} />}
		</div>
	)
}

function Tree({ project, tables, usual, notes, mayNote, search }: { project: string; tables: DictionaryTable[]; usual: string; notes: Map<string, Known>; mayNote: boolean; search: string }) {
	const [open, setOpen] = useState<Set<string>>(new Set())
	const [edited, setEdited] = useState('')
	const rows = useMemo(() => rowsOf(tables, open, search, notes), [tables, open, search, notes])
	const box = useRef<HTMLDivElement>(null)
	const list = useVirtualizer({
		count: rows.length,
		getScrollElement: () => box.current,
		estimateSize: () => 40,
		overscan: 10,
		getItemKey: i => rows[i]!.key,
		initialRect: { width: 800, height: 800 },
	})
	const toggle = (name: string) => {
		const now = new Set(open)
		if (!now.delete(name)) now.add(name)
		setOpen(now)
	}
	if (!rows.length) return <p className="text-quiet">{search ? 'No table or column has these words.' : 'The database has no tables that the project may see.'}</p>
	return (
		<div ref={box} className="max-h-[65dvh] overflow-y-auto rounded-lg border border-line bg-panel" tabIndex={0} role="region" aria-label="Tables and columns">
			<div style={{ height: list.getTotalSize() }} className="relative">
				{list.getVirtualItems().map(v => {
					const r = rows[v.index]!
					return (
						<div key={v.key} data-index={v.index} ref={list.measureElement} className="absolute inset-x-0 top-0" style={{ transform: `translateY(${v.start}px)` }}>
							<TreeRow
								project={project}
								of={r}
								usual={usual}
								known={notes.get(r.table.name.toLowerCase())}
								isOpen={search !== '' || open.has(r.table.name)}
								isEdited={edited === r.key}
								mayNote={mayNote}
								onToggle={() => toggle(r.table.name)}
								onEdit={is => setEdited(is ? r.key : '')}
							/>
						</div>
					)
				})}
			</div>
		</div>
	)
}

export function Dictionary({ project, role }: { project: string; role: string | undefined }) {
	const store = useQueryClient()
	const [words, setWords] = useState('')
	const search = useDeferredValue(words.trim().toLowerCase())
	const dictionary = useQuery({ queryKey: ['dictionary', project], queryFn: () => manage.dictionary(project), staleTime: 60000 })
	const known = useQuery({ queryKey: ['table-notes', project], queryFn: () => manage.tableNotes(project) })
	const refresh = useMutation({ mutationFn: () => manage.refreshDictionary(project), onSuccess: () => store.invalidateQueries({ queryKey: ['dictionary', project] }) })
	const notes = useMemo(() => new Map((known.data ?? []).map(k => [k.name.toLowerCase(), k])), [known.data])
	const d = dictionary.data
	const ncolumn = d?.tables.reduce((n, t) => n + t.columns.length, 0) ?? 0
	return (
		<section aria-label="Dictionary" className="space-y-3">
			<div className="flex flex-wrap items-center gap-2">
				<label className="flex min-w-48 grow items-center gap-2 rounded-md border border-line bg-panel px-2 focus-within:border-accent sm:max-w-96">
					<Search aria-hidden className="size-4 text-quiet" />
					<input
						type="search"
						aria-label="Search tables and columns"
						placeholder={d ? `Search ${many(ncolumn, 'column')}` : 'Search'}
						value={words}
						onChange={e => setWords(e.target.value)}
						className="min-h-9 w-full min-w-0 bg-transparent placeholder:text-quiet focus:outline-none"
					/>
				</label>
				{(role === 'admin' || role === 'analyst') && (
					<Button disabled={refresh.isPending} onClick={() => refresh.mutate()}>
						<RefreshCw aria-hidden className={`size-4 ${refresh.isPending ? 'animate-spin' : ''}`} /> {refresh.isPending ? 'Reading the database …' : 'Refresh'}
					</Button>
				)}
			</div>
			{d && (
				<p className="text-sm text-quiet" role="status">
					{many(d.table_count, 'table')}, read {moment(d.generated_at)}
					{d.is_cut && '; there are more, which are left out'}
				</p>
			)}
			{[dictionary.error, known.error, refresh.error].map((e, i) => e && <ProblemNote key={i} error={e} />)}
			{dictionary.isPending && <p className="text-quiet">The database is read …</p>}
			{d && <Tree project={project} tables={d.tables} usual={d.schema} notes={notes} mayNote={role === 'admin'} search={search} />}
		</section>
	)
}
