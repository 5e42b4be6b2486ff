/** Tables of plain text, and the statistics that the benchmarks need. Pure. */

/** @param holds whether the figure is within its limit; null: no limit */
export const resultText = (holds: boolean | null) => (holds === null ? '' : holds ? 'ok' : 'MISSED')

export function median(values: number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = Math.floor(sorted.length / 2)
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2
}

/** @param part the part of the values below the quantile, from 0 to 1 */
export function quantile(values: number[], part: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0
}

/** The lowest and the highest value. */
export const spread = (values: number[], digits: number) =>
  `${Math.min(...values).toFixed(digits)}-${Math.max(...values).toFixed(digits)}`

export const integerText = (value: number) => Math.round(value).toLocaleString('en')

/** Aligns columns of numbers to the right and columns of text to the left. */
export function tableOf(title: string, head: string[], rows: string[][]): string {
  const widths = head.map((_, at) => Math.max(...[head, ...rows].map((row) => row[at]!.length)))
  const isFigure = head.map((_, at) => rows.every((row) => /^$|^-?[\d.,-]+( \w+)?$/.test(row[at]!)))
  const pad = (cell: string, at: number) => (isFigure[at] ? cell.padStart(widths[at]!) : cell.padEnd(widths[at]!))
  const line = (row: string[]) => `  ${row.map(pad).join('  ')}`.trimEnd()
  const rule = `  ${widths.map((width) => '-'.repeat(width)).join('  ')}`
  return `\n${title}\n\n${[line(head), rule, ...rows.map(line)].join('\n')}\n`
}
