/** The calendar of 90 days: what each day has of dumps, and the runs of the chosen day. */
import type { Signal } from '@preact/signals'
import { bytesText } from '../../../../data/format.ts'
import { ProofState } from '../runs/proof.tsx'
import { proofs, proofWords } from '../runs/words.ts'
import { type Day, daySentence, movedTo, proofsOf, weekdayOf } from './days.ts'

const weekdays = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun']
/** On a phone a row is a week; otherwise a column is. style/backups.css has the same width. */
const narrow = matchMedia('(max-width: 60rem)')

interface Props {
  days: readonly Day[]
  /** The beginning of the chosen day. */
  chosen: Signal<number>
}

/** The days are a group of radio buttons: one stop for the tab key, and arrows move between days and weeks. */
export function Calendar({ days, chosen }: Props) {
  const move = (event: KeyboardEvent) => {
    const at = days.findIndex(({ from }) => from === chosen.peek())
    const to = movedTo(event.key, at, days, !narrow.matches)
    if (to === null) return
    event.preventDefault()
    chosen.value = days[to]!.from
    document.getElementById(`day-${to}`)?.focus()
  }
  return (
    <fieldset class="calendar" onKeyDown={move}>
      <legend class="visually-hidden">Dumps of the last 90 days. Choose a day to see its runs.</legend>
      <div class="calendar-weekdays" aria-hidden="true">
        {weekdays.map((text) => (
          <span key={text}>{text}</span>
        ))}
      </div>
      <ol class="calendar-days">
        {days.map((day, at) => (
          <li key={day.from} class={at === 0 ? `starts-${weekdayOf(day.from)}` : ''}>
            <DayCell day={day} at={at} chosen={chosen} />
          </li>
        ))}
      </ol>
    </fieldset>
  )
}

function DayCell({ day, at, chosen }: { day: Day; at: number; chosen: Signal<number> }) {
  const date = new Date(day.from)
  const isFirst = at === 0 || date.getDate() === 1
  const size = day.newest?.sizeBytes
  return (
    <label class="calendar-day">
      <input
        type="radio"
        name="day"
        id={`day-${at}`}
        checked={chosen.value === day.from}
        onChange={() => (chosen.value = day.from)}
      />
      <span class="visually-hidden">{daySentence(day)}</span>
      <span class="calendar-face" aria-hidden="true">
        <span class="calendar-date">
          {isFirst ? date.toLocaleDateString('en-GB', { day: 'numeric', month: 'short' }) : date.getDate()}
        </span>
        <span class="calendar-proofs">
          {proofsOf(day).map(({ proof, count }) => (
            <ProofState key={proof} proof={proof}>
              {count > 1 ? count : ''}
            </ProofState>
          ))}
        </span>
        {typeof size === 'number' && <span class="calendar-size">{bytesText(size)}</span>}
      </span>
    </label>
  )
}

/** What each sign means. */
export const Legend = () => (
  <details open class="legend">
    <summary>What the signs mean</summary>
    <dl class="legend-list">
      {proofs.map((proof) => (
        <div key={proof}>
          <dt>
            <ProofState proof={proof} />
          </dt>
          <dd class="small muted">{proofWords[proof].explanation}</dd>
        </div>
      ))}
    </dl>
    <p class="small muted">
      A number counts the dumps of the day. The size is that of its newest good dump. Days are those of your time zone.
    </p>
  </details>
)
