// What can be typed instead of a question. The names are those of `argus chat` in a terminal.
export interface Commanded {
	name: string
	rest: string // after the name
}

export interface SlashCommand {
	name: string
	argument?: string // "" behind the name: it takes none
	help: string
}

export const COMMANDS: SlashCommand[] = [
	{ name: 'help', help: 'this list' },
	{ name: 'sql', argument: 'STATEMENT', help: 'run a statement yourself; no model is asked' },
	{ name: 'tables', argument: '[NAME]', help: 'ask for the tables, or the columns of one' },
	{ name: 'find', argument: '[WORDS]', help: 'find words in this conversation' },
	{ name: 'why', help: 'where the last answer comes from: statements, tables, filters, rows' },
	{ name: 'retry', help: 'another answer to the last question' },
	{ name: 'edit', help: 'change the last question' },
	{ name: 'branch', help: 'go on from the last answer in a new conversation' },
	{ name: 'recipe', help: 'make a recipe of the questions and statements of this conversation' },
	{ name: 'new', help: 'begin a new conversation' },
	{ name: 'threads', argument: '[WORDS]', help: 'find a conversation' },
	{ name: 'project', argument: '[NAME]', help: 'begin a new conversation about another project' },
	{ name: 'artifact', help: 'charts and texts that were saved' },
]

// "/sql select 1": its parts. null = it is a question.
export function commandOf(text: string): Commanded | null {
	const m = /^\/([a-z]+)(?:\s+([\s\S]*))?$/i.exec(text.trim())
	return m ? { name: m[1]!.toLowerCase(), rest: (m[2] ?? '').trim() } : null
}

// Commands that a beginning fits; none once something follows the name.
export function matching(text: string): SlashCommand[] {
	const m = /^\/([a-z]*)$/i.exec(text)
	return m ? COMMANDS.filter(c => c.name.startsWith(m[1]!.toLowerCase())) : []
}

// Is a statement written, or begun?
export const isStatement = (text: string) => /^\/sql\s/i.test(text)

// The statement of a question that is one.
export function statementOf(question: string): string {
	const c = commandOf(question)
	return c?.name === 'sql' ? c.rest : ''
}
