/** Adds or edits the credentials of a registry, and tests them without storing them. */
import { useSignal } from '@preact/signals'
import type { Registry } from '../../../client/client.ts'
import { Button } from '../../components/button.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { Conflicts } from '../../components/forms/conflicts.tsx'
import { EqualCalls } from '../../components/forms/equal-calls.tsx'
import { CheckField, PasswordField, SelectField, TextField } from '../../components/forms/fields.tsx'
import { FormBox } from '../../components/forms/form.tsx'
import { Loaded } from '../../components/loaded.tsx'
import { ErrorNotice, Notice } from '../../components/notice.tsx'
import { api } from '../../data/api.ts'
import { type Form, useForm } from '../../data/forms/form.ts'
import { useQuery } from '../../data/live/query.ts'
import { useRecordForm } from '../../data/forms/record-form.ts'

type Values = Pick<Registry, 'registryName' | 'registryUrl' | 'username' | 'registryType' | 'insecure'> & {
  imagePrefix: string
  /** Empty in an edit: the stored one stays. */
  password: string
}

const mask = '********'
const types = [
  { value: 'cloud', text: 'At a provider, such as Docker Hub' },
  { value: 'selfHosted', text: 'On machines of your own' },
]
const labels = {
  ...{ registryName: 'Name', registryUrl: 'Address', username: 'User', password: 'Password' },
  ...{ registryType: 'Kind', imagePrefix: 'Prefix of images', insecure: 'Accept any certificate' },
}

export function NewRegistry({ onClose }: { onClose: () => void }) {
  const form = useForm<Values>({
    ...{ registryName: '', registryUrl: '', username: '', password: '' },
    ...{ registryType: 'cloud', imagePrefix: '', insecure: false },
  })
  const input = { ...valuesOf(form), imagePrefix: form.fields.imagePrefix.value || null }
  return (
    <Dialog title="Add a registry" onClose={onClose}>
      <FormBox
        form={form}
        submit="Log in and add"
        onSubmit={() => api.registry.create(input)}
        onDone={onClose}
        onCancel={onClose}
      >
        <Fields form={form} isNew />
        <Test input={input} />
        <EqualCalls operation="registry.create" input={input} />
      </FormBox>
    </Dialog>
  )
}

export function EditRegistry({ registryId, onClose }: { registryId: string; onClose: () => void }) {
  const record = useQuery('registry.one', { registryId })
  return (
    <Dialog title="Edit the registry" onClose={onClose}>
      <Loaded query={record} what="the registry">
        {(registry) => <EditForm registry={registry} etag={record.etag.value ?? ''} onClose={onClose} />}
      </Loaded>
    </Dialog>
  )
}

function EditForm({ registry, etag, onClose }: { registry: Registry; etag: string; onClose: () => void }) {
  const { registryId } = registry
  const form = useRecordForm<Values>({ values: recordValues(registry), etag }, async () => {
    let tag = ''
    const onHeaders = (headers: { get(name: string): string | null }) => (tag = headers.get('etag') ?? '')
    return { values: recordValues(await api.registry.one({ registryId }, { onHeaders })), etag: tag }
  })
  const save = () => form.save((changed, headers) => api.registry.update({ registryId, ...changed }, { headers }))
  const changed = Object.fromEntries(form.changed.value.map((name) => [name, form.fields[name].value]))
  const present = valuesOf(form)
  const test = { ...present, password: present.password || mask, imagePrefix: present.imagePrefix || null, registryId }
  return (
    <>
      <Conflicts form={form} labels={labels} />
      <FormBox
        form={{ ...form, submit: save }}
        submit="Log in and save"
        unavailable={form.changed.value.length === 0 ? 'Nothing has changed' : null}
        onSubmit={save}
        onDone={onClose}
        onCancel={onClose}
      >
        <Fields form={form} />
        <Test input={test} />
        <EqualCalls operation="registry.update" input={{ registryId, ...changed }} />
      </FormBox>
    </>
  )
}

const valuesOf = ({ fields }: Form<Values>): Values =>
  Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, field.value])) as unknown as Values

const recordValues = (registry: Registry): Values => ({
  ...{ registryName: registry.registryName, registryUrl: registry.registryUrl, username: registry.username },
  ...{ password: '', registryType: registry.registryType, insecure: registry.insecure },
  imagePrefix: registry.imagePrefix ?? '',
})

const keepHint = 'Empty: the stored one stays. Another address needs it again. '

function Fields({ form: { fields, issues }, isNew = false }: { form: Form<Values>; isNew?: boolean }) {
  const wrong = issues.value
  return (
    <>
      <TextField field={fields.registryName} label={labels.registryName} issue={wrong.registryName} />
      <TextField
        field={fields.registryUrl}
        label={labels.registryUrl}
        placeholder="registry.example.com:5000"
        hint="Empty: Docker Hub"
        isCode
        required={false}
        issue={wrong.registryUrl}
      />
      <SelectField
        field={fields.registryType as never}
        label={labels.registryType}
        choices={types}
        issue={wrong.registryType}
      />
      <TextField field={fields.username} label={labels.username} autoComplete="off" issue={wrong.username} />
      <PasswordField
        field={fields.password}
        label="Password or access token"
        isLong
        hint={`${isNew ? '' : keepHint}A key file of several lines is accepted.`}
        required={isNew}
        autoComplete="new-password"
        issue={wrong.password}
      />
      <TextField
        field={fields.imagePrefix}
        label={labels.imagePrefix}
        placeholder="team/project"
        hint="Comes between the host and the name of an image"
        isCode
        required={false}
        issue={wrong.imagePrefix}
      />
      <CheckField
        field={fields.insecure}
        label={labels.insecure}
        hint="Also a self-signed one. Docker on each node has to accept it, too: insecure-registries of dockerd."
        issue={wrong.insecure}
      />
    </>
  )
}

/** Logs in with the values of the form. Nothing is stored. */
function Test({ input }: { input: Parameters<typeof api.registry.testRegistry>[0] }) {
  const state = useSignal<{ is: 'idle' | 'busy' } | { is: 'done'; text: string } | { is: 'failed'; error: unknown }>({
    is: 'idle',
  })
  const run = async () => {
    state.value = { is: 'busy' }
    try {
      const { message } = await api.registry.testRegistry(input)
      state.value = { is: 'done', text: message }
    } catch (error) {
      state.value = { is: 'failed', error }
    }
  }
  const present = state.value
  return (
    <div class="stack">
      <Button busy={present.is === 'busy'} onClick={() => void run()}>
        Test the login
      </Button>
      {present.is === 'done' && (
        <Notice tone="good" announce>
          <p>{present.text}</p>
        </Notice>
      )}
      {present.is === 'failed' && <ErrorNotice error={present.error} />}
    </div>
  )
}
