/**
 * Writes results: tables and colours on a terminal, lines with tabs for a pipe, JSON with --json. A terminal gets no
 * control characters but those of this file (harmless.ts).
 */
import { randomUUID } from 'node:crypto'
import { stripVTControlCharacters, styleText } from 'node:util'
import Table from 'cli-table3'
import { harmless, textFor } from './harmless.ts'

export interface Output {
  /** Writes a line to standard output. */
  line(text?: string): void
  /** Writes a line to standard error: progress and notes, which are no result. */
  remark(text: string): void
  /** Writes an error to standard error. */
  fault(text: string): void
  /** Writes bytes to standard output as they are. Resolves when they are written. */
  bytes(piece: Uint8Array): Promise<void>
  /** Writes a value as JSON. */
  json(value: unknown): void
  /** Writes rows: on a terminal under headings, elsewhere as lines with a tab between two columns. */
  table(headings: readonly string[], rows: readonly (readonly string[])[]): void
  /** Writes names and values of one record, a line each. Entries whose value is null are left out. */
  fields(entries: readonly (readonly [name: string, value: string | null])[]): void
  /** Marks a part of a text that is then written by this output. */
  styled(style: Style, text: string): string
  /** A line on standard error that is redrawn on a terminal. Elsewhere each new text is a line. */
  progress(): ProgressLine
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

export function outputOn({ stdout, stderr }: Streams, env: NodeJS.ProcessEnv): Output {
  const isTerminal = stdout.isTTY === true
  const hasStyles = (stream: Streams['stdout']) => stream.isTTY === true && !env.NO_COLOR && env.TERM !== 'dumb'
  const marks = styleMarks()
  const styled = (style: Style, text: string) => (hasStyles(stdout) ? marks.mark(style, text) : text)
  const shown = (text: string) => marks.formatted(textFor(stdout, text))
  const write = (text: string) => void stdout.write(`${text}\n`)
  const line = (text = '') => write(shown(text))
  const tabbed = (rows: readonly (readonly string[])[]) => {
    for (const row of rows) line(row.join('\t'))
  }
  const aligned = (rows: readonly (readonly string[])[], columns?: number) =>
    write(
      alignedRows(
        rows.map((row) => row.map(shown)),
        columns,
      ),
    )
  const errorLabel = hasStyles(stderr) ? formatted('bad', 'error:') : 'error:'
  return {
    line,
    styled,
    remark: (text) => void stderr.write(`${textFor(stderr, asTyped(text, env))}\n`),
    fault: (text) => void stderr.write(`${errorLabel} ${textFor(stderr, asTyped(text, env))}\n`),
    bytes: (piece) =>
      new Promise((resolve, reject) => {
        stdout.write(piece, (error) => (error ? reject(error) : resolve()))
      }),
    json: (value) => line(JSON.stringify(value, null, 2)),
    table(headings, rows) {
      if (!isTerminal) return tabbed(rows)
      if (rows.length === 0) return
      const first = headings.map((each) => styled('faint', each.toUpperCase()))
      aligned([first, ...rows], stdout.columns ?? 80)
    },
    fields(entries) {
      const present = entries.filter((entry): entry is [string, string] => entry[1] !== null)
      if (isTerminal) aligned(present.map(([name, value]) => [styled('faint', name), value]))
      else tabbed(present)
    },
    progress: () => (stderr.isTTY === true ? redrawnLine(stderr) : plainLines(stderr)),
  }
}

const formatted = (style: Style, text: string) => styleText(formats[style], text, { validateStream: false })

/**
 * Styles as marks, which become colours when the text is written, after its control characters were replaced. No text of
 * a server contains a mark, because the marks have a random id.
 */
function styleMarks() {
  const id = randomUUID()
  const marked = new RegExp(`${id}(${Object.keys(formats).join('|')}) (.*?)${id}end`, 'gs')
  return {
    mark: (style: Style, text: string) => `${id}${style} ${text}${id}end`,
    formatted: (text: string) => text.replace(marked, (_, style: Style, part: string) => formatted(style, part)),
  }
}

/** Commands in a sentence, named as the person called the program. The scripts that start it set BERTH_COMMAND. */
const asTyped = (text: string, { BERTH_COMMAND: program = 'berth' }: NodeJS.ProcessEnv) =>
  text.replace(/(?<=^|: |\? |\(|, or |for example )berth(?= [a-z])/gm, () => program)

/** No borders: columns are set apart by two spaces. */
const gap = '  '
const chars = Object.fromEntries(
  ['top', 'top-mid', 'top-left', 'top-right', 'bottom', 'bottom-mid', 'bottom-left', 'bottom-right', 'left']
    .concat(['left-mid', 'mid', 'mid-mid', 'right', 'right-mid'])
    .map((name) => [name, '']),
)
/** A column is not made narrower than this. */
const minColumns = 20

/** Lines with aligned columns. If they are wider than `columns`, the widest column with sentences is broken into lines. */
function alignedRows(rows: readonly (readonly string[])[], columns = Number.POSITIVE_INFINITY): string {
  const widths = rows[0]!.map((_, i) => Math.max(...rows.map((row) => stripVTControlCharacters(row[i]!).length)))
  const isText = (i: number) => rows.some((row) => / \S+ /.test(row[i]!))
  const widest = widths.indexOf(Math.max(...widths.filter((_, i) => isText(i))))
  const excess = widths.reduce((sum, width) => sum + width, gap.length * (widths.length - 1)) - columns
  const colWidths = widths.map((width, i) =>
    i === widest && excess > 0 ? Math.max(minColumns, width - excess) : width,
  )
  const table = new Table({
    chars: { ...chars, middle: gap },
    style: { 'padding-left': 0, 'padding-right': 0, head: [], border: [], compact: true },
    colWidths,
    wordWrap: true,
  })
  table.push(...rows.map((row) => [...row]))
  return table
    .toString()
    .split('\n')
    .map((each) => each.trimEnd())
    .join('\n')
}

function redrawnLine(stderr: Streams['stderr']): ProgressLine {
  const clear = '\r\x1b[K'
  return {
    show(text, seconds) {
      const time = ` (${Math.round(seconds)} s)`
      const shown = harmless(text).replace(/[\n\t]/g, ' ')
      stderr.write(`${clear}${shown.slice(0, (stderr.columns ?? 80) - time.length - 1)}${time}`)
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
