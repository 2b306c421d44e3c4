// A CSV file becomes a table that can be asked about: chosen, looked at, sent, and then what came of it.
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { DropFile, Progress, type Sent } from '../shared/drop_file'
import { ProblemNote } from '../shared/problem'
import { Button } from '../shared/ui'
import { type ImportedTable, type Project, manage } from './api'
import { Sure, field } from './parts'

const MAX_BYTES = 50 << 20
const LOOKED_AT = 64 << 10
const COLUMNS = 50 // of the sample that is drawn
const numbers = new Intl.NumberFormat()
const many = (n: number, word: string) => `${numbers.format(n)} ${word}${n === 1 ? '' : 's'}`
const size = (n: number) => new Intl.NumberFormat(undefined, { style: 'unit', unit: n < 1e6 ? 'kilobyte' : 'megabyte', maximumFractionDigits: 1 }).format(n / (n < 1e6 ? 1e3 : 1e6))
const cell = (v: unknown) => (v === null || v === undefined ? '' : String(v))

// The first lines as they are: how a file is separated and typed is the server's business.
function Beginning({ file }: { file: File }) {
	const text = useQuery({ queryKey: ['beginning', file.name, file.size, file.lastModified], queryFn: async () => file.slice(0, LOOKED_AT).text() })
	const lines = (text.data ?? '').split(/\r?\n/).slice(0, 6)
	if (!text.data) return null
	return (
		<pre tabIndex={0} role="region" aria-label={`The first lines of ${file.name}`} className="max-h-44 overflow-auto rounded-md bg-sunk px-3 py-2 font-mono text-xs">
			{lines.map(l => (l.length > 400 ? `${l.slice(0, 400)} …` : l)).join('\n')}
		</pre>
	)
}

function Made({ of: t, onOther }: { of: ImportedTable; onOther: () => void }) {
	const store = useQueryClient()
	const undo = useMutation({
		mutationFn: () => manage.dropTable(t.project, t.table),
		onSuccess: () => {
			void store.invalidateQueries({ queryKey: ['dictionary', t.project] })
			onOther()
		},
	})
	const shown = t.columns.slice(0, COLUMNS)
	return (
		<section aria-label={`The table ${t.table}`} className="space-y-3">
			<p role="status">
				The table <code className="font-mono font-semibold">{t.table}</code> is in the project <b>{t.project_name || t.project}</b>: {many(t.rows, 'row')}, {many(t.columns.length, 'column')}.
				{t.replaced && ' A table of this name was replaced.'}
			</p>
			{t.short_rows > 0 && <p className="text-warn">{many(t.short_rows, 'row')} had fewer cells than the header: the missing ones are empty.</p>}
			{t.renamed > 0 && <p className="text-sm text-quiet">{t.renamed === 1 ? 'One column has' : `${numbers.format(t.renamed)} columns have`} a simpler name than in the file, so that SQL can use it.</p>}
			<div tabIndex={0} role="region" aria-label="Columns, types and first rows" className="overflow-x-auto rounded-lg border border-line bg-panel">
				<table className="min-w-full text-sm">
					<thead>
						<tr className="border-b border-line text-left align-top">
							{shown.map(c => (
								<th key={c.name} scope="col" className="px-3 py-2 font-normal whitespace-nowrap" title={c.heading}>
									<span className="block font-mono font-semibold">{c.name}</span>
									<span className="text-xs text-quiet">{c.type.toLowerCase()}</span>
								</th>
							))}
						</tr>
					</thead>
					<tbody>
						{t.first.map((row, i) => (
							<tr key={i} className="border-b border-line last:border-0">
								{row.slice(0, COLUMNS).map((v, k) => (
									<td key={k} className={`max-w-56 truncate px-3 py-1 font-mono ${typeof v === 'number' ? 'text-right tabular-nums' : ''}`}>
										{cell(v)}
									</td>
								))}
							</tr>
						))}
					</tbody>
				</table>
			</div>
			{t.columns.length > COLUMNS && (
				<p className="text-sm text-quiet">
					The first {COLUMNS} of {numbers.format(t.columns.length)} columns. The <Link to="/manage/$part" params={{ part: 'dictionary' }} className="text-accent underline">dictionary</Link> has all of them.
				</p>
			)}
			<div className="flex flex-wrap items-center gap-2">
				<Link to="/" search={{ project: t.project }} className="inline-flex min-h-9 items-center rounded-md bg-accent px-3 text-sm text-on-accent">
					Ask about it
				</Link>
				<Button onClick={onOther}>Import another file</Button>
				<Sure label="Remove" name={t.table} busy={undo.isPending} onDo={() => undo.mutate()} />
			</div>
			{undo.error && <ProblemNote error={undo.error} />}
		</section>
	)
}

