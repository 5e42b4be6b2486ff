/** The screen of a terminal, drawn by xterm. This file and xterm are loaded when a terminal is opened first. */
import { FitAddon } from '@xterm/addon-fit'
import { type ITheme, Terminal } from '@xterm/xterm'
import xtermStyles from '@xterm/xterm/css/xterm.css' with { type: 'text' }
import { keyAction } from './keys.ts'
import type { Size } from './session.ts'
import { addStyles } from './style-sheets.ts'
import ownStyles from './terminal.css' with { type: 'text' }

export interface ScreenOptions {
  /** What the screen fills. */
  parent: HTMLElement
  isReaderMode: boolean
  onInput: (input: string | Uint8Array) => void
  onResize: (size: Size) => void
  onCopy: (text: string) => Promise<unknown>
  /** The person leaves the terminal by the keyboard. */
  onLeave: (direction: 'forward' | 'backward') => void
}

export interface Screen {
  size(): Size
  write(data: string | Uint8Array, done?: () => void): void
  focus(): void
  /** Whether what is typed is sent. */
  allowInput(isAllowed: boolean): void
  /** Whether a screen reader reads the output. It makes drawing slower. */
  setReaderMode(isOn: boolean): void
  dispose(): void
}

export function openScreen(options: ScreenOptions): Screen {
  const { parent, isReaderMode, onInput, onResize } = options
  const removeStyles = addStyles(`${xtermStyles as string}\n${ownStyles as string}`)
  const terminal = new Terminal({
    theme: themeOf(parent),
    ...fontOf(parent),
    scrollback: 5000,
    minimumContrastRatio: 4.5,
    screenReaderMode: isReaderMode,
    // Text of the database must not open pages.
    linkHandler: { activate: () => {} },
  })
  const fit = new FitAddon()
  terminal.loadAddon(fit)
  terminal.open(parent)
  fit.fit()
  terminal.attachCustomKeyEventHandler((event) => handleKey(terminal, event, options))
  terminal.onData(onInput)
  terminal.onBinary((text) => onInput(Uint8Array.from(text, (character) => character.charCodeAt(0))))
  terminal.onResize(({ cols, rows }) => onResize({ columns: cols, rows }))
  const stopFollowing = followPage(parent, terminal, fit)
  return {
    size: () => ({ columns: terminal.cols, rows: terminal.rows }),
    write: (data, done) => terminal.write(data, done),
    focus: () => terminal.focus(),
    allowInput: (isAllowed) => {
      terminal.options.disableStdin = !isAllowed
    },
    setReaderMode: (isOn) => {
      terminal.options.screenReaderMode = isOn
    },
    dispose() {
      stopFollowing()
      terminal.dispose()
      removeStyles()
    },
  }
}

/** Returns whether xterm handles the key itself. */
function handleKey(terminal: Terminal, event: KeyboardEvent, { onCopy, onLeave }: ScreenOptions): boolean {
  const action = keyAction(event, terminal.hasSelection())
  // After the session, Tab and the keys of the console work as usual.
  if (action === 'type') return terminal.options.disableStdin !== true || event.key.startsWith('Page')
  // The browser pastes into xterm's text field, which sends it.
  if (action === 'paste' || event.type !== 'keydown') return false
  event.preventDefault()
  if (action === 'copy') {
    // The copying may use a field of its own, which takes the focus.
    void onCopy(terminal.getSelection()).then(() => terminal.focus())
    terminal.clearSelection()
  } else onLeave(action)
  return false
}

/** Follows the size of the element, and the colours of the page. */
function followPage(parent: HTMLElement, terminal: Terminal, fit: FitAddon): () => void {
  const sizes = new ResizeObserver(() => {
    // The tab is hidden while another one is shown.
    if (parent.clientWidth === 0) return
    Object.assign(terminal.options, fontOf(parent))
    fit.fit()
  })
  sizes.observe(parent)
  const paint = () => {
    terminal.options.theme = themeOf(parent)
  }
  const choices = new MutationObserver(paint)
  choices.observe(document.documentElement, { attributes: true, attributeFilter: ['data-theme'] })
  const system = matchMedia('(prefers-color-scheme: dark)')
  system.addEventListener('change', paint)
  return () => {
    sizes.disconnect()
    choices.disconnect()
    system.removeEventListener('change', paint)
  }
}

function fontOf(parent: HTMLElement) {
  const { fontSize } = getComputedStyle(parent)
  const fontFamily = getComputedStyle(document.documentElement).getPropertyValue('--mono').trim()
  return { fontFamily, fontSize: Number.parseFloat(fontSize), lineHeight: 1.2 }
}

/** The colours of the page as it is now. The bright ones equal the others: on light ground there is no brighter text. */
function themeOf(parent: HTMLElement): ITheme {
  const probe = document.createElement('span')
  parent.append(probe)
  const colour = (token: string) => {
    probe.style.color = `var(--${token})`
    return getComputedStyle(probe).color
  }
  const [text, muted, ground] = [colour('text'), colour('muted'), colour('raised')]
  const [red, green, yellow, blue] = ['critical', 'good', 'warning', 'working'].map(colour) as Colours
  const [magenta, cyan, selection] = ['ansi-magenta', 'accent', 'line'].map(colour) as Colours
  probe.remove()
  return {
    ...{ foreground: text, background: ground, cursor: cyan, cursorAccent: ground, selectionBackground: selection },
    ...{ black: text, red, green, yellow, blue, magenta, cyan, white: muted },
    ...{ brightBlack: muted, brightRed: red, brightGreen: green, brightYellow: yellow, brightBlue: blue },
    ...{ brightMagenta: magenta, brightCyan: cyan, brightWhite: text },
  }
}

type Colours = [string, string, string, string]
