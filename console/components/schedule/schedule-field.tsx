/** When something is done again and again: usual schedules to choose, or a cron expression, with the next three times. */
import type { Signal } from '@preact/signals'
import { now } from '../../data/clock.ts'
import { cronFault, cronText, nextTimes, presets, zoneFault } from './cron.ts'
import { relativeText } from '../../data/format.ts'
import { SelectField, TextField } from '../forms/fields.tsx'

interface Props {
  /** The cron expression; empty: never. A blank is an own schedule that is not typed yet. */
  field: Signal<string>
  label: string
  timezone: string
  issue?: string | undefined
  hint?: string
  /** The text for no schedule; without it, a schedule is required. */
  never?: string
}

const own = 'own'

export function ScheduleField({ field, label, timezone, issue, hint, never }: Props) {
  const text = field.value
  const isPreset = presets.some(({ value }) => value === text) || (never !== undefined && text === '')
  const choices = [
    ...(never === undefined ? [] : [{ value: '', text: never }]),
    ...presets,
    { value: own, text: 'Own schedule (cron)' },
  ]
  return (
    <div class="stack">
      <SelectField
        field={choiceOf(field, isPreset)}
        label={label}
        choices={choices}
        {...(hint === undefined ? {} : { hint })}
      />
      {(!isPreset || issue !== undefined) && (
        <TextField
          field={field}
          label={`${label}: cron expression`}
          isCode
          hint="Minute, hour, day of the month, month, day of the week. Also @hourly, @daily, @weekly, @monthly."
          issue={issue ?? (text.trim() === '' ? undefined : (cronFault(text) ?? undefined))}
        />
      )}
      {text.trim() !== '' && <NextTimes schedule={text} timezone={timezone} />}
    </div>
  )
}

/** The choice follows the expression, so that there is one value only. */
const choiceOf = (field: Signal<string>, isPreset: boolean) =>
  ({
    get value() {
      return isPreset ? field.value : own
    },
    set value(chosen: string) {
      field.value = chosen === own ? `${field.peek()} ` : chosen
    },
  }) as Signal<string>

function NextTimes({ schedule, timezone }: { schedule: string; timezone: string }) {
  const times = nextTimes(schedule, timezone, now.value, 3)
  if (times.length === 0) return null
  const list = times.map((at) => new Date(at).toLocaleString('en-GB', whenFormat)).join(', then ')
  return (
    <p class="hint">
      {capital(cronText(schedule))} ({timezone}). Next, in your time zone: {list}. The first is{' '}
      {relativeText(times[0]!, now.value)}.
    </p>
  )
}

const whenFormat = { weekday: 'short', day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit' } as const
const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)

export function ZoneField({ field, issue }: { field: Signal<string>; issue: string | undefined }) {
  return (
    <TextField
      field={field}
      label="Time zone of the schedules"
      hint={`Such as UTC or Europe/Berlin. Yours is ${Intl.DateTimeFormat().resolvedOptions().timeZone}.`}
      issue={issue ?? zoneFault(field.value) ?? undefined}
    />
  )
}
