/** Adds or changes a destination. It can be tested before it is stored. */
import { useEffect } from 'preact/hooks'
import { useSignal } from '@preact/signals'
import { Dialog } from '../../components/dialog.tsx'
import { Conflicts } from '../../components/forms/conflicts.tsx'
import { EqualCalls } from '../../components/forms/equal-calls.tsx'
import { PasswordField, TextField } from '../../components/forms/fields.tsx'
import { FormBox } from '../../components/forms/form.tsx'
import { Loading } from '../../components/loaded.tsx'
import { ErrorNotice } from '../../components/notice.tsx'
import { api } from '../../data/api.ts'
import { type Form, presentValues, useForm } from '../../data/form.ts'
import { type RecordForm, useRecordForm } from '../../data/record-form.ts'
import { TestButton } from './test-steps.tsx'

interface Values {
  name: string
  endpoint: string
  bucket: string
  region: string
  accessKey: string
  /** Empty while a stored secret stays. */
  secretAccessKey: string
}

export type DestinationInput = Values & { destinationId?: string }

const labels: Record<keyof Values, string> = {
  name: 'Name',
  endpoint: 'Endpoint of the S3 API',
  bucket: 'Bucket',
  region: 'Region',
  accessKey: 'Access key id',
  secretAccessKey: 'Secret access key',
}
const names = Object.keys(labels) as (keyof Values)[]

/** Stands for the stored secret in calls. */
const mask = '********'

const inputOf = (values: Values, destinationId?: string): DestinationInput =>
  destinationId === undefined
    ? values
    : { ...values, secretAccessKey: values.secretAccessKey === '' ? mask : values.secretAccessKey, destinationId }

const hints: Record<keyof Values, string> = {
  name: 'How Berth calls it, such as offsite.',
  endpoint: 'A URL such as https://s3.example.org, or a host such as s3.eu-central-1.amazonaws.com.',
  bucket: 'It has to exist. Berth creates none.',
  region: "Such as eu-central-1. Empty: the storage's default.",
  accessKey: 'It needs the rights to read, write, list and delete objects in the bucket.',
  secretAccessKey: 'Berth stores it sealed, and never shows it again.',
}

function DestinationFields({ form, isStored }: { form: Form<Values>; isStored: boolean }) {
  return (
    <>
      {names.map((name) => {
        const isSecret = name === 'secretAccessKey'
        const Field = isSecret ? PasswordField : TextField
        return (
          <Field
            key={name}
            field={form.fields[name]}
            label={labels[name]}
            hint={isSecret && isStored ? 'Empty: the stored secret stays.' : hints[name]}
            issue={form.issues.value[name]}
            required={!(name === 'region' || (isSecret && isStored))}
            isCode={name !== 'name'}
            autoComplete="off"
          />
        )
      })}
    </>
  )
}

export function NewDestination({ onClose }: { onClose: () => void }) {
  const empty = { name: '', endpoint: '', bucket: '', region: '', accessKey: '', secretAccessKey: '' }
  const form = useForm<Values>(empty)
  return (
    <Dialog title="Add a destination" onClose={onClose}>
      <FormBox
        form={form}
        submit="Add the destination"
        onSubmit={(values) => api.destination.create(values)}
        onDone={onClose}
        onCancel={onClose}
      >
        <DestinationFields form={form} isStored={false} />
        <TestButton text="Test these values" input={form.values} />
        <EqualCalls operation="destination.create" input={{ ...presentValues(form) }} />
      </FormBox>
    </Dialog>
  )
}

interface EditProps {
  destinationId: string
  onClose: () => void
}

/** Reads the destination with its tag first. */
export function EditDestination({ destinationId, onClose }: EditProps) {
  const first = useSignal<{ values: Values; etag: string } | null>(null)
  const error = useSignal<unknown>(null)
  useEffect(() => {
    readDestination(destinationId).then(
      (read) => (first.value = read),
      (caught: unknown) => (error.value = caught),
    )
  }, [])
  return (
    <Dialog title="Change the destination" onClose={onClose}>
      {error.value !== null ? (
        <ErrorNotice error={error.value} />
      ) : first.value === null ? (
        <Loading what="the destination" />
      ) : (
        <EditForm {...{ destinationId, onClose }} first={first.value} />
      )}
    </Dialog>
  )
}

function EditForm({ destinationId, onClose, first }: EditProps & { first: { values: Values; etag: string } }) {
  const form: RecordForm<Values> = useRecordForm(first, () => readDestination(destinationId))
  const input = (values: Values) => inputOf(values, destinationId) as Required<DestinationInput>
  const submit = () => form.save((_changed, headers) => api.destination.update(input(form.values()), { headers }))
  return (
    <FormBox
      form={{ ...form, submit }}
      submit="Save the destination"
      onSubmit={() => Promise.resolve()}
      onDone={onClose}
      onCancel={onClose}
    >
      <DestinationFields form={form} isStored />
      <TestButton text="Test these values" input={() => input(form.values())} />
      <Conflicts form={form} labels={labels} />
      <EqualCalls operation="destination.update" input={{ ...input(presentValues(form)) }} />
    </FormBox>
  )
}

async function readDestination(destinationId: string): Promise<{ values: Values; etag: string }> {
  let etag = ''
  const onHeaders = (headers: Pick<Headers, 'get'>) => {
    etag = headers.get('etag') ?? ''
  }
  const { name, endpoint, bucket, region, accessKey } = await api.destination.one({ destinationId }, { onHeaders })
  return { values: { name, endpoint, bucket, region, accessKey, secretAccessKey: '' }, etag }
}
