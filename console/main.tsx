/** The console: the page at `/`. */
import './style/main.css'
import { render } from 'preact'

render(<h1>Berth</h1>, document.getElementById('root')!)
