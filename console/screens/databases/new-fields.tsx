/** What every new database needs: project, names, image, credentials, port. */
import { useId } from 'preact/hooks'
import { PasswordField, SelectField, TextField } from '../../components/forms/fields.tsx'
import { useProjects } from '../../data/lists/projects.ts'
import { suggestedImages } from '../../data/suggested-images.ts'
import { settingsOfKind, suggestedAppName, suggestedDatabaseName } from './new-input.ts'
import type { NewDatabaseForm } from './new-database.tsx'

export function NewDatabaseFields({ form, projectName }: { form: NewDatabaseForm; projectName: string }) {
  const { fields, issues } = form
  const suggestion = suggestedAppName(projectName, fields.name.value)
  return (
    <>
      <ProjectFields form={form} />
      <TextField
        field={fields.name}
        label="Name"
        hint="A name for people, such as orders."
        autoComplete="off"
        issue={issues.value.name}
      />
      <TextField
        field={fields.appName}
        label="Host name"
        hint="Other services reach the database under this name (appName). It is final after the first deploy."
        placeholder={suggestion}
        required={false}
        isCode
        autoComplete="off"
        issue={issues.value.appName}
      />
      <ImageField form={form} />
      <Credentials form={form} />
      <TextField
        field={fields.externalPort}
        label="External port"
        hint="The port of the node at which clients outside the swarm reach the database. Empty: they do not reach it."
        inputMode="numeric"
        required={false}
        issue={issues.value.externalPort}
      />
    </>
  )
}

function ProjectFields({ form: { fields, issues } }: { form: NewDatabaseForm }) {
  const projects = useProjects().data.value ?? []
  const choices = [
    { value: '', text: projects.length === 0 ? 'A new project' : 'A new project …' },
    ...projects.map(({ projectId, name }) => ({ value: projectId, text: name })),
  ]
  return (
    <div class="row">
      <SelectField field={fields.projectId} label="Project" choices={choices} issue={issues.value.projectId} />
      {fields.projectId.value === '' && (
        <TextField
          field={fields.projectName}
          label="Name of the new project"
          autoComplete="off"
          issue={issues.value.projectName}
        />
      )}
    </div>
  )
}

function ImageField({ form: { fields, issues } }: { form: NewDatabaseForm }) {
  const listId = useId()
  return (
    <>
      <TextField
        field={fields.dockerImage}
        label="Image"
        hint="One of the suggestions, or any other image with the same server. The tag decides the version."
        isCode
        autoComplete="off"
        list={listId}
        issue={issues.value.dockerImage}
      />
      <datalist id={listId}>
        {suggestedImages[fields.kind.value].map((image) => (
          <option key={image} value={image} />
        ))}
      </datalist>
    </>
  )
}

const random = 'Empty: Berth makes a random one.'

function Credentials({ form: { fields, issues } }: { form: NewDatabaseForm }) {
  const settings = settingsOfKind[fields.kind.value]
  const suggestion = suggestedDatabaseName(fields.name.value)
  const common = { required: false, autoComplete: 'off', placeholder: suggestion } as const
  return (
    <>
      <div class="row">
        {settings.includes('databaseName') && (
          <TextField
            {...common}
            field={fields.databaseName}
            label="Database"
            hint="The first deploy creates it in the server."
            issue={issues.value.databaseName}
          />
        )}
        {settings.includes('databaseUser') && (
          <TextField {...common} field={fields.databaseUser} label="User" issue={issues.value.databaseUser} />
        )}
      </div>
      <PasswordField
        field={fields.databasePassword}
        label="Password"
        hint={random}
        required={false}
        autoComplete="new-password"
        issue={issues.value.databasePassword}
      />
      {settings.includes('databaseRootPassword') && (
        <PasswordField
          field={fields.databaseRootPassword}
          label="Password of the user root"
          hint={random}
          required={false}
          autoComplete="new-password"
          issue={issues.value.databaseRootPassword}
        />
      )}
      {settings.includes('replicaSet') && (
        <TextField
          field={fields.replicaSet}
          label="Replica set"
          required={false}
          autoComplete="off"
          placeholder="rs0"
          hint="A name: the server becomes a replica set of one, for transactions and change streams. Empty: none."
          issue={issues.value.replicaSet}
        />
      )}
    </>
  )
}
