// What questions of a project are answered from; for those who may choose it.
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { ProblemNote } from '../shared/problem'
import { Button } from '../shared/ui'
import { type Setup, questions } from './api'

const field = 'min-h-9 w-full rounded-md border border-line bg-panel px-2 font-mono text-sm focus:border-accent focus:outline-none'

export function Choose({ project, of }: { project: string; of: Setup }) {
	const store = useQueryClient()
	const [folder, setFolder] = useState(of.folder)
	const [api, setApi] = useState(of.api_base)
	const save = useMutation({
		mutationFn: () => questions.choose(project, folder.trim(), api.trim()),
		onSuccess: () => void store.invalidateQueries({ queryKey: ['ask-setup'] }),
	})
	return (
		<details open={!of.has_folder} className="rounded-lg border border-line bg-panel">
			<summary className="px-4 py-2 font-medium">Folder and API</summary>
			<form
				className="space-y-3 border-t border-line p-4"
				onSubmit={e => {
					e.preventDefault()
					save.mutate()
				}}
			>
				<label className="block">
					<span className="text-sm">Folder on the server, with documentation and code</span>
					<input list="ask-folders" value={folder} onChange={e => setFolder(e.target.value)} placeholder={of.folders[0] ?? ''} className={field} />
				</label>
				<datalist id="ask-folders">
					{of.folders.map(f => (
						<option key={f} value={f} />
					))}
				</datalist>
				<label className="block">
					<span className="text-sm">Address of a running HTTP API, which is only read</span>
					<input list="ask-apis" value={api} onChange={e => setApi(e.target.value)} placeholder={of.apis[0] ?? ''} className={field} />
				</label>
				<datalist id="ask-apis">
					{of.apis.map(a => (
						<option key={a} value={a} />
					))}
				</datalist>
				<p className="text-sm text-quiet">
					{of.folders.length ? `The server allows ${of.folders.join(', ')} and what is below.` : 'The server allows no folder. Its administrator sets ask_folders.'}{' '}
					{of.apis.length ? `It allows the API at ${of.apis.join(', ')}.` : 'It allows no API: that is ask_apis.'} Files with keys in them are never read.
				</p>
				<Button type="submit" disabled={save.isPending}>
					Save
				</Button>
				{save.isSuccess && (
					<span role="status" className="ml-2 text-good">
						Saved.
					</span>
				)}
				{save.error && <ProblemNote error={save.error} />}
			</form>
		</details>
	)
}
