/** Tables of plain text, and the few sums that the bench needs. Pure. */

/** Whether a figure keeps its limit; null: it has none. */
export const resultText = (holds: boolean | null) => (holds === null ? '' : holds ? 'ok' : 'MISSED')

export function median(values: number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = Math.floor(sorted.length / 2)
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2
}

/** `part` of the values lie below it. */
export function quantile(values: number[], part: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0
}

/** The lowest and the highest. */
export const spread = (values: number[], digits: number) =>
  `${Math.min(...values).toFixed(digits)}-${Math.max(...values).toFixed(digits)}`

export const whole = (value: number) => Math.round(value).toLocaleString('en')

/** Columns of figures are aligned right, those of texts left. */
export function tableOf(title: string, head: string[], rows: string[][]): string {
  const widths = head.map((_, at) => Math.max(...[head, ...rows].map((row) => row[at]!.length)))
  const isFigure = head.map((_, at) => rows.every((row) => /^$|^-?[\d.,-]+( \w+)?$/.test(row[at]!)))
  const pad = (cell: string, at: number) => (isFigure[at] ? cell.padStart(widths[at]!) : cell.padEnd(widths[at]!))
  const line = (row: string[]) => `  ${row.map(pad).join('  ')}`.trimEnd()
  const rule = `  ${widths.map((width) => '-'.repeat(width)).join('  ')}`
  return `\n${title}\n\n${[line(head), rule, ...rows.map(line)].join('\n')}\n`
}
