// A saved report: draws the data inside the document in place of its plain form. Nothing here asks a server.
import './report.css'
import { createRoot } from 'react-dom/client'
import { visibly } from '../shared/visible'
import { Inspected, Reports } from './page'
import type { Saved } from './types'
import { whole } from './whole'

const dark = matchMedia('(prefers-color-scheme: dark)')
const light = () => (document.documentElement.dataset.theme = dark.matches ? 'dark' : 'light')
dark.addEventListener('change', light)
light()

const saved = whole(JSON.parse(document.getElementById('data')!.textContent, visibly) as Saved)
const page = document.getElementById('page')!
page.replaceChildren()
createRoot(page).render('inspected' in saved ? <Inspected of={saved.inspected} /> : <Reports of={saved} />)
