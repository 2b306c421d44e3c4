// How a bar, a value or a finding opens its documents. Null where there is no server: then they are plain.
import { createContext, useContext } from 'react'

export interface Asked {
	filter: string
	title: string
}
export const Opener = createContext<((asked: Asked) => void) | null>(null)
export const useDocuments = () => useContext(Opener)
