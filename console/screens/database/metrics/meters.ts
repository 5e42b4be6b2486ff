/** Measured values against their limits, in words. Pure. */
import { bytesText } from '../../../data/format.ts'

export interface Meter {
  value: string
  detail: string
  /** Between 0 and 1; null without a limit. */
  part: number | null
}

const percent = (part: number) => `${Math.round(part * 100)} %`

/** How close to the limit it is, for people who do not see the bar. */
const closeness = (part: number) => (part >= 0.95 ? ': at the limit' : part >= 0.8 ? ': close to the limit' : '')

/** @param limit cores; null: no limit */
export function cpuMeter(cores: number, limit: number | null): Meter {
  const value = `${Number(cores.toFixed(2))} ${cores === 1 ? 'core' : 'cores'}`
  if (limit === null) return { value, detail: 'No limit is set: it can use all processors of the node.', part: null }
  const part = Math.min(1, cores / limit)
  return { value, detail: `${percent(part)} of the limit of ${limit} cores${closeness(part)}`, part }
}

/** @param limit bytes; null: no limit */
export function memoryMeter(bytes: number, limit: number | null): Meter {
  const value = bytesText(bytes)
  if (limit === null) return { value, detail: 'No limit is set: it can use all memory of the node.', part: null }
  const part = Math.min(1, bytes / limit)
  return { value, detail: `${percent(part)} of the limit of ${bytesText(limit)}${closeness(part)}`, part }
}
