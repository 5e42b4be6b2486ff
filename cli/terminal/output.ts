/** Writes results: tables and colours on a terminal, lines with tabs for a pipe, JSON with --json. */
import { stripVTControlCharacters, styleText } from 'node:util'
import Table from 'cli-table3'
import { CommandError, systemErrorText } from '../exit.ts'

export interface Output {
  /** Writes a line to standard output. */
  line(text?: string): void
  /** Writes bytes of a result that is useless in part. Resolves when they were written. @throws CommandError */
  bytes(bytes: Buffer): Promise<void>
  /** Makes the early end of the reader, such as `head`, an error. By default, it has seen enough. */
  requireReader(): void
  /** Resolves when the reader has seen enough. Rejects with CommandError if standard output cannot be written. */
  readonly ended: Promise<void>
  /** Resolves when all output was written, or the reader has seen enough. @throws CommandError */
  flush(): Promise<void>
  /** Writes a line to standard error: progress and notes, which are no result. */
  remark(text: string): void
  /** Writes an error to standard error. */
  fault(text: string): void
  /** Writes a value as JSON. */
  json(value: unknown): void
  /** Writes rows: on a terminal under headings, elsewhere each is one line with a tab between two columns. */
  table(headings: readonly string[], rows: readonly (readonly string[])[]): void
  /** Writes names and values of one record as rows without headings. Entries whose value is null are left out. */
  fields(entries: readonly (readonly [name: string, value: string | null])[]): void
  styled(style: Style, text: string): string
  /** The width of the terminal in characters; 100 elsewhere. */
  readonly columns: number
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
  const styleOn = (stream: Streams['stdout'], style: Style, text: string) =>
    stream.isTTY === true && !env.NO_COLOR && env.TERM !== 'dumb'
      ? styleText(formats[style], text, { validateStream: false })
      : text
  const styled = (style: Style, text: string) => styleOn(stdout, style, text)
  const tabbed = (rows: readonly (readonly string[])[]) => {
    for (const row of rows) line(row.map(inOneLine).join('\t'))
  }
  const line = (text = '') => void stdout.write(`${text}\n`)
  let isReaderRequired = false
  const ended = Promise.withResolvers<void>()
  ended.promise.catch(() => undefined)
  stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE' && !isReaderRequired) return ended.resolve()
    const message = 'The output is incomplete, because standard output cannot be written'
    ended.reject(new CommandError('failed', `${message}: ${systemErrorText(error)}`))
  })
  const write = (data: Buffer | string) =>
    new Promise<void>((resolve) => stdout.write(data, (error) => resolve(error == null ? undefined : ended.promise)))
  return {
    line,
    bytes(bytes) {
      isReaderRequired = true
      return write(bytes)
    },
    requireReader() {
      isReaderRequired = true
    },
    ended: ended.promise,
    flush: () => write(''),
    styled,
    columns: stdout.columns ?? 100,
    remark: (text) => void stderr.write(`${asTyped(text, env)}\n`),
    fault: (text) => void stderr.write(`${styleOn(stderr, 'bad', 'error:')} ${asTyped(text, env)}\n`),
    json: (value) => line(JSON.stringify(value, null, 2)),
    table(headings, rows) {
      if (!isTerminal) return tabbed(rows)
      if (rows.length === 0) return
      const first = headings.map((each) => styled('faint', each.toUpperCase()))
      line(alignedRows([first, ...rows], stdout.columns ?? 80))
    },
    fields(entries) {
      const present = entries.filter((entry): entry is [string, string] => entry[1] !== null)
      if (isTerminal) line(alignedRows(present.map(([name, value]) => [styled('faint', name), value])))
      else tabbed(present)
    },
    progress: () => (stderr.isTTY === true ? redrawnLine(stderr) : plainLines(stderr)),
  }
}

/** The text without line breaks and tabs, which would end a row or a column. */
const inOneLine = (text: string) =>
  text
    .trim()
    .replace(/(:?)\s*[\r\n]\s*/g, (_, colon: string) => (colon === '' ? ' | ' : ': '))
    .replaceAll('\t', ' ')

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
      stderr.write(`${clear}${text.slice(0, (stderr.columns ?? 80) - time.length - 1)}${time}`)
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
