/** Removes a database: what is lost, and what remains. Deleting the data asks for its name. */
import { useSignal } from '@preact/signals'
import { Choices } from '../../../components/choices.tsx'
import { Dialog } from '../../../components/dialog.tsx'
import { EqualCalls } from '../../../components/forms/equal-calls.tsx'
import { TextField } from '../../../components/forms/fields.tsx'
import { FormBox } from '../../../components/forms/form.tsx'
import { useForm } from '../../../data/forms/form.ts'
import { countText } from '../../../data/format.ts'
import { callDatabase, idInput } from '../../../data/kinds.ts'
import { useQuery } from '../../../data/live/query.ts'
import type { TabProps } from '../view.ts'
import { shellLine } from '../../../../shared/shell-word.ts'

export function RemoveDialog(props: TabProps & { onClose: () => void }) {
  const { kind, databaseId, record, path, onClose } = props
  const form = useForm({ typed: '' })
  const removeData = useSignal(false)
  const isTyped = !removeData.value || form.fields.typed.value.trim() === record.name
  const input = removeData.value ? { removeData: true } : {}
  return (
    <Dialog title={`Remove ${record.name}`} onClose={onClose}>
      <FormBox
        form={form}
        submit={removeData.value ? 'Remove the database and its data' : 'Remove the database'}
        kind="danger"
        unavailable={isTyped ? null : `Type ${record.name} to confirm`}
        onSubmit={() => callDatabase(kind, 'remove', databaseId, input)}
        onDone={onClose}
        onCancel={onClose}
      >
        {record.volume !== null && (
          <Choices
            label="What happens to the data"
            choices={[
              { value: 'keep', text: 'keep the volume' },
              { value: 'delete', text: 'delete the data, too' },
            ]}
            value={removeData.value ? 'delete' : 'keep'}
            onChange={(value) => (removeData.value = value === 'delete')}
          />
        )}
        <Consequences {...props} isDataLost={removeData.value} />
        {removeData.value && (
          <TextField
            field={form.fields.typed}
            label={
              <>
                Type <code>{record.name}</code> to confirm
              </>
            }
            autoComplete="off"
          />
        )}
        <EqualCalls
          operation={`${kind}.remove`}
          input={{ ...idInput(kind, databaseId), ...input }}
          command={shellLine`berth rm ${path}${removeData.value ? ['--delete-data'] : []}`}
        />
      </FormBox>
    </Dialog>
  )
}

function Consequences({ databaseId, record, isDataLost }: TabProps & { isDataLost: boolean }) {
  const backups = useQuery('backup.all', { serviceId: databaseId }).data.value ?? []
  return (
    <>
      <h3>Lost</h3>
      <ul class="bullets">
        {record.applicationStatus !== 'idle' && <li>the running server: clients lose their connections at once</li>}
        <li>the record with its settings and URLs</li>
        {backups.length > 0 && <li>{countText(backups.length, 'backup schedule')} of it</li>}
        {isDataLost && (
          <li>
            <strong>all data</strong> on the volume <code>{record.volume}</code>
          </li>
        )}
      </ul>
      <h3>What remains</h3>
      <ul class="bullets">
        {record.volume !== null && !isDataLost && (
          <li>
            the volume <code>{record.volume}</code> with all data. It is listed under Volumes, where it can become a
            database again with the same passwords.
          </li>
        )}
        <li>dumps in the buckets of the destinations. They can be restored into a new database by their key.</li>
        <li>the entries of the audit log and of the past work</li>
      </ul>
    </>
  )
}
