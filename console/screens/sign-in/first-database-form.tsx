/** The first project and database: a kind, an image, and who reaches it. */
import { useEffect, useRef } from 'preact/hooks'
import { Button } from '../../components/button.tsx'
import { EqualCalls } from '../../components/forms/equal-calls.tsx'
import { SelectField, TextField } from '../../components/forms/fields.tsx'
import { FormBox } from '../../components/forms/form.tsx'
import { api } from '../../data/api.ts'
import { type Form, useForm } from '../../data/forms/form.ts'
import { callDatabase, idInput, type Kind } from '../../data/kinds.ts'
import { suggestedImages } from '../../data/suggested-images.ts'
import { createInput, type FirstDatabase, suggestions } from './first-database.ts'
import { KindField } from './kind-field.tsx'
import { shellLine } from '../../../shared/shell-word.ts'

const otherImage = 'other'

const first = {
  ...{ kind: 'postgres' as Kind, project: 'shop', name: 'orders', choice: suggestedImages.postgres[0]! },
  ...{ dockerImage: '', reach: 'inside', externalPort: '' },
}
type Values = typeof first

const databaseOf = ({ kind, project, name, choice, dockerImage, reach, externalPort }: Values): FirstDatabase => ({
  ...{ kind, project, name, image: choice === otherImage ? dockerImage : choice },
  externalPort: reach === 'outside' ? Number(externalPort) : null,
})

interface Props {
  onCreated: (kind: Kind, databaseId: string) => void
  onSkip: () => void
}

export function FirstDatabaseForm({ onCreated, onSkip }: Props) {
  const form = useForm(first)
  const { fields, issues } = form
  const kind = fields.kind.value
  // A repeated attempt uses what the one before has created.
  const created = useRef<{ projectId?: string; databaseId?: string }>({})
  useEffect(() => {
    fields.choice.value = suggestedImages[kind][0]!
    fields.externalPort.value = String(suggestions[kind].port)
  }, [kind])
  const create = async (values: Values) => {
    const { current } = created
    const database = databaseOf(values)
    current.projectId ??= (await api.project.create({ name: values.project })).projectId
    current.databaseId ??= await createDatabase(database, current.projectId)
    await callDatabase(kind, 'deploy', current.databaseId)
    onCreated(kind, current.databaseId)
  }
  return (
    <>
      <p>A project holds what belongs together, such as the databases of one shop.</p>
      <FormBox form={form} submit="Create and start the database" onSubmit={create}>
        <div class="row">
          <TextField field={fields.project} label="Project" autoComplete="off" issue={issues.value.project} />
          <TextField
            field={fields.name}
            label="Database"
            autoComplete="off"
            issue={issues.value.name ?? issues.value.appName}
          />
        </div>
        <KindField field={fields.kind} />
        <ImageFields form={form} />
        <ReachFields form={form} />
      </FormBox>
      <Button kind="plain" onClick={onSkip}>
        Skip this and go to the overview
      </Button>
      <EqualCalls
        operation={`${kind}.create`}
        input={{ ...createInput(databaseOf(form.values()), '<projectId>') }}
        command={commandOf(databaseOf(form.values()))}
      />
    </>
  )
}

interface FieldsProps {
  form: Form<Values>
}

const ImageFields = ({ form: { fields, issues } }: FieldsProps) => {
  const isOther = fields.choice.value === otherImage
  const images = suggestedImages[fields.kind.value]
  return (
    <div class="row">
      <SelectField
        field={fields.choice}
        label="Image"
        choices={[...images.map((text) => ({ value: text, text })), { value: otherImage, text: 'another image …' }]}
        hint="The program of the database and its version. Berth fetches it if the machine does not have it yet."
        issue={isOther ? undefined : issues.value.dockerImage}
      />
      {isOther && (
        <TextField
          field={fields.dockerImage}
          label="Name of the image"
          placeholder={images[0]!}
          isCode
          autoComplete="off"
          issue={issues.value.dockerImage}
        />
      )}
    </div>
  )
}

const ReachFields = ({ form: { fields, issues } }: FieldsProps) => (
  <div class="row">
    <SelectField
      field={fields.reach}
      label="Who reaches it"
      choices={[
        { value: 'inside', text: 'only applications in the swarm' },
        { value: 'outside', text: 'also programs elsewhere, by a port' },
      ]}
      hint="The swarm is the machines that Berth runs on. Everybody who reaches the machine can try a port."
    />
    {fields.reach.value === 'outside' && (
      <TextField
        field={fields.externalPort}
        label="Port"
        type="number"
        min={1}
        max={65_535}
        issue={issues.value.externalPort}
      />
    )}
  </div>
)

async function createDatabase(database: FirstDatabase, projectId: string): Promise<string> {
  const { kind } = database
  const answer = await api.call(`${kind}.create` as string, createInput(database, projectId))
  const [idField] = Object.keys(idInput(kind, ''))
  return (answer as Record<string, string>)[idField!]!
}

const commandOf = ({ kind, project, name, image, externalPort }: FirstDatabase) => {
  const port = externalPort === null ? [] : ['--port', String(externalPort)]
  return [
    shellLine`berth project create ${project}`,
    shellLine`berth create${[kind]} ${name} --project ${project} --image ${image}${port}`,
  ].join('\n')
}
