/** Writes results: tables and colours for a person at a terminal, plain text for a pipe, JSON with --json. */
import { styleText } from 'node:util'
import Table from 'cli-table3'

export interface Output {
  /** Writes a line to standard output. */
  line(text?: string): void
  /** Writes a line to standard error: progress and notes, which are no result. */
  note(text: string): void
  /** Writes a value as JSON. */
  json(value: unknown): void
  /** Writes rows under headings. Without rows the headings are not written. */
  table(headings: readonly string[], rows: readonly (readonly string[])[]): void
  /** Writes names and values of one record, a line each. Entries whose value is null are left out. */
  fields(entries: readonly (readonly [name: string, value: string | null])[]): void
  styled(style: Style, text: string): string
  /** A line on standard error that is redrawn on a terminal. Elsewhere each new text is a line. */
  progress(): ProgressLine
  /** Whether standard error is a terminal, so that a line can be redrawn. */
  isInteractive: boolean
}

export interface ProgressLine {
  show(text: string, seconds: number): void
  end(): void
}

export type Style = 'good' | 'bad' | 'busy' | 'faint' | 'strong'
const formats = { good: 'green', bad: 'red', busy: 'yellow', faint: 'dim', strong: 'bold' } as const

export interface Streams {
  stdout: NodeJS.WritableStream & { isTTY?: boolean; columns?: number }
  stderr: NodeJS.WritableStream & { isTTY?: boolean; columns?: number }
}

/** No borders: columns are set apart by two spaces. */
const chars = Object.fromEntries(
  ['top', 'top-mid', 'top-left', 'top-right', 'bottom', 'bottom-mid', 'bottom-left', 'bottom-right', 'left']
    .concat(['left-mid', 'mid', 'mid-mid', 'right', 'right-mid'])
    .map((name) => [name, '']),
)

export function outputOn({ stdout, stderr }: Streams, env: NodeJS.ProcessEnv): Output {
  const hasColour = stdout.isTTY === true && !env.NO_COLOR && env.TERM !== 'dumb'
  const styled = (style: Style, text: string) =>
    hasColour ? styleText(formats[style], text, { validateStream: false }) : text
  const line = (text = '') => void stdout.write(`${text}\n`)
  const rowsOf = (rows: readonly (readonly string[])[]) => {
    const table = new Table({
      chars: { ...chars, middle: '  ' },
      style: { 'padding-left': 0, 'padding-right': 0, head: [], border: [], compact: true },
    })
    table.push(...rows.map((row) => [...row]))
    return table
      .toString()
      .split('\n')
      .map((each) => each.trimEnd())
      .join('\n')
  }
  return {
    line,
    styled,
    note: (text) => void stderr.write(`${text}\n`),
    json: (value) => line(JSON.stringify(value, null, 2)),
    table(headings, rows) {
      if (rows.length === 0) return
      line(rowsOf([headings.map((each) => styled('faint', each.toUpperCase())), ...rows]))
    },
    fields: (entries) =>
      line(
        rowsOf(entries.filter(([, value]) => value !== null).map(([name, value]) => [styled('faint', name), value!])),
      ),
    progress: () => (stderr.isTTY === true ? redrawnLine(stderr) : plainLines(stderr)),
    isInteractive: stderr.isTTY === true,
  }
}

function redrawnLine(stderr: Streams['stderr']): ProgressLine {
  const clear = '\r\x1b[K'
  return {
    show(text, seconds) {
      const line = `${text} (${Math.round(seconds)} s)`
      stderr.write(`${clear}${line.slice(0, (stderr.columns ?? 80) - 1)}`)
    },
    end: () => void stderr.write(clear),
  }
}

function plainLines(stderr: Streams['stderr']): ProgressLine {
  let last = ''
  return {
    show(text) {
      if (text !== last) stderr.write(`${text}\n`)
      last = text
    },
    end: () => undefined,
  }
}