function Chosen({ file, projects, sent, onSend, onOther }: { file: File; projects: Project[]; sent: Sent | null; onSend: (to: { project: string } | { newProject: string }, table: string) => void; onOther: () => void }) {
	const fit = projects.filter(p => p.takes_tables)
	const [project, setProject] = useState(fit[0]?.id ?? '')
	const [name, setName] = useState(file.name.replace(/\.[^.]*$/, ''))
	const [table, setTable] = useState('')
	return (
		<form
			aria-label={`Import ${file.name}`}
			className="space-y-3 rounded-lg border border-line bg-panel p-4"
			onSubmit={e => {
				e.preventDefault()
				onSend(project ? { project } : { newProject: name.trim() }, table.trim())
			}}
		>
			<p className="break-all">
				<b>{file.name}</b>, {size(file.size)}
			</p>
			<Beginning file={file} />
			<div className="grid gap-3 sm:grid-cols-2">
				<label className="block text-sm">
					Project
					<select value={project} onChange={e => setProject(e.target.value)} className={`${field} block w-full text-base`}>
						<option value="">a new one</option>
						{fit.map(p => (
							<option key={p.id} value={p.id}>
								{p.name || p.id}
							</option>
						))}
					</select>
				</label>
				{!project && (
					<label className="block text-sm">
						Name of the new project
						<input required maxLength={100} value={name} onChange={e => setName(e.target.value)} className={`${field} block w-full text-base`} />
					</label>
				)}
				<label className="block text-sm">
					Name of the table
					<input maxLength={60} value={table} placeholder="as the file" onChange={e => setTable(e.target.value)} className={`${field} block w-full text-base`} />
				</label>
			</div>
			{project && <p className="text-sm text-quiet">A table of the same name is replaced.</p>}
			{sent && <Progress of={sent} />}
			<div className="flex flex-wrap gap-2">
				<Button type="submit" isMain disabled={sent !== null}>
					Import
				</Button>
				<Button disabled={sent !== null} onClick={onOther}>
					Another file
				</Button>
			</div>
		</form>
	)
}

export function Import({ projects }: { projects: Project[] }) {
	const store = useQueryClient()
	const [file, setFile] = useState<File | null>(null)
	const [sent, setSent] = useState<Sent | null>(null)
	const send = useMutation({
		mutationFn: ({ to, table }: { to: { project: string } | { newProject: string }; table: string }) => {
			setSent({ name: file!.name, share: 0 })
			return manage.importTable(to, table, file!, share => setSent({ name: file!.name, share }))
		},
		onSettled: () => {
			setSent(null)
			for (const queryKey of [['projects'], ['start'], ['dictionary']]) void store.invalidateQueries({ queryKey })
		},
	})
	const again = () => {
		setFile(null)
		send.reset()
	}
	const isTooLarge = file !== null && file.size > MAX_BYTES
	if (send.data) return <Made of={send.data} onOther={again} />
	return (
		<section aria-label="Import" className="space-y-4">
			<p className="text-sm text-quiet">
				A CSV file becomes a table that you ask about in a conversation. The first line has the names of the columns, with commas, semicolons, tabs or vertical bars between them; types follow from the values. The server keeps the table in a separate file and never writes to your databases.
			</p>
			{!file && (
				<DropFile
					label="CSV file to import"
					ends=".csv,.tsv,.txt,text/csv"
					hint="Drop a CSV file here: UTF-8, at most 50 MB."
					sent={null}
					busy={send.isPending}
					onFile={f => {
						send.reset()
						setFile(f)
					}}
				/>
			)}
			{file && !isTooLarge && (
				<Chosen key={`${file.name} ${file.size}`} file={file} projects={projects} sent={sent} onSend={(to, table) => send.mutate({ to, table })} onOther={again} />
			)}
			{file && isTooLarge && (
				<div role="alert" className="space-y-2 rounded-md bg-bad-soft px-3 py-2">
					<p>
						{file.name} has {size(file.size)}; at most 50 MB are imported. Split it, or import it on the server: argus import.
					</p>
					<Button onClick={again}>Another file</Button>
				</div>
			)}
			{send.error && <ProblemNote error={send.error} />}
		</section>
	)
}
