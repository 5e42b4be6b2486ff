/** Changes the name and the description of a project. */
import type { Project } from '../../../client/client.ts'
import { Dialog } from '../../components/dialog.tsx'
import { Conflicts } from '../../components/forms/conflicts.tsx'
import { EqualCalls } from '../../components/forms/equal-calls.tsx'
import { TextField } from '../../components/forms/fields.tsx'
import { FormBox } from '../../components/forms/form.tsx'
import { api } from '../../data/api.ts'
import { useRecordForm } from '../../data/forms/record-form.ts'
import { shellLine } from '../../../shared/shell-word.ts'

interface Props {
  project: Project
  etag: string
  onClose: () => void
}

const valuesOf = ({ name, description }: Project) => ({ name, description: description ?? '' })
const labels = { name: 'Name', description: 'Description' }

export function EditDialog({ project, etag, onClose }: Props) {
  const { projectId } = project
  const form = useRecordForm({ values: valuesOf(project), etag }, () => readProject(projectId))
  const { fields, issues } = form
  const input = { projectId, name: fields.name.value, description: fields.description.value || null }
  const command = form.changed.value.includes('description')
    ? undefined
    : shellLine`berth project rename ${form.initial.value.name} ${input.name}`
  return (
    <Dialog title="Rename or describe the project" onClose={onClose}>
      <FormBox
        // The form of the record sends If-Match, and finds what others have changed.
        form={{
          ...form,
          submit: () => form.save((_, headers) => api.project.update(inputOf(projectId, form.values()), { headers })),
        }}
        submit="Save"
        unavailable={form.changed.value.length === 0 ? 'Nothing was changed' : null}
        onSubmit={async () => {}}
        onDone={onClose}
        onCancel={onClose}
      >
        <Conflicts form={form} labels={labels} />
        <TextField
          field={fields.name}
          label={labels.name}
          hint="Databases keep their host names."
          issue={issues.value.name}
        />
        <TextField
          field={fields.description}
          label={labels.description}
          required={false}
          issue={issues.value.description}
        />
        <EqualCalls operation="project.update" input={input} {...(command === undefined ? {} : { command })} />
      </FormBox>
    </Dialog>
  )
}

const inputOf = (projectId: string, { name, description }: { name: string; description: string }) => ({
  projectId,
  name,
  description: description === '' ? null : description,
})

async function readProject(projectId: string) {
  let etag = ''
  const onHeaders = (headers: Pick<Headers, 'get'>) => {
    etag = headers.get('etag') ?? ''
  }
  const project = await api.project.one({ projectId }, { onHeaders })
  return { values: valuesOf(project), etag }
}
