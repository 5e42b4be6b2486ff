/** Prints single figures with their limits, for most sections. Pure. */
import { tableOf, resultText } from './table.ts'

export interface Figure {
  /** The name. It identifies the figure in bench/history.jsonl, so it must not change. */
  what: string
  value: number
  /** The maximum of the value; null: no limit. */
  limit: number | null
  /** Whether `limit` is a minimum. */
  isLeast?: boolean
  digits: number
  unit: string
  /** How the value was measured, or its range. */
  note: string
}

/** A figure in bench/history.jsonl. */
export interface Kept {
  what: string
  value: number
  unit: string
  limit: number | null
  holds: boolean | null
}

/** The result of a section of the benchmarks. */
export interface Section {
  text: string
  kept: Kept[]
}

export function tableOfFigures(title: string, figures: Figure[]): Section {
  const text = tableOf(
    title,
    ['figure', 'value', 'limit', '', 'note'],
    figures.map((it) => [
      it.what,
      `${it.value.toFixed(it.digits)} ${it.unit}`,
      limitOf(it),
      resultText(holds(it)),
      it.note,
    ]),
  )
  return { text, kept: figures.map(keptOf) }
}

const keptOf = (it: Figure): Kept => ({
  what: it.what,
  value: Number(it.value.toFixed(it.digits)),
  unit: it.unit,
  limit: it.limit,
  holds: holds(it),
})

const limitOf = ({ limit, isLeast, unit }: Figure) =>
  limit === null ? '' : `${isLeast === true ? '>= ' : ''}${limit} ${unit}`

function holds({ limit, isLeast, value }: Figure): boolean | null {
  if (limit === null) return null
  return isLeast === true ? value >= limit : value <= limit
}
