// What to audit: collections of the project's documents, or a file from this computer.
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { Trash2 } from 'lucide-react'
import { useState } from 'react'
import { DropFile, type Sent } from '../shared/drop_file'
import { ProblemNote } from '../shared/problem'
import { Button, IconButton } from '../shared/ui'
import { audits } from './api'
import { type Choice, Choices } from './choices'
import { many } from './marks'

const ENDS = '.ndjson,.jsonl,.json,.bson,.csv,.tsv'
const size = (n: number) => new Intl.NumberFormat(undefined, { style: 'unit', unit: n < 1e6 ? 'kilobyte' : 'megabyte', maximumFractionDigits: 1 }).format(n / (n < 1e6 ? 1e3 : 1e6))

export function NewAudit({ project }: { project: string }) {
	const store = useQueryClient()
	const navigate = useNavigate()
	const [choice, setChoice] = useState<Choice>({})
	const [sent, setSent] = useState<Sent | null>(null)
	const sources = useQuery({ queryKey: ['audit-sources', project], queryFn: () => audits.sources(project) })
	const refresh = () => {
		void store.invalidateQueries({ queryKey: ['audits'] })
		void store.invalidateQueries({ queryKey: ['audit-sources'] })
	}
	const begin = useMutation({
		mutationFn: (what: { collection?: string; upload?: string }) =>
			audits.start({
				project: project || undefined,
				...what,
				...choice,
			}),
		onSuccess: made => {
			refresh()
			if (made.length === 1) void navigate({ to: '/audits/$id', params: { id: made[0]!.id } })
		},
	})
	const send = useMutation({
		mutationFn: async (file: File) => {
			setSent({ name: file.name, share: 0 })
			await audits.upload(project, file, share => setSent({ name: file.name, share }))
			await begin.mutateAsync({ upload: file.name })
		},
		onSettled: () => {
			setSent(null)
			refresh()
		},
	})
	const drop = useMutation({ mutationFn: (name: string) => audits.dropUpload(project, name), onSuccess: refresh })
	const s = sources.data
	const busy = begin.isPending || send.isPending
	return (
		<section aria-label="New audit" className="space-y-4 rounded-lg border border-line bg-panel p-4">
			<h2 className="text-lg font-semibold">New audit</h2>
			{sources.error && <ProblemNote error={sources.error} />}
			{s?.problem && (
				<p role="alert" className="text-warn">
					The project’s documents cannot be listed: {s.problem}
				</p>
			)}
			{s && s.collections.length > 0 && (
				<div>
					<div className="flex flex-wrap items-center gap-2">
						<h3 className="font-medium">{many(s.collections.length, 'collection')} of the project</h3>
						{s.collections.length > 1 && (
							<Button disabled={busy} onClick={() => begin.mutate({})}>
								Audit all
							</Button>
						)}
					</div>
					<ul className="mt-1 max-h-60 space-y-1 overflow-y-auto">
						{s.collections.map(c => (
							<li key={c} className="flex items-center gap-2">
								<span className="min-w-0 grow truncate font-mono text-sm">{c}</span>
								<Link to="/audits/fields" search={{ project, collection: c }} className="text-sm text-accent underline">
									Fields<span className="sr-only"> of {c}</span>
								</Link>
								<Button disabled={busy} onClick={() => begin.mutate({ collection: c })} aria-label={`Audit ${c}`}>
									Audit
								</Button>
							</li>
						))}
					</ul>
				</div>
			)}
			<DropFile label="File to audit" ends={ENDS} hint="Drop a file here: NDJSON, JSON, BSON, CSV or TSV, at most 64 MB." sent={sent} busy={busy} onFile={file => send.mutate(file)} />
			{s && s.uploads.length > 0 && (
				<div>
					<h3 className="font-medium">Uploaded files</h3>
					<ul className="mt-1 max-h-60 space-y-1 overflow-y-auto">
						{s.uploads.map(u => (
							<li key={u.name} className="flex items-center gap-2">
								<span className="min-w-0 grow truncate font-mono text-sm" title={u.name}>{u.name}</span>
								<span className="text-sm whitespace-nowrap text-quiet">{size(u.bytes)}</span>
								<Link to="/audits/fields" search={{ project, upload: u.name }} className="text-sm text-accent underline">
									Fields<span className="sr-only"> of {u.name}</span>
								</Link>
								<Button disabled={busy} onClick={() => begin.mutate({ upload: u.name })} aria-label={`Audit ${u.name}`}>
									Audit
								</Button>
								<IconButton label={`Remove ${u.name}`} disabled={drop.isPending} onClick={() => drop.mutate(u.name)}>
									<Trash2 aria-hidden className="size-4" />
								</IconButton>
							</li>
						))}
					</ul>
				</div>
			)}
			<Choices project={project} value={choice} onChange={setChoice} />
			{begin.error && <ProblemNote error={begin.error} />}
			{send.error && !begin.error && <ProblemNote error={send.error} />}
			{drop.error && <ProblemNote error={drop.error} />}
		</section>
	)
}
