// In an answer: what was drawn, and the way to it.
import { ChartNoAxesCombined, PanelRightOpen } from 'lucide-react'
import type { Drawn } from '../chat/types'
import { kindWords } from './kinds'
import { useOpen } from './place'

export function ArtifactCard({ drawn, project }: { drawn: Drawn; project: string }) {
	const open = useOpen()
	return (
		<button
			type="button"
			disabled={!project}
			onClick={() => open(project, drawn.artifact_id)}
			className="flex w-full items-center gap-3 rounded-lg border border-line bg-panel px-4 py-3 text-left hover:border-accent disabled:opacity-60"
		>
			<ChartNoAxesCombined aria-hidden className="size-6 shrink-0 text-accent" />
			<span className="min-w-0 grow">
				<span className="block truncate font-medium">
					<span className="sr-only">Open </span>
					{drawn.title}
				</span>
				<span className="block text-sm text-quiet">
					{kindWords(drawn.type)}, version {drawn.version}
				</span>
			</span>
			<PanelRightOpen aria-hidden className="size-5 shrink-0 text-quiet" />
		</button>
	)
}
