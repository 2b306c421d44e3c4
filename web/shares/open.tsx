// The page of a share link, /s/TOKEN: its own small program, without the screens of people who work here.
import '../shared/style.css'
import { createRoot } from 'react-dom/client'
import { applyTheme } from '../shared/theme'
import { SharedPage } from './page'

applyTheme()
createRoot(document.getElementById('page')!).render(<SharedPage token={location.pathname.split('/')[2] ?? ''} />)
