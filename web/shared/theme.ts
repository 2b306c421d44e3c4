// Light or dark: what was chosen on this page, else what the system says.
import { useSyncExternalStore } from 'react'

export type Theme = 'light' | 'dark'
const system = matchMedia('(prefers-color-scheme: dark)')
const listeners = new Set<() => void>()
const kept = () => localStorage.getItem('argus-theme')

export function theme(): Theme {
	const choice = kept()
	return choice === 'light' || choice === 'dark' ? choice : system.matches ? 'dark' : 'light'
}

export function applyTheme() {
	document.documentElement.dataset.theme = theme()
	for (const tell of listeners) tell()
}

export function setTheme(t: Theme) {
	localStorage.setItem('argus-theme', t)
	applyTheme()
}

system.addEventListener('change', applyTheme)

const subscribe = (tell: () => void) => {
	listeners.add(tell)
	return () => void listeners.delete(tell)
}
export const useTheme = () => useSyncExternalStore(subscribe, theme)
