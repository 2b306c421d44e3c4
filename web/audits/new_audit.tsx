// What to audit: collections of the project's documents, or a file from this computer.
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { Trash2 } from 'lucide-react'
import { useState } from 'react'
import { DropFile, type Sent } from '../shared/drop_file'
import { ProblemNote } from '../shared/problem'
import { Button, IconButton } from '../shared/ui'
import { type NewAudit as NewAuditBody, audits } from './api'
import { many } from './marks'

const ENDS = '.ndjson,.jsonl,.json,.bson,.csv,.tsv'
const size = (n: number) => new Intl.NumberFormat(undefined, { style: 'unit', unit: n < 1e6 ? 'kilobyte' : 'megabyte', maximumFractionDigits: 1 }).format(n / (n < 1e6 ? 1e3 : 1e6))

export function NewAudit({ project }: { project: string }) {
	const store = useQueryClient()
	const navigate = useNavigate()
	const [sent, setSent] = useState<Sent | null>(null)
	const [steps, setSteps] = useState('')
	const [minutes, setMinutes] = useState('')
	const [profile, setProfile] = useState<'' | NonNullable<NewAuditBody['eval_profile']>>('')
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
				...(profile ? { eval_profile: profile } : {}),
				...(Number(steps) > 0 ? { max_iterations: Number(steps) } : {}),
				...(Number(minutes) > 0 ? { max_seconds: Math.round(Number(minutes) * 60) } : {}),
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
			<details>
				<summary className="text-sm text-quiet">Profile and limits</summary>
				<label className="mt-1 flex flex-wrap items-center gap-2 text-sm">
					Findings are judged
					<select value={profile} onChange={e => setProfile(e.target.value as typeof profile)} className="min-h-9 rounded-md border border-line bg-panel px-2">
						<option value="">as the server is set</option>
						<option value="fast">fast: by rules alone</option>
						<option value="balanced">balanced: a model checks itself</option>
						<option value="thorough">thorough: a judge checks the model</option>
					</select>
				</label>
				<label className="mt-1 flex flex-wrap items-center gap-2 text-sm">
					At most
					<input
						type="number"
						min={1}
						max={10000}
						value={steps}
						placeholder="all"
						onChange={e => setSteps(e.target.value)}
						className="min-h-9 w-24 rounded-md border border-line bg-panel px-2"
					/>
					steps
				</label>
				<label className="mt-1 flex flex-wrap items-center gap-2 text-sm">
					At most
					<input
						type="number"
						min={1}
						max={1440}
						value={minutes}
						placeholder="any"
						onChange={e => setMinutes(e.target.value)}
						className="min-h-9 w-24 rounded-md border border-line bg-panel px-2"
					/>
					minutes
				</label>
			</details>
			{begin.error && <ProblemNote error={begin.error} />}
			{send.error && !begin.error && <ProblemNote error={send.error} />}
			{drop.error && <ProblemNote error={drop.error} />}
		</section>
	)
}
