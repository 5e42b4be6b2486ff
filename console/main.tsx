/** The console: the page at `/`. */
import './style/main.css'
import { render } from 'preact'
import { App } from './app.tsx'
import { restoreTheme } from './shell/theme.ts'

restoreTheme()
render(<App />, document.getElementById('root')!)
