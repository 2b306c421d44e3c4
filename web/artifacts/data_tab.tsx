// What an artifact shows: the rows of its queries, as they were read for whoever looks, and its fixed data.
import type { Artifact, ArtifactData, QueryResult } from '../shared/api'
import { ResultTable } from '../shared/table'

const times = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' })

function Result({ result }: { result: QueryResult }) {
	const { columns, rows, at } = result
	return (
		<section aria-label={result.name} className="space-y-2">
			<h3 className="font-medium">{result.name}</h3>
			{result.error && <p className="rounded-md bg-bad-soft px-3 py-2 text-bad">{result.error}</p>}
			{result.truncated && <p className="text-warn">Only the first rows are here: the result was cut.</p>}
			{columns && rows && <ResultTable name={result.name} columns={columns} rows={rows} />}
			{at && (
				<p className="text-sm text-quiet">
					Read <time dateTime={at}>{times.format(new Date(at))}</time>, and kept for one minute.
				</p>
			)}
		</section>
	)
}

export function DataTab({ artifact, data }: { artifact: Artifact; data: ArtifactData }) {
	return (
		<div className="space-y-6 p-4">
			{data.results.map(r => (
				<Result key={r.name} result={r} />
			))}
			{artifact.data !== null && (
				<section className="space-y-2">
					<h3 className="font-medium">Fixed data</h3>
					<pre tabIndex={0} aria-label="Fixed data" className="max-h-96 overflow-auto rounded-md bg-sunk px-3 py-2 font-mono text-[13px]">
						{JSON.stringify(artifact.data, null, 1)}
					</pre>
				</section>
			)}
			{data.results.length === 0 && artifact.data === null && (
				<p className="text-quiet">Its figures are in its code: it has neither a query nor data.</p>
			)}
		</div>
	)
}
