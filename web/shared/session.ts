// Whether the server wants somebody to sign in: any request may find out.
import { useSyncExternalStore } from 'react'

let isNeeded = false
const listeners = new Set<() => void>()

export function needSignIn(is: boolean) {
	isNeeded = is
	for (const tell of listeners) tell()
}

const subscribe = (tell: () => void) => {
	listeners.add(tell)
	return () => void listeners.delete(tell)
}
export const useSignInNeeded = () => useSyncExternalStore(subscribe, () => isNeeded)

// Another window of this browser has signed in.
const elsewhere = 'argus-signed-in'
export function onSignedInElsewhere(then: () => void): () => void {
	const channel = new BroadcastChannel(elsewhere)
	channel.onmessage = then
	return () => channel.close()
}
export function tellSignedIn() {
	const channel = new BroadcastChannel(elsewhere)
	channel.postMessage('')
	channel.close()
}
