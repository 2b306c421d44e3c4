// The messages of a copy, as its user saw them.
import { ChartNoAxesCombined } from 'lucide-react'
import { useCallback, useState } from 'react'
import { MessageView } from '../chat/message'
import type { Drawn, Message } from '../chat/types'
import { Button } from '../shared/ui'
import type { SharedArtifact } from './api'
import { SharedArtifactView } from './artifact'

const DRAWN_AT_ONCE = 4 // frames; further ones when somebody wants to see them

function Artifact({ drawn, artifact, isFirst }: { drawn: Drawn; artifact?: SharedArtifact; isFirst: boolean }) {
	const [isOpen, setOpen] = useState(isFirst)
	if (!artifact) {
		return (
			<p className="rounded-lg border border-line px-4 py-3 text-quiet">
				“{drawn.title}” is not in this copy: it was deleted, or its data could not be read.
			</p>
		)
	}
	if (isOpen) return <SharedArtifactView artifact={artifact} />
	return (
		<Button onClick={() => setOpen(true)}>
			<ChartNoAxesCombined aria-hidden className="size-4" /> Show {drawn.title}
		</Button>
	)
}

export default function Conversation({ messages, artifacts }: { messages: Message[]; artifacts: SharedArtifact[] }) {
	const drawArtifact = useCallback(
		(drawn: Drawn) => {
			const i = artifacts.findIndex(a => a.id === drawn.artifact_id && a.version === drawn.version)
			return <Artifact drawn={drawn} artifact={artifacts[i]} isFirst={i < DRAWN_AT_ONCE} />
		},
		[artifacts],
	)
	if (messages.length === 0) return <p className="text-quiet">There was no answer when this was shared.</p>
	return (
		<div className="space-y-6">
			{messages.map(m => (
				<MessageView key={m.id} message={m} isLive={false} drawArtifact={drawArtifact} />
			))}
		</div>
	)
}
