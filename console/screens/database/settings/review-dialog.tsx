/** Shows a change of the settings before it is saved: before and after, and what it restarts. Then offers the deploy. */
import { useSignal } from '@preact/signals'
import { Button } from '../../../components/button.tsx'
import { Dialog } from '../../../components/dialog.tsx'
import { EqualCalls } from '../../../components/forms/equal-calls.tsx'
import { FormBox, Reconnecting } from '../../../components/forms/form.tsx'
import { Notice } from '../../../components/notice.tsx'
import { useForm } from '../../../data/forms/form.ts'
import { callDatabase, idInput } from '../../../data/kinds.ts'
import type { RecordForm } from '../../../data/forms/record-form.ts'
import type { TabProps } from '../view.ts'
import {
  effectOf,
  effectText,
  type FieldName,
  labels,
  setCommand,
  shown,
  updateOf,
  type Values,
  warningOf,
} from './fields.ts'
import { shellLine } from '../../../../shared/shell-word.ts'

interface Props extends TabProps {
  form: RecordForm<Values>
  /** The names of the projects. */
  projects: ReadonlyMap<string, string>
  onClose: () => void
}

export function ReviewDialog(props: Props) {
  const { form, record, onClose } = props
  const needsDeploy = useSignal<boolean | null>(null)
  const isDeployed = record.volume !== null
  if (needsDeploy.value !== null) {
    return (
      <Dialog title="The settings are saved" onClose={onClose}>
        {needsDeploy.value ? <DeployStep {...props} /> : <Done onClose={onClose} />}
      </Dialog>
    )
  }
  const names = form.changed.value as FieldName[]
  const save = async () => {
    const restarts = names.some((name) => effectOf(name, isDeployed) !== 'now')
    const { kind, databaseId } = props
    const isSaved = await form.save((changed, headers) =>
      callDatabase(kind, 'update', databaseId, updateOf(changed), headers),
    )
    if (isSaved) needsDeploy.value = restarts
    else onClose()
  }
  return (
    <Dialog title="Review the changes" onClose={onClose}>
      <ul class="list">
        {names.map((name) => (
          <ChangeItem key={name} name={name} isDeployed={isDeployed} {...props} />
        ))}
      </ul>
      <SameCall {...props} />
      <Reconnecting form={form} />
      <div class="buttons">
        <Button kind="primary" busy={form.isBusy.value} onClick={() => void save()}>
          Save
        </Button>
        <Button onClick={onClose}>Go on editing</Button>
      </div>
    </Dialog>
  )
}

function ChangeItem({ name, isDeployed, kind, form, projects }: Props & { name: FieldName; isDeployed: boolean }) {
  const warning = warningOf(kind, name, form.fields[name].value)
  return (
    <li>
      <h3>{labels[name]}</h3>
      <p>
        <span class="visually-hidden">before: </span>
        <span class="change-before">{shown(name, form.initial.value[name], projects)}</span>
        <span aria-hidden="true"> → </span>
        <span class="visually-hidden">, after: </span>
        <span class="change-after">{shown(name, form.fields[name].value, projects)}</span>
      </p>
      <p class="hint">{effectText(name, isDeployed)}</p>
      {warning !== null && (
        <Notice tone="warning">
          <p>{warning}</p>
        </Notice>
      )}
    </li>
  )
}

function SameCall({ kind, databaseId, form, path }: Props) {
  const changed = Object.fromEntries(
    (form.changed.value as FieldName[]).map((name) => [name, form.fields[name].value]),
  ) as Partial<Values>
  const command = setCommand(path, changed)
  return (
    <EqualCalls
      operation={`${kind}.update`}
      input={{ ...idInput(kind, databaseId), ...updateOf(changed) }}
      {...(command === null ? {} : { command })}
    />
  )
}

const Done = ({ onClose }: { onClose: () => void }) => (
  <>
    <Notice tone="good" announce>
      <p>The change has taken effect. No deploy is needed.</p>
    </Notice>
    <div class="buttons">
      <Button kind="primary" onClick={onClose}>
        Close
      </Button>
    </div>
  </>
)

function DeployStep({ kind, databaseId, record, path, onClose }: Props) {
  const form = useForm({})
  const isStopped = record.applicationStatus === 'idle'
  return (
    <FormBox
      form={form}
      submit="Deploy now"
      onSubmit={() => callDatabase(kind, 'deploy', databaseId)}
      onDone={onClose}
      onCancel={onClose}
      cancel="Later"
    >
      <Notice tone="good" announce>
        <p>Saved. The change takes effect with the next deploy{isStopped ? ', which also starts the database' : ''}.</p>
      </Notice>
      <p>
        {record.volume === null
          ? 'The first deploy creates the volume and starts the server.'
          : 'A deploy replaces the container: clients lose their connections for some seconds. ' +
            'If the new settings do not work, Berth goes back to the last ones that worked.'}
      </p>
      <EqualCalls
        operation={`${kind}.deploy`}
        input={idInput(kind, databaseId)}
        command={shellLine`berth deploy ${path}`}
      />
    </FormBox>
  )
}
