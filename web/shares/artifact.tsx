// An artifact of a copy: drawn in the server's frame with the data of the copy, and where that data comes from.
import { ChevronRight } from 'lucide-react'
import { useMemo, useState } from 'react'
import { ArtifactFrame, type Failure } from '../artifacts/frame'
import { Sql } from '../shared/sql'
import { useTheme } from '../shared/theme'
import type { SharedArtifact } from './api'

const count = new Intl.NumberFormat()
const times = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' })

function Sources({ artifact }: { artifact: SharedArtifact }) {
	if (artifact.sources.length === 0) return <p className="text-sm text-quiet">It has no query: its data was written with it.</p>
	return (
		<details className="group text-sm">
			<summary className="flex list-none items-center gap-1 text-quiet hover:text-text">
				<ChevronRight aria-hidden className="size-4 transition-transform group-open:rotate-90" />
				Where its data comes from
			</summary>
			<div className="mt-2 space-y-4 border-l-2 border-line pl-3">
				{artifact.sources.map(s => (
					<section key={s.name} aria-label={s.name} className="space-y-2">
						<p className="text-quiet">
							<span className="font-medium text-text">{s.name}</span>: {count.format(s.row_count)} {s.row_count === 1 ? 'row' : 'rows'}
							{s.truncated && ' (cut)'}
							{s.at && (
								<>
									, read <time dateTime={s.at}>{times.format(new Date(s.at))}</time>
								</>
							)}
						</p>
						<Sql text={s.sql} />
					</section>
				))}
			</div>
		</details>
	)
}

// isAlone: it is all that the page shows, so it takes the window.
export function SharedArtifactView({ artifact, isAlone = false }: { artifact: SharedArtifact; isAlone?: boolean }) {
	const theme = useTheme()
	const [failure, setFailure] = useState<Failure | null>(null)
	const show = useMemo(() => ({ code: artifact.code, data: artifact.data, theme }), [artifact, theme])
	return (
		<section aria-label={artifact.title} className="flex grow flex-col gap-3">
			{!isAlone && <h2 className="font-semibold">{artifact.title}</h2>}
			{artifact.description && <p>{artifact.description}</p>}
			{failure && (
				<p role="alert" className="rounded-lg border border-bad/40 bg-bad-soft px-4 py-3">
					This artifact cannot be drawn: {failure.message}
				</p>
			)}
			<div className={`overflow-hidden rounded-lg border border-line ${failure ? 'hidden' : isAlone ? 'min-h-96 grow basis-[70vh] print:h-[22cm]' : 'h-104'}`}>
				<ArtifactFrame kind={artifact.type} title={artifact.title} show={show} onFailure={setFailure} handle={null} />
			</div>
			<p className="text-sm text-quiet">
				Version {artifact.version}, made by {artifact.author} <time dateTime={artifact.created_at}>{times.format(new Date(artifact.created_at))}</time>
			</p>
			<Sources artifact={artifact} />
		</section>
	)
}
