/** Times and durations. The exact time is shown on hover, and on focus to a screen reader. */
import { useEffect, useState } from 'preact/hooks'
import { now } from '../data/clock.ts'
import { durationText, elapsedText, exactText, relativeText } from '../data/format.ts'

/** "3 minutes ago". @param at ISO 8601 */
export function Time({ at }: { at: string }) {
  const ms = Date.parse(at)
  return (
    <time dateTime={at} title={exactText(ms)}>
      {relativeText(ms, Math.max(now.value, Date.now()))}
    </time>
  )
}

/** A time, or a word if there is none. */
export const TimeOr = ({ at, none }: { at: string | null; none: string }) =>
  at === null ? <span class="muted">{none}</span> : <Time at={at} />

/** How long something took, or takes until now. Times are ISO 8601. */
export function Duration({ from, to }: { from: string; to: string | null }) {
  const end = to === null ? Math.max(now.value, Date.parse(from)) : Date.parse(to)
  return <span title={`since ${exactText(Date.parse(from))}`}>{durationText(end - Date.parse(from))}</span>
}

/** For how long work has been under way, such as "12 s". It ticks each second, for screens on which a person waits. */
export function useElapsed(from: string): string | null {
  const [present, tick] = useState(Date.now)
  useEffect(() => {
    const timer = setInterval(() => tick(Date.now()), 1000)
    return () => clearInterval(timer)
  }, [])
  return elapsedText(present - Date.parse(from))
}
