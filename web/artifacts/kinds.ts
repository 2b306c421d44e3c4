// What people call the types of artifacts.
const KIND_WORDS: Record<string, string> = { plotly: 'chart', react: 'interactive view', html: 'page', markdown: 'text', svg: 'drawing' }
export const kindWords = (type: string) => KIND_WORDS[type] ?? type
