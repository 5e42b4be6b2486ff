/** A new database of any kind. Creating and deploying are two calls: a deploy that fails leaves the record. */
import { effect, useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { useLocation, useSearch } from 'wouter-preact'
import { BerthError } from '../../../client/client.ts'
import { LinkButton } from '../../components/button.tsx'
import { Choices } from '../../components/choices.tsx'
import { EqualCalls } from '../../components/forms/equal-calls.tsx'
import { CheckField } from '../../components/forms/fields.tsx'
import { FormBox } from '../../components/forms/form.tsx'
import { ErrorNotice } from '../../components/notice.tsx'
import { Page } from '../../components/page.tsx'
import { api } from '../../data/api.ts'
import { type Form, useForm } from '../../data/forms/form.ts'
import { callDatabase, type Kind, kindLabels, kinds } from '../../data/kinds.ts'
import { suggestedImages } from '../../data/suggested-images.ts'
import { useProjects } from '../../data/lists/projects.ts'
import { databasePath } from '../../routes.ts'
import { MoreSettings } from './more-settings.tsx'
import { NewDatabaseFields } from './new-fields.tsx'
import { createCommand, createInput, type NewDatabaseValues } from './new-input.ts'

export type NewDatabaseForm = Form<NewDatabaseValues>

const empty: NewDatabaseValues = {
  ...{ kind: 'postgres', projectId: '', projectName: '', name: '', appName: '', dockerImage: '', registryId: '' },
  ...{ databaseName: '', databaseUser: '', databasePassword: '', databaseRootPassword: '', externalPort: '' },
  ...{ node: '', nodeLabel: '', memoryReservation: '', memoryLimit: '', cpuReservation: '', cpuLimit: '' },
  ...{ replicaSet: '', startTimeout: '', command: '', env: '', description: '' },
}

export default function NewDatabase() {
  const parameters = new URLSearchParams(useSearch())
  const wanted = parameters.get('kind') as Kind
  const kind = kinds.includes(wanted) ? wanted : 'postgres'
  const form = useForm<NewDatabaseValues>({
    ...empty,
    kind,
    projectId: parameters.get('project') ?? '',
    dockerImage: suggestedImages[kind][0]!,
  })
  const isDeployed = useSignal(true)
  const created = useSignal<Created | null>(null)
  const deployError = useSignal<unknown>(null)
  const projectName = useProjectName(form)
  const [, go] = useLocation()
  useSuggestedImage(form)

  const submit = async (values: NewDatabaseValues) => {
    const made = await create(form, values, projectName)
    if (isDeployed.peek()) {
      await callDatabase(values.kind, 'deploy', made.databaseId).catch((error: unknown) => {
        created.value = made
        deployError.value = error
      })
    }
    if (deployError.peek() === null) go(databasePath(made.databaseId, 'state'))
  }
  if (created.value !== null) return <NotDeployed created={created.value} error={deployError.value} />
  const values = valuesOf(form)
  const command = isDeployed.value ? createCommand(values, projectName) : null
  return (
    <Page title="New database" sub="One server in a container, with its own volume.">
      <FormBox
        form={form}
        submit={isDeployed.value ? 'Create and deploy the database' : 'Create the database'}
        onSubmit={submit}
      >
        <Choices
          label="Kind"
          choices={kinds.map((each) => ({ value: each, text: kindLabels[each] }))}
          value={form.fields.kind.value}
          onChange={(value) => (form.fields.kind.value = value as Kind)}
        />
        <NewDatabaseFields form={form} projectName={projectName} />
        <MoreSettings form={form} />
        <CheckField
          field={isDeployed}
          label="Deploy it at once"
          hint="A deploy gets the image, creates the volume, starts the server and logs in."
        />
        <EqualCalls
          operation={`${values.kind}.create`}
          input={createInput(values, values.projectId || '<id of the new project>', projectName)}
          {...(command === null ? {} : { command })}
        />
      </FormBox>
    </Page>
  )
}

interface Created {
  databaseId: string
  name: string
}

/** A project that was created stays chosen if the next call fails, so that a repetition creates no second one. */
async function create(form: NewDatabaseForm, values: NewDatabaseValues, projectName: string): Promise<Created> {
  let { projectId } = values
  if (projectId === '') {
    projectId = (await createProject(values.projectName)).projectId
    form.fields.projectId.value = projectId
  }
  const input = createInput({ ...values, projectId }, projectId, projectName)
  const record = (await api.call(`${values.kind}.create` as string, input)) as Record<string, string>
  return { databaseId: record[`${values.kind}Id`]!, name: values.name }
}

/** What is wrong with the name of the project is shown at its field, which is not that of the database's name. */
async function createProject(name: string) {
  try {
    return await api.project.create({ name })
  } catch (error) {
    if (!(error instanceof BerthError)) throw error
    const issues = error.issues.map((issue) => ({ ...issue, path: issue.path === 'name' ? 'projectName' : issue.path }))
    throw new BerthError(error.message, { ...error, issues }, { cause: error })
  }
}

const NotDeployed = ({ created: { databaseId, name }, error }: { created: Created; error: unknown }) => (
  <Page title="New database">
    <ErrorNotice error={error}>
      <p>{`The database ${name} was created, but its deploy was refused.`}</p>
      <LinkButton href={databasePath(databaseId, 'state')}>Go to the database</LinkButton>
    </ErrorNotice>
  </Page>
)

const valuesOf = ({ fields }: NewDatabaseForm) =>
  Object.fromEntries(Object.entries(fields).map(([name, { value }]) => [name, value])) as unknown as NewDatabaseValues

/** The name of the chosen project, or of the new one. */
function useProjectName({ fields }: NewDatabaseForm): string {
  const projects = useProjects().data.value ?? []
  const chosen = projects.find(({ projectId }) => projectId === fields.projectId.value)
  return chosen?.name ?? fields.projectName.value
}

/** Another kind has another image. An image that the person has typed stays. */
function useSuggestedImage({ fields }: NewDatabaseForm) {
  const last = useRef(fields.dockerImage.peek())
  useEffect(
    () =>
      effect(() => {
        const [image] = suggestedImages[fields.kind.value]
        if (fields.dockerImage.peek() !== last.current) return
        last.current = image!
        fields.dockerImage.value = image!
      }),
    [],
  )
}
