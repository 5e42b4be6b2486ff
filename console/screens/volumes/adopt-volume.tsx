/** Deploys a new database with a copy of a volume that Berth did not create. */
import { useLocation } from 'wouter-preact'
import { Dialog } from '../../components/dialog.tsx'
import { EqualCalls } from '../../components/forms/equal-calls.tsx'
import { SelectField, TextField } from '../../components/forms/fields.tsx'
import { FormBox } from '../../components/forms/form.tsx'
import { Loaded } from '../../components/loaded.tsx'
import { Notice } from '../../components/notice.tsx'
import { api } from '../../data/api.ts'
import { useForm } from '../../data/forms/form.ts'
import { useQuery } from '../../data/live/query.ts'
import { databasePath } from '../../routes.ts'
import { shellLine } from '../../../shared/shell-word.ts'

interface Choice {
  databaseId: string
  name: string
  projectName: string
}

export function AdoptVolume({ onClose }: { onClose: () => void }) {
  const databases = useQuery('database.all', { status: 'idle' })
  return (
    <Dialog title="Copy a volume of another system" onClose={onClose}>
      <Loaded query={databases} what="the databases">
        {(all) => {
          // A database that was deployed has a container state, unless it is stopped. The server checks the rest.
          const choices = all.filter(({ containerState }) => containerState === null)
          return choices.length === 0 ? (
            <Notice>
              <p>
                Create a database first, with the image, the names and the passwords of the old server, and do not
                deploy it. Then come back.
              </p>
            </Notice>
          ) : (
            <AdoptForm choices={choices} onClose={onClose} />
          )
        }}
      </Loaded>
    </Dialog>
  )
}

function AdoptForm({ choices, onClose }: { choices: Choice[]; onClose: () => void }) {
  const [, go] = useLocation()
  const form = useForm({ volume: '', databaseId: choices[0]!.databaseId, node: '' })
  const { fields, issues } = form
  const databaseId = fields.databaseId.value
  const input = {
    ...{ volume: fields.volume.value, databaseId },
    ...(fields.node.value === '' ? {} : { node: fields.node.value }),
  }
  const pathOf = ({ projectName, name }: Choice) => `${projectName}/${name}`
  const chosen = choices.find((choice) => choice.databaseId === databaseId)!
  return (
    <FormBox
      form={form}
      submit="Copy the volume and deploy"
      onSubmit={async () => {
        await api.volume.adopt(input)
        go(databasePath(databaseId))
      }}
      onCancel={onClose}
    >
      <p>
        Stop the old server first. Berth copies its data to a new volume on the same node, and starts the database on
        the copy. The old volume stays as it is.
      </p>
      <TextField
        field={fields.volume}
        label="Docker volume"
        placeholder="postgres-data-k8s0w4"
        hint="The name that docker volume ls shows on the node."
        isCode
        issue={issues.value.volume}
      />
      <SelectField
        field={fields.databaseId}
        label="Database"
        choices={choices.map((choice) => ({ value: choice.databaseId, text: pathOf(choice) }))}
        issue={issues.value.databaseId}
      />
      <TextField
        field={fields.node}
        label="Node"
        hint="Empty: the only node that has the volume."
        required={false}
        issue={issues.value.node}
      />
      <EqualCalls
        operation="volume.adopt"
        input={input}
        command={shellLine`berth volume adopt ${fields.volume.value} ${pathOf(chosen)}`}
      />
    </FormBox>
  )
}
