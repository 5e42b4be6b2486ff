/** The form of the settings. Before it saves, it shows the difference and what the change restarts. */
import { useSignal } from '@preact/signals'
import { useRef } from 'preact/hooks'
import { Conflicts } from '../../../components/forms/conflicts.tsx'
import { SelectField, TextField } from '../../../components/forms/fields.tsx'
import { FormBox } from '../../../components/forms/form.tsx'
import { useQuery } from '../../../data/live/query.ts'
import { type RecordForm, useRecordForm } from '../../../data/forms/record-form.ts'
import { isAdmin } from '../../../data/session.ts'
import { readDatabase, type TabProps } from '../view.ts'
import { hasField, labels, type Values, valuesOf } from './fields.ts'
import { PasswordChoice } from './password-choice.tsx'
import { ReviewDialog } from './review-dialog.tsx'

export function SettingsForm(props: TabProps) {
  const { kind, databaseId, record, etag } = props
  const box = useRef<HTMLElement>(null)
  const isReviewing = useSignal(false)
  const projects = useQuery('project.all', {}).data.value ?? []
  const form = useRecordForm<Values>({ values: valuesOf(kind, record), etag: etag.value ?? '' }, async () => {
    const present = await readDatabase(kind, databaseId)
    return { values: valuesOf(kind, present.record), etag: present.etag }
  })
  const names = new Map(projects.map(({ projectId, name }) => [projectId, name]))
  const hasChanged = form.changed.value.length > 0
  const close = () => {
    isReviewing.value = false
    setTimeout(() => box.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus())
  }
  return (
    <section class="card" aria-labelledby="settings" ref={box}>
      <h2 id="settings">Settings</h2>
      <FormBox
        form={form}
        submit="Review the changes"
        unavailable={hasChanged ? null : 'Nothing was changed'}
        onSubmit={async () => {
          isReviewing.value = true
        }}
        {...(hasChanged ? { onCancel: () => form.reset(form.initial.value) } : {})}
      >
        <General form={form} projects={projects} isNew={record.volume === null} />
        <h3>Server</h3>
        <Server form={form} />
        {record.volume === null && <h3>Place</h3>}
        {record.volume === null && <Placement form={form} />}
        <h3>Credentials</h3>
        <Credentials form={form} kind={kind} />
        <Conflicts form={form} labels={labels} />
      </FormBox>
      {isReviewing.value && <ReviewDialog {...props} form={form} projects={names} onClose={close} />}
    </section>
  )
}

type PartProps = { form: RecordForm<Values> }

function General({
  form: { fields, issues },
  projects,
  isNew,
}: PartProps & { projects: readonly { projectId: string; name: string }[]; isNew: boolean }) {
  return (
    <>
      <TextField field={fields.name} label={labels.name} issue={issues.value.name} />
      <TextField
        field={fields.description}
        label={labels.description}
        required={false}
        isLong
        hint="A text for people"
        issue={issues.value.description}
      />
      <SelectField
        field={fields.projectId}
        label={labels.projectId}
        choices={projects.map(({ projectId, name }) => ({ value: projectId, text: name }))}
        issue={issues.value.projectId}
      />
      {isNew && (
        <TextField
          field={fields.appName}
          label={labels.appName}
          isCode
          hint="The name under which other services reach the database. It cannot change after the first deploy."
          issue={issues.value.appName}
        />
      )}
    </>
  )
}

