// The screen of /audits/fields: the fields of a collection, without an audit.
import { useQuery } from '@tanstack/react-query'
import { Link, useSearch } from '@tanstack/react-router'
import { ArrowLeft } from 'lucide-react'
import { useEffect } from 'react'
import { ScrolledList } from '../shared/list'
import { ProblemNote } from '../shared/problem'
import { audits } from './api'
import { Documents } from './documents'
import { Fields } from './fields'
import { count, many } from './marks'

export interface FieldsOf {
	project?: string
	collection?: string
	upload?: string
}

export function FieldsScreen() {
	const of = useSearch({ strict: false }) as FieldsOf
	const name = of.upload ?? of.collection ?? ''
	const fields = useQuery({ queryKey: ['fields', of], queryFn: () => audits.inspect(of.project ?? '', of), staleTime: 60000 })
	useEffect(() => {
		document.title = `Fields of ${name} · Argus`
	}, [name])
	const f = fields.data
	return (
		<div className="mx-auto flex h-full w-full max-w-5xl flex-col gap-3 p-4">
			<div className="flex flex-wrap items-center gap-3">
				<Link to="/audits" aria-label="All audits" title="All audits" className="grid size-9 place-items-center rounded-md text-quiet hover:bg-sunk hover:text-text">
					<ArrowLeft aria-hidden className="size-5" />
				</Link>
				<h2 className="min-w-0 text-lg font-semibold break-all">
					Fields of <span className="font-mono">{name}</span>
				</h2>
				{f && (
					<span className="text-sm text-quiet">
						{f.documents_sampled < f.collection_size ? `a sample of ${count(f.documents_sampled)}, of ` : ''}
						{many(f.collection_size, 'document')}
					</span>
				)}
			</div>
			{fields.error && <ProblemNote error={fields.error} />}
			{fields.isPending && <p className="text-quiet">Each document is read …</p>}
			{f && (
				<Documents source={{ project: of.project ?? '', collection: of.collection, upload: of.upload }}>
					<Fields of={f.distributions} total={f.documents_sampled} masked={f.masked} list={ScrolledList} />
				</Documents>
			)}
		</div>
	)
}
