/** Single figures beside their limits: what most sections print. Pure. */
import { tableOf, verdict } from './table.ts'

export interface Figure {
  what: string
  value: number
  /** The most that it may be; null: it has no limit. */
  limit: number | null
  digits: number
  unit: string
  /** How it was measured, or between what it lay. */
  note: string
}

export function tableOfFigures(title: string, figures: Figure[]): string {
  return tableOf(title, ['figure', 'value', 'limit', '', 'note'], figures.map((it) => [
    it.what, `${it.value.toFixed(it.digits)} ${it.unit}`, it.limit === null ? '' : `${it.limit} ${it.unit}`,
    verdict(it.limit === null ? null : it.value <= it.limit), it.note,
  ]))
}
