/** Settings of a new database that most do not need: place, limits, arguments, variables. */
import { type SelectProps, SelectField, TextField } from '../../components/forms/fields.tsx'
import { useQuery } from '../../data/live/query.ts'
import { isAdmin } from '../../data/session.ts'
import type { NewDatabaseForm } from './new-database.tsx'

const names = [
  ...['node', 'nodeLabel', 'registryId', 'memoryReservation', 'memoryLimit', 'cpuReservation', 'cpuLimit'],
  ...['startTimeout', 'command', 'env', 'description'],
] as const

/** Opens by itself if Berth refuses one of its fields. */
export function MoreSettings({ form }: { form: NewDatabaseForm }) {
  const isWrong = names.some((name) => form.issues.value[name] !== undefined)
  return (
    <details open={isWrong || undefined}>
      <summary>More settings</summary>
      <div class="form">
        <PlacementFields form={form} />
        <Limits form={form} />
        <Server form={form} />
      </div>
    </details>
  )
}

function PlacementFields({ form: { fields, issues } }: { form: NewDatabaseForm }) {
  // Only administrators can list the nodes.
  const nodes = useQuery('cluster.getNodes', isAdmin() ? {} : null).data.value ?? []
  const common = { field: fields.node, label: 'Node', required: false, issue: issues.value.node }
  const hint = 'The first deploy creates the volume there. Empty: Berth chooses one.'
  return (
    <div class="row">
      {nodes.length > 0 ? (
        <SelectField
          {...common}
          hint={hint}
          choices={[
            { value: '', text: 'Berth chooses one' },
            ...nodes.map(({ hostname }) => ({ value: hostname, text: hostname })),
          ]}
        />
      ) : (
        <TextField {...common} hint={hint} />
      )}
      <TextField
        field={fields.nodeLabel}
        label="Label of the node"
        hint="Instead of a node: a label that it must have, such as disk=ssd."
        required={false}
        issue={issues.value.nodeLabel}
      />
    </div>
  )
}

function Limits({ form: { fields, issues } }: { form: NewDatabaseForm }) {
  const number = { inputMode: 'decimal', required: false } as const
  return (
    <>
      <div class="row">
        <TextField
          {...number}
          field={fields.memoryLimit}
          label="Most memory, in MiB"
          hint="The server is killed if it needs more."
          issue={issues.value.memoryLimit}
        />
        <TextField
          {...number}
          field={fields.memoryReservation}
          label="Reserved memory, in MiB"
          hint="The node must have this much to spare."
          issue={issues.value.memoryReservation}
        />
      </div>
      <div class="row">
        <TextField
          {...number}
          field={fields.cpuLimit}
          label="Most processor cores"
          hint="0.5 is half a core."
          issue={issues.value.cpuLimit}
        />
        <TextField
          {...number}
          field={fields.cpuReservation}
          label="Reserved processor cores"
          issue={issues.value.cpuReservation}
        />
      </div>
      <TextField
        {...number}
        field={fields.startTimeout}
        label="Longest start, in minutes"
        hint="A start that takes longer fails. Empty: Berth waits as long as the container lives."
        issue={issues.value.startTimeout}
      />
    </>
  )
}

function Server({ form: { fields, issues } }: { form: NewDatabaseForm }) {
  const registries = useQuery('registry.all', {}).data.value ?? []
  const registry: SelectProps = {
    field: fields.registryId,
    label: 'Registry of the image',
    hint: 'Berth puts the host of the registry before the image, and uses its credentials.',
    required: false,
    issue: issues.value.registryId,
    choices: [
      { value: '', text: 'The one that the image names' },
      ...registries.map(({ registryId, registryName }) => ({ value: registryId, text: registryName })),
    ],
  }
  return (
    <>
      {registries.length > 0 && <SelectField {...registry} />}
      <TextField
        field={fields.command}
        label="Arguments of the server"
        hint="Such as -c max_connections=200 for PostgreSQL."
        required={false}
        isCode
        issue={issues.value.command}
      />
      <TextField
        field={fields.env}
        label="Environment variables"
        hint="Lines of NAME=value. Everybody who can read the database can read them."
        required={false}
        isLong
        isCode
        issue={issues.value.env}
      />
      <TextField
        field={fields.description}
        label="Description"
        hint="A text for people."
        required={false}
        issue={issues.value.description}
      />
    </>
  )
}
