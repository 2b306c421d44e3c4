// What the page and the frame of an artifact say to each other by postMessage. Code from a model runs in the frame, so the page
// takes what comes from there as text, of a limited length.
export type FrameName = 'react' | 'plotly' | 'document'
export type Theme = 'light' | 'dark'

// To the frame. code: JSX, a Plotly specification, or a document that the server has cleaned.
export interface Show {
	argus: 'show'
	code: string
	data: Record<string, unknown>
	theme: Theme
}
export interface WantPicture {
	argus: 'picture'
	as: 'svg' | 'png'
}
export type ToFrame = Show | WantPicture

// From the frame. picture: SVG as text, PNG as a data: address; "" = there is nothing to take a picture of.
export type FromFrame =
	| { argus: 'ready' }
	| { argus: 'shown' }
	| { argus: 'error'; message: string; stack: string }
	| { argus: 'picture'; picture: string }
	| { argus: 'size'; height: number } // in pixels; of a frame inside a document of its own (app.ts)

export const MAX_MESSAGE = 2000 // characters of an error
export const MAX_STACK = 8000
export const MAX_PICTURE = 20_000_000
