/** Sets the shown status of a database by hand. This is rarely needed. */
import { EqualCalls } from '../../../components/forms/equal-calls.tsx'
import { SelectField } from '../../../components/forms/fields.tsx'
import { FormBox } from '../../../components/forms/form.tsx'
import { useForm } from '../../../data/forms/form.ts'
import { callDatabase, idInput } from '../../../data/kinds.ts'
import type { TabProps } from '../view.ts'

const choices = [
  { value: 'idle', text: 'stopped (idle)' },
  { value: 'running', text: 'working (running)' },
  { value: 'done', text: 'up (done)' },
  { value: 'error', text: 'down (error)' },
]

export function StatusForm({ kind, databaseId, record }: TabProps) {
  const form = useForm({ applicationStatus: record.applicationStatus as string })
  const applicationStatus = form.fields.applicationStatus.value
  return (
    <details class="card">
      <summary>Set the shown status by hand</summary>
      <p>
        This changes only the word that is shown, and nothing that runs. Berth overwrites it with what it observes next.
        It exists for scripts of other systems that report a status; there is rarely a reason to use it.
      </p>
      <FormBox
        form={form}
        submit="Set the status"
        kind="danger"
        unavailable={applicationStatus === record.applicationStatus ? 'This is the present status' : null}
        onSubmit={() => callDatabase(kind, 'changeStatus', databaseId, { applicationStatus })}
      >
        <SelectField
          field={form.fields.applicationStatus}
          label="Status"
          choices={choices}
          issue={form.issues.value.applicationStatus}
        />
        <EqualCalls operation={`${kind}.changeStatus`} input={{ ...idInput(kind, databaseId), applicationStatus }} />
      </FormBox>
    </details>
  )
}
