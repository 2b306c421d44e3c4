// Markdown from a model: sanitised, without pictures (they would ask another host), its links marked as leading away.
import { memo } from 'react'
import ReactMarkdown, { type Components, type Options } from 'react-markdown'
import rehypeSanitize, { defaultSchema } from 'rehype-sanitize'
import remarkGfm from 'remark-gfm'

const schema = { ...defaultSchema, tagNames: defaultSchema.tagNames?.filter(t => t !== 'img' && t !== 'input') }

const own: Components = {
	a: ({ children, href }) => (
		<a href={href} target="_blank" rel="noreferrer noopener nofollow">
			{children}
		</a>
	),
	table: ({ children }) => (
		<div className="wide" tabIndex={0} role="region" aria-label="Table">
			<table>{children}</table>
		</div>
	),
	pre: ({ children }) => <pre tabIndex={0}>{children}</pre>,
}

interface Props {
	text: string
	plugins?: NonNullable<Options['rehypePlugins']> // after the sanitiser
	components?: Components
}

export const Markdown = memo(function Markdown({ text, plugins = [], components }: Props) {
	return (
		<div className="prose">
			<ReactMarkdown
				remarkPlugins={[remarkGfm]}
				rehypePlugins={[[rehypeSanitize, schema], ...plugins]}
				components={{ ...own, ...components }}
			>
				{text}
			</ReactMarkdown>
		</div>
	)
})
