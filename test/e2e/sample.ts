/** A trial of what a package adds to a database, and the row that documents its result in docs/extensions.md. */
import { readFileSync, writeFileSync } from 'node:fs'

/**
 * Statements that make rows and objects which need the package. `result` says what a dump and its restores come to; a remark
 * says what a person has to know.
 */
export interface Sample {
  sql: string
  result?: Result
  remark?: string
}

export type Result =
  | 'works'
  | 'created only'
  | 'rows elsewhere'
  | 'rows not in the dump'
  | 'dump refused'
  | 'restore refused'

/** By the name of the extension, storage engine or plugin. A text is the statements of a sample that works. */
export type Samples = Readonly<Record<string, string | Sample>>

export function sampleOf(samples: Samples, name: string): Required<Sample> {
  const given = samples[name]!
  const { sql, result, remark = '' } = typeof given === 'string' ? ({ sql: given } as Sample) : given
  return { sql, remark, result: result ?? (sql === '' ? 'created only' : 'works') }
}

export interface Row {
  name: string
  version: string
  result: string
  remark: string
}

const file = 'docs/extensions.md'
const pattern = /^\| `([^`]+)` \|([^|]*)\|([^|]*)\|([^|]*)\|$/gm

/** Where the rows of a section of the document are: behind its heading. */
function placeOf(text: string, heading: string) {
  const start = text.indexOf(`\n## ${heading}\n`)
  if (start < 0) throw new Error(`${file} has no section ${heading}`)
  const next = text.indexOf('\n## ', start + 1)
  return { start, end: next < 0 ? text.length : next }
}

/** The rows of a section of docs/extensions.md. */
export function documentedRows(heading: string): Row[] {
  const text = readFileSync(file, 'utf8')
  const { start, end } = placeOf(text, heading)
  return [...text.slice(start, end).matchAll(pattern)].map(([, name, version, result, remark]) => ({
    name: name!,
    version: version!.trim(),
    result: result!.trim(),
    remark: remark!.trim(),
  }))
}

/** Replaces the rows of a section, in the order of their names, and leaves the rows of other names. */
export function writeRows(heading: string, rows: readonly Row[]): void {
  const byName = new Map([...documentedRows(heading), ...rows].map((row) => [row.name, row]))
  const lines = [...byName.values()]
    .sort((a, b) => (a.name.toLowerCase() < b.name.toLowerCase() ? -1 : 1))
    .map(({ name, version, result, remark }) =>
      `| \`${name}\` | ${version} | ${result} | ${remark} |`.replaceAll('|  |', '| |'),
    )
  const text = readFileSync(file, 'utf8')
  const { start, end } = placeOf(text, heading)
  const section = text.slice(start, end).replace(pattern, '').replace(/\n+$/, '')
  writeFileSync(file, `${text.slice(0, start)}${section}\n${lines.join('\n')}\n${text.slice(end)}`)
}
