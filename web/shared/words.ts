// Numbers and times as the reader writes them.
const numbers = new Intl.NumberFormat()
const times = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' })

export const count = (n: number) => numbers.format(n)
export const many = (n: number, one: string, more = `${one}s`) => `${count(n)} ${n === 1 ? one : more}`
export const when = (iso: string | null | undefined) => (iso ? times.format(new Date(iso)) : '')
