// The evidence of a finding as text that a person runs: shown, and copied.
import { useState } from 'react'
import { CopyText } from '../shared/copy_text'
import { Button } from '../shared/ui'
import type { Finding } from './types'

export function Code({ text, label }: { text: string; label: string }) {
	const [isWhole, setWhole] = useState(false)
	const isLong = text.length > 600
	return (
		<div className="overflow-hidden rounded-md border border-line bg-sunk">
			<pre className="max-h-72 overflow-auto px-3 py-2 font-mono text-[0.82rem] break-all whitespace-pre-wrap" tabIndex={0} aria-label={label}>
				{isLong && !isWhole ? `${text.slice(0, 600)} …` : text}
			</pre>
			<div className="flex gap-2 border-t border-line bg-panel px-2 py-1.5">
				<CopyText text={text} label={`Copy ${label}`} />
				{isLong && <Button onClick={() => setWhole(!isWhole)}>{isWhole ? 'Show less' : 'Show all of it'}</Button>}
			</div>
		</div>
	)
}

export const shell = (collection: string, f: Finding) => {
	const at = /^[A-Za-z_][\w]*$/.test(collection) ? `db.${collection}` : `db.getCollection(${JSON.stringify(collection)})`
	const { filter, pipeline } = f.evidence_shell
	return filter ? `${at}.countDocuments(${filter})` : `${at}.aggregate(${pipeline ?? f.evidence_query})`
}
