/** Moves a database to another node: what happens, and how long it is down. */
import { Dialog } from '../../../components/dialog.tsx'
import { EqualCalls } from '../../../components/forms/equal-calls.tsx'
import { SelectField, TextField } from '../../../components/forms/fields.tsx'
import { FormBox } from '../../../components/forms/form.tsx'
import { useForm } from '../../../data/forms/form.ts'
import { callDatabase, idInput } from '../../../data/kinds.ts'
import { useQuery } from '../../../data/live/query.ts'
import { isAdmin } from '../../../data/session.ts'
import type { TabProps } from '../view.ts'
import { shellLine } from '../../../../shared/shell-word.ts'

export function MoveDialog({ kind, databaseId, record, path, onClose }: TabProps & { onClose: () => void }) {
  const form = useForm({ node: '' })
  const node = form.fields.node.value.trim()
  return (
    <Dialog title={`Move ${record.name} to another node`} onClose={onClose}>
      <FormBox
        form={form}
        submit="Move the database"
        kind="danger"
        unavailable={node === '' ? 'Choose a node' : null}
        onSubmit={() => callDatabase(kind, 'move', databaseId, { node })}
        onDone={onClose}
        onCancel={onClose}
      >
        <ol class="steps">
          <li>A server with an empty volume is made on the new node. The database still runs.</li>
          <li>The database stops. Its data is copied, and both sides are compared.</li>
          <li>
            It starts on the new node, with the same name and external port. Clients from outside use the new node.
          </li>
        </ol>
        <p>
          It is down as long as the copy takes: about as long as a backup and a restore together. If a step fails, it
          starts on {record.node ?? 'its old node'} again. The old volume is kept.
        </p>
        <NodeField form={form} present={record.node} />
        <EqualCalls
          operation={`${kind}.move`}
          input={{ ...idInput(kind, databaseId), node: node === '' ? 'NODE' : node }}
          command={shellLine`berth move ${path} --node ${node === '' ? 'NODE' : node}`}
        />
      </FormBox>
    </Dialog>
  )
}

/** Only administrators can list the nodes. */
function NodeField({ form, present }: { form: ReturnType<typeof useForm<{ node: string }>>; present: string | null }) {
  const nodes = useQuery('cluster.getNodes', isAdmin() ? {} : null).data.value
  const issue = form.issues.value.node
  if (nodes === undefined) return <TextField field={form.fields.node} label="Host name of the new node" issue={issue} />
  const others = nodes.filter(({ hostname }) => hostname !== present)
  if (others.length === 0) return <p class="muted">The swarm has no other node. Add one under Nodes.</p>
  return (
    <SelectField
      field={form.fields.node}
      label="New node"
      choices={[{ value: '', text: 'choose' }, ...others.map(({ id, hostname }) => ({ value: id, text: hostname }))]}
      issue={issue}
    />
  )
}
