/** What the audit log is filtered by. */
import { SelectField, TextField } from '../../components/forms/fields.tsx'
import type { Form } from '../../data/forms/form.ts'
import { useQuery } from '../../data/live/query.ts'
import type { AuditFilter } from './entries.ts'

const times = [
  { value: '', text: 'All times' },
  { value: '1h', text: 'Last hour' },
  { value: '1d', text: 'Last day' },
  { value: '7d', text: 'Last 7 days' },
  { value: '30d', text: 'Last 30 days' },
]
const results = [
  { value: '', text: 'All results' },
  { value: 'OK', text: 'Accepted (OK)' },
  { value: 'UNAUTHORIZED', text: 'Not signed in (UNAUTHORIZED)' },
  { value: 'FORBIDDEN', text: 'Not allowed (FORBIDDEN)' },
  { value: 'BAD_REQUEST', text: 'Wrong input (BAD_REQUEST)' },
  { value: 'NOT_FOUND', text: 'Not found (NOT_FOUND)' },
  { value: 'CONFLICT', text: 'Conflict (CONFLICT)' },
  { value: 'PRECONDITION_FAILED', text: 'Changed meanwhile (PRECONDITION_FAILED)' },
]

export function FilterFields({ form }: { form: Form<AuditFilter> }) {
  const { since, operation, accountId, result, record } = form.fields
  const users = useQuery('user.all', {}).data.value ?? []
  const accounts = users.map(({ authId, email }) => ({ value: authId, text: email }))
  return (
    <div class="filters">
      <SelectField field={since} label="Time" choices={times} />
      <SelectField field={accountId} label="Account" choices={[{ value: '', text: 'All accounts' }, ...accounts]} />
      <SelectField field={result} label="Result" choices={results} />
      <TextField field={operation} label="Operation" placeholder="postgres.deploy" isCode required={false} />
      <TextField field={record} label="Record" placeholder="id" isCode required={false} />
    </div>
  )
}
