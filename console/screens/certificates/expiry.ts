/** How soon a certificate ends. Pure. */
import type { Tone } from '../../components/state.tsx'

const dayMs = 86_400_000

/** Whole days; negative after the end. */
export const daysUntil = (notAfter: string, nowMs: number): number => Math.floor((Date.parse(notAfter) - nowMs) / dayMs)

/** Critical in the last week, a warning in the last 30 days. */
export function expiryTone(daysLeft: number): Tone {
  if (daysLeft < 7) return 'critical'
  return daysLeft < 30 ? 'warning' : 'good'
}

/** "14 Dec 2026", in the person's time zone. */
export const dateText = (at: number): string =>
  new Date(at).toLocaleDateString('en-GB', { year: 'numeric', month: 'short', day: 'numeric' })
