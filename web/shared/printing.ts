// Whether the page is being printed: paper shows what is folded on a screen.
import { useSyncExternalStore } from 'react'

const media = matchMedia('print')
const subscribe = (tell: () => void) => {
	media.addEventListener('change', tell)
	return () => media.removeEventListener('change', tell)
}
export const usePrinting = () => useSyncExternalStore(subscribe, () => media.matches)
