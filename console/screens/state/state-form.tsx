/** Creates or changes the schedule for the backups of Berth's own state. */
import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import type { State } from '../../../client/client.ts'
import { Dialog } from '../../components/dialog.tsx'
import { Conflicts } from '../../components/forms/conflicts.tsx'
import { EqualCalls } from '../../components/forms/equal-calls.tsx'
import { CheckField, SelectField, TextField } from '../../components/forms/fields.tsx'
import { FormBox } from '../../components/forms/form.tsx'
import { Loading } from '../../components/loaded.tsx'
import { ErrorNotice } from '../../components/notice.tsx'
import { KeepFields, type KeepValues, keepInput, keepValues } from '../../components/schedule/keep-fields.tsx'
import { ScheduleField, ZoneField } from '../../components/schedule/schedule-field.tsx'
import { api } from '../../data/api.ts'
import { type Form, presentValues, useForm } from '../../data/form.ts'
import { useQuery } from '../../data/query.ts'
import { useRecordForm } from '../../data/record-form.ts'

interface Values extends KeepValues {
  destinationId: string
  schedule: string
  timezone: string
  prefix: string
  enabled: boolean
}

const labels: Record<keyof Values, string> = {
  destinationId: 'Destination',
  schedule: 'When to back up',
  timezone: 'Time zone of the schedules',
  prefix: 'Beginning of the keys in the bucket',
  enabled: 'Back up by this schedule',
  keepLatest: 'Keep the newest',
  keepDays: 'Keep for days',
  signalUrl: 'URL to call after each good one',
}

const valuesOf = (state: State): Values => ({
  ...{ destinationId: state.destinationId, schedule: state.schedule, timezone: state.timezone, prefix: state.prefix },
  enabled: state.enabled,
  ...keepValues(state),
})

/** An empty prefix is left out: Berth then uses its own. */
const inputOf = ({ prefix, ...values }: Values) => ({
  ...values,
  ...keepInput(values),
  schedule: values.schedule.trim(),
  ...(prefix === '' ? {} : { prefix }),
})

/** @param schedule null: there is none yet */
export function StateForm({ schedule, onClose }: { schedule: State | null; onClose: () => void }) {
  return (
    <Dialog title="Back up Berth's own state" onClose={onClose}>
      {schedule === null ? <NewForm onClose={onClose} /> : <LoadedForm onClose={onClose} />}
    </Dialog>
  )
}

function NewForm({ onClose }: { onClose: () => void }) {
  const form = useForm<Values>({
    ...{ destinationId: '', schedule: '0 * * * *', prefix: '', enabled: true },
    ...{ timezone: Intl.DateTimeFormat().resolvedOptions().timeZone, keepLatest: '48', keepDays: '', signalUrl: '' },
  })
  return (
    <FormBox
      form={form}
      submit="Schedule the backups"
      onSubmit={(values) => api.state.schedule(inputOf(values))}
      onDone={onClose}
      onCancel={onClose}
    >
      <StateFields form={form} />
    </FormBox>
  )
}

/** Reads the record with its tag first. */
function LoadedForm({ onClose }: { onClose: () => void }) {
  const first = useSignal<{ values: Values; etag: string } | null>(null)
  const error = useSignal<unknown>(null)
  useEffect(() => {
    readState().then(
      (read) => (first.value = read),
      (caught: unknown) => (error.value = caught),
    )
  }, [])
  if (error.value !== null) return <ErrorNotice error={error.value} />
  return first.value === null ? <Loading what="the schedule" /> : <EditForm first={first.value} onClose={onClose} />
}

function EditForm({ first, onClose }: { first: { values: Values; etag: string }; onClose: () => void }) {
  const form = useRecordForm(first, readState)
  const submit = () => form.save((_changed, headers) => api.state.schedule(inputOf(form.values()), { headers }))
  return (
    <FormBox
      form={{ ...form, submit }}
      submit="Save the schedule"
      onSubmit={() => Promise.resolve()}
      onDone={onClose}
      onCancel={onClose}
    >
      <StateFields form={form} />
      <Conflicts form={form} labels={labels} />
    </FormBox>
  )
}

function StateFields({ form }: { form: Form<Values> }) {
  const { fields, issues } = form
  const destinations = useQuery('destination.all', {}).data.value ?? []
  return (
    <>
      <SelectField
        field={fields.destinationId}
        label={labels.destinationId}
        choices={[
          { value: '', text: 'Choose a destination' },
          ...destinations.map(({ destinationId, name }) => ({ value: destinationId, text: name })),
        ]}
        issue={issues.value.destinationId}
      />
      <ScheduleField
        field={fields.schedule}
        label={labels.schedule}
        timezone={fields.timezone.value}
        issue={issues.value.schedule}
      />
      <ZoneField field={fields.timezone} issue={issues.value.timezone} />
      <KeepFields form={form} what="backups" />
      <TextField
        field={fields.prefix}
        label={labels.prefix}
        required={false}
        isCode
        issue={issues.value.prefix}
        hint="Empty: berth/state/."
      />
      <CheckField field={fields.enabled} label={labels.enabled} issue={issues.value.enabled} />
      <EqualCalls operation="state.schedule" input={inputOf(presentValues(form))} />
    </>
  )
}

async function readState(): Promise<{ values: Values; etag: string }> {
  let etag = ''
  const onHeaders = (headers: Pick<Headers, 'get'>) => {
    etag = headers.get('etag') ?? ''
  }
  return { values: valuesOf(await api.state.one({}, { onHeaders })), etag }
}
