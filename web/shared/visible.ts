// Characters that steer a line, or that nobody sees, as text: data must not pretend to be something else.
const HIDDEN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/g
const written = (c: string) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`
export const visible = (text: string) => text.replace(HIDDEN, written)

// For JSON.parse: all texts and names of a value.
export function visibly(_: string, v: unknown): unknown {
	if (typeof v === 'string') return visible(v)
	if (!v || typeof v !== 'object' || Array.isArray(v)) return v
	return Object.fromEntries(Object.entries(v).map(([k, x]) => [visible(k), x]))
}
