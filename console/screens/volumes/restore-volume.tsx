/** Creates a database on a kept volume. */
import { useLocation } from 'wouter-preact'
import type { Volume } from '../../../client/client.ts'
import { Dialog } from '../../components/dialog.tsx'
import { EqualCalls } from '../../components/forms/equal-calls.tsx'
import { SelectField, TextField } from '../../components/forms/fields.tsx'
import { FormBox } from '../../components/forms/form.tsx'
import { Loaded } from '../../components/loaded.tsx'
import { Notice } from '../../components/notice.tsx'
import { useRights } from '../../data/access/rights.ts'
import { api } from '../../data/api.ts'
import { useForm } from '../../data/forms/form.ts'
import type { Kind } from '../../data/kinds.ts'
import { useQuery } from '../../data/live/query.ts'
import { databasePath } from '../../routes.ts'
import { contentText } from './content-text.ts'

interface Props {
  volume: Volume
  onClose: () => void
}

export function RestoreVolume({ volume, onClose }: Props) {
  const projects = useQuery('project.all', {})
  const { whyNot } = useRights()
  return (
    <Dialog title={`Restore the volume of ${volume.appName}`} onClose={onClose}>
      <Loaded query={projects} what="the projects">
        {(all) =>
          all.length === 0 ? (
            <Notice>
              <p>Create a project first: the new database belongs to one.</p>
            </Notice>
          ) : (
            <RestoreForm
              volume={volume}
              projects={all.filter(({ projectId }) => whyNot(projectId, 'owner') === null)}
              onClose={onClose}
            />
          )
        }
      </Loaded>
    </Dialog>
  )
}

function RestoreForm({ volume, projects, onClose }: Props & { projects: { projectId: string; name: string }[] }) {
  const [, go] = useLocation()
  const form = useForm({ name: volume.appName, projectId: projects[0]!.projectId, appName: '', dockerImage: '' })
  const { fields, issues } = form
  const input = {
    ...{ volumeId: volume.volumeId, name: fields.name.value, projectId: fields.projectId.value },
    ...(fields.appName.value === '' ? {} : { appName: fields.appName.value }),
    ...(fields.dockerImage.value === '' ? {} : { dockerImage: fields.dockerImage.value }),
  }
  return (
    <FormBox
      form={form}
      submit="Create the database on this volume"
      onSubmit={async () => {
        const created = (await api.volume.restore(input)) as unknown as Record<string, string>
        go(databasePath(created[`${volume.kind as Kind}Id`]!))
      }}
      onCancel={onClose}
    >
      <p>
        The new database gets this volume as it is: {contentText(volume)} on {volume.node}, with the users and passwords
        of its data. It starts when you deploy it.
      </p>
      <TextField field={fields.name} label="Name" issue={issues.value.name} />
      <SelectField
        field={fields.projectId}
        label="Project"
        choices={projects.map(({ projectId, name }) => ({ value: projectId, text: name }))}
        issue={issues.value.projectId}
      />
      <TextField
        field={fields.appName}
        label="Host name for other services"
        hint="Empty: Berth derives it from the name. It cannot change after the first deploy."
        required={false}
        issue={issues.value.appName}
      />
      <TextField
        field={fields.dockerImage}
        label="Image"
        placeholder={volume.dockerImage}
        hint="Empty: the image that the volume was last used with. Another one has to be able to open its files."
        required={false}
        isCode
        issue={issues.value.dockerImage}
      />
      <EqualCalls operation="volume.restore" input={input} />
    </FormBox>
  )
}
