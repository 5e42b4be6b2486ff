/** Single figures beside their limits: what most sections print. Pure. */
import { tableOf, resultText } from './table.ts'

export interface Figure {
  what: string
  value: number
  /** The most that it may be; null: it has no limit. */
  limit: number | null
  /** The limit is the least that it may be. */
  isLeast?: boolean
  digits: number
  unit: string
  /** How it was measured, or between what it lay. */
  note: string
}

/** As the history keeps it. */
export interface Kept {
  what: string
  value: number
  unit: string
  limit: number | null
  holds: boolean | null
}

/** What a section of the bench gives. */
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
