// Hands a file to whoever looks at the page.
export function saveFile(name: string, type: string, content: BlobPart) {
	const url = URL.createObjectURL(new Blob([content], { type }))
	const a = Object.assign(document.createElement('a'), { href: url, download: name })
	a.click()
	URL.revokeObjectURL(url)
}
