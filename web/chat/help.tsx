// What can be typed, and the keys.
import { useRef } from 'react'
import { Dialog } from '../shared/dialog'
import { Button } from '../shared/ui'
import { COMMANDS } from './commands'

const KEYS: [string, string][] = [
	['Enter', 'ask'],
	['Shift Enter', 'begin a new line'],
	['↑ in an empty field', 'change the last question'],
	['Ctrl F', 'find words in a long conversation; twice: the browser’s own search'],
	['Page Up, Page Down', 'from message to message, once one has the focus'],
	['Ctrl K', 'commands and conversations'],
]

export default function Help({ onClose }: { onClose: () => void }) {
	const dialog = useRef<HTMLDialogElement>(null)
	return (
		<Dialog handle={dialog} labelledBy="help-title" onClose={onClose} className="m-auto w-[min(36rem,calc(100vw-2rem))] p-5">
			<h2 id="help-title" className="text-lg font-semibold">
				What you can type
			</h2>
			<dl className="mt-3 grid grid-cols-[auto_1fr] gap-x-4 gap-y-1.5 text-sm">
				{COMMANDS.map(c => (
					<div key={c.name} className="contents">
						<dt className="font-mono text-[13px] whitespace-nowrap text-key">
							/{c.name} <span className="text-quiet">{c.argument}</span>
						</dt>
						<dd>{c.help}</dd>
					</div>
				))}
			</dl>
			<p className="mt-3 text-sm text-quiet">Everything else is a question.</p>
			<h3 className="mt-4 font-semibold">Keys</h3>
			<dl className="mt-2 grid grid-cols-[auto_1fr] gap-x-4 gap-y-1.5 text-sm">
				{KEYS.map(([key, what]) => (
					<div key={key} className="contents">
						<dt>
							<kbd className="rounded border border-line bg-sunk px-1.5 py-0.5 text-xs">{key}</kbd>
						</dt>
						<dd>{what}</dd>
					</div>
				))}
			</dl>
			<Button autoFocus className="mt-5" onClick={() => dialog.current?.close()}>
				Close
			</Button>
		</Dialog>
	)
}
