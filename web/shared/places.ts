// The parts of the screen /manage, in groups. The palette leads to each.
export const GROUPS = {
	'A project': ['Knowledge', 'Dictionary', 'Recipes', 'Golden questions', 'Connections', 'Share links', 'Members', 'Project settings', 'Calls'],
	'All projects': ['Projects', 'Import', 'Jobs', 'Schedules', 'People', 'Settings'],
	'Your programs': ['Tokens', 'Connect'],
} as const
export type Part = (typeof GROUPS)[keyof typeof GROUPS][number]
export const PARTS: readonly Part[] = Object.values(GROUPS).flat()
export const placed = (part: string) => part.toLowerCase().replaceAll(' ', '-')