const Server = ({ form, form: { fields, issues } }: PartProps) => (
  <>
    <TextField
      field={fields.dockerImage}
      label={labels.dockerImage}
      isCode
      hint="Such as postgres:17 or registry.example.com/team/postgres:17. The new version must be able to open the data."
      issue={issues.value.dockerImage}
    />
    <TextField
      field={fields.command}
      label={labels.command}
      required={false}
      isCode
      hint="Arguments of the server, quoted as in a shell, such as -c work_mem=64MB"
      issue={issues.value.command}
    />
    <div class="row">
      <TextField
        field={fields.memoryLimit}
        label={`${labels.memoryLimit} (MiB)`}
        required={false}
        inputMode="decimal"
        hint="The most memory that the server can use. Empty: no limit"
        issue={issues.value.memoryLimit}
      />
      <TextField
        field={fields.memoryReservation}
        label={`${labels.memoryReservation} (MiB)`}
        required={false}
        inputMode="decimal"
        hint="Kept free for it on its node"
        issue={issues.value.memoryReservation}
      />
    </div>
    <div class="row">
      <TextField
        field={fields.cpuLimit}
        label={`${labels.cpuLimit} (cores)`}
        required={false}
        inputMode="decimal"
        hint="0.5 is half a core. Empty: no limit"
        issue={issues.value.cpuLimit}
      />
      <TextField
        field={fields.cpuReservation}
        label={`${labels.cpuReservation} (cores)`}
        required={false}
        inputMode="decimal"
        hint="Kept free for it on its node"
        issue={issues.value.cpuReservation}
      />
    </div>
    <LongestStart form={form} />
  </>
)

const LongestStart = ({ form: { fields, issues } }: PartProps) => (
  <TextField
    field={fields.startTimeout}
    label={`${labels.startTimeout} (minutes)`}
    required={false}
    inputMode="numeric"
    hint="A start that takes longer fails and stops the server. Empty: Berth waits as long as the container lives"
    issue={issues.value.startTimeout}
  />
)

/** Only before the volume exists. Afterwards a move changes the node. */
function Placement({ form: { fields, issues } }: PartProps) {
  const nodes = useQuery('cluster.getNodes', isAdmin() ? {} : null).data.value
  const hint = 'Where the first deploy creates the volume. Afterwards only a move changes it.'
  return (
    <div class="row">
      {nodes === undefined ? (
        <TextField field={fields.node} label={labels.node} required={false} hint={hint} issue={issues.value.node} />
      ) : (
        <SelectField
          field={fields.node}
          label={labels.node}
          required={false}
          choices={[
            { value: '', text: 'Berth chooses' },
            ...nodes.map(({ hostname }) => ({ value: hostname, text: hostname })),
          ]}
          hint={hint}
          issue={issues.value.node}
        />
      )}
      <TextField
        field={fields.nodeLabel}
        label={labels.nodeLabel}
        required={false}
        isCode
        placeholder="disk=ssd"
        hint="Instead of a node: a label that the node must have"
        issue={issues.value.nodeLabel}
      />
    </div>
  )
}

function Credentials({ form: { fields, issues }, kind }: PartProps & Pick<TabProps, 'kind'>) {
  return (
    <>
      {hasField(kind, 'databaseName') && (
        <TextField
          field={fields.databaseName}
          label={labels.databaseName}
          isCode
          hint="Another name creates another database; the old one stays"
          issue={issues.value.databaseName}
        />
      )}
      {hasField(kind, 'databaseUser') && (
        <TextField
          field={fields.databaseUser}
          label={labels.databaseUser}
          isCode
          autoComplete="off"
          hint="Another name creates another user with equal rights; the old one can no longer log in"
          issue={issues.value.databaseUser}
        />
      )}
      <PasswordChoice
        field={fields.databasePassword}
        label={labels.databasePassword}
        issue={issues.value.databasePassword}
      />
      {hasField(kind, 'databaseRootPassword') && (
        <PasswordChoice
          field={fields.databaseRootPassword}
          label={labels.databaseRootPassword}
          issue={issues.value.databaseRootPassword}
        />
      )}
      {hasField(kind, 'replicaSet') && (
        <TextField
          field={fields.replicaSet}
          label={labels.replicaSet}
          required={false}
          isCode
          autoComplete="off"
          hint="For transactions and change streams. It cannot be changed once the server runs with it"
          issue={issues.value.replicaSet}
        />
      )}
    </>
  )
}
