/** Mutes the messages about a condition, and ends the mute. */
import { useSignal } from '@preact/signals'
import { api } from '../../data/api.ts'
import { type Condition, conditionTitles, subjectText } from '../../data/alerts/conditions.ts'
import { type Mute, muteOf } from '../../data/alerts/mutes.ts'
import { useForm } from '../../data/forms/form.ts'
import { isAdmin } from '../../data/session.ts'
import { Button } from '../button.tsx'
import { ConfirmDialog, Dialog } from '../dialog.tsx'
import { EqualCalls } from '../forms/equal-calls.tsx'
import { SelectField, TextField } from '../forms/fields.tsx'
import { FormBox } from '../forms/form.tsx'
import { Time } from '../time.tsx'

/** @param mutes those that have not ended */
export function MuteButton({ condition, mutes }: { condition: Condition; mutes: readonly Mute[] }) {
  const isAsking = useSignal(false)
  if (condition.endedAt !== null) return null
  if (!isAdmin()) return condition.mutedUntil === null ? null : <MutedUntil until={condition.mutedUntil} />
  const muted = muteOf(mutes, condition)
  if (muted !== undefined) return <MutedUntil until={muted.until} mute={muted} />
  return (
    <div class="row">
      <Button small onClick={() => (isAsking.value = true)}>
        Mute
      </Button>
      {isAsking.value && <MuteDialog condition={condition} onClose={() => (isAsking.value = false)} />}
    </div>
  )
}

/** @param mute absent for somebody who may not end it */
function MutedUntil({ until, mute }: { until: string; mute?: Mute }) {
  return (
    <div class="row">
      <span class="muted small">
        muted, messages again <Time at={until} />
      </span>
      {mute !== undefined && <UnmuteButton mute={mute} />}
    </div>
  )
}

export function UnmuteButton({ mute: { muteId } }: { mute: Mute }) {
  const isAsking = useSignal(false)
  return (
    <>
      <Button small onClick={() => (isAsking.value = true)}>
        Send messages again
      </Button>
      {isAsking.value && (
        <ConfirmDialog
          title="Send messages again?"
          action="Send messages again"
          phrase={null}
          isDangerous={false}
          onClose={() => (isAsking.value = false)}
          run={() => api.alert.unmute({ muteId })}
        >
          <p>The channels get a message about each condition of the record that is present now.</p>
          <EqualCalls operation="alert.unmute" input={{ muteId }} />
        </ConfirmDialog>
      )}
    </>
  )
}

const untilDate = 'date'
const lengths = [
  { value: '1', text: 'for an hour' },
  { value: '8', text: 'for 8 hours' },
  { value: '24', text: 'for a day' },
  { value: '168', text: 'for a week' },
  { value: untilDate, text: 'until a date' },
]

function MuteDialog({ condition, onClose }: { condition: Condition; onClose: () => void }) {
  const { subjectKind, subjectId, name } = condition
  const subject = subjectText(condition)
  const form = useForm({ what: 'condition', hours: '1', until: '' })
  const { what, hours, until } = form.fields
  const time = hours.value === untilDate ? { until: startOfDay(until.value) } : { hours: Number(hours.value) }
  const input = { subjectKind, subjectId, condition: what.value === 'condition' ? name : null, ...time }
  const isMissing = hours.value === untilDate && until.value === ''
  return (
    <Dialog title={`Send no messages about ${subject}`} onClose={onClose}>
      <FormBox
        form={form}
        submit="Mute"
        unavailable={isMissing ? 'Choose the date' : null}
        onSubmit={() => api.alert.mute(input)}
        onDone={onClose}
        onCancel={onClose}
      >
        <SelectField
          field={what}
          label="Messages about"
          choices={[
            { value: 'condition', text: `only this: ${conditionTitles[name].toLowerCase()}` },
            { value: 'record', text: `all conditions of ${subject}` },
          ]}
        />
        <SelectField field={hours} label="How long" choices={lengths} issue={form.issues.value.hours} />
        {hours.value === untilDate && (
          <TextField
            field={until}
            type="date"
            label="Until the beginning of"
            hint="Messages are sent again from this day on, in your time zone."
            issue={form.issues.value.until}
          />
        )}
        <p class="hint">If something is still wrong then, the channels get a message. Here it stays visible.</p>
        <EqualCalls operation="alert.mute" input={input} />
      </FormBox>
    </Dialog>
  )
}

/** The beginning of a day in the person's time zone, as ISO 8601. @param date '' or YYYY-MM-DD */
const startOfDay = (date: string): string => (date === '' ? '' : new Date(`${date}T00:00`).toISOString())
