/** Adds or changes a destination. It can be tested before it is stored. */
import { useEffect } from 'preact/hooks'
import { type Signal, useSignal } from '@preact/signals'
import { Dialog } from '../../components/dialog.tsx'
import { Conflicts } from '../../components/forms/conflicts.tsx'
import { EqualCalls } from '../../components/forms/equal-calls.tsx'
import { PasswordField, SelectField, TextField } from '../../components/forms/fields.tsx'
import { FormBox } from '../../components/forms/form.tsx'
import { Loading } from '../../components/loaded.tsx'
import { ErrorNotice } from '../../components/notice.tsx'
import { api } from '../../data/api.ts'
import { type Form, presentValues, useForm } from '../../data/forms/form.ts'
import { type RecordForm, useRecordForm } from '../../data/forms/record-form.ts'
import { fieldsOf, hintsOf, type Kind, labelsOf } from './destination-labels.ts'
import { TestButton } from './test-steps.tsx'

interface Values {
  name: string
  kind: Kind
  endpoint: string
  bucket: string
  region: string
  accessKey: string
  /** Empty while a stored secret stays. */
  secretAccessKey: string
  /** Empty for S3. */
  hostKey: string
}

export type DestinationInput = Omit<Values, 'hostKey'> & { hostKey: string | null; destinationId?: string }

/** Stands for the stored secret in calls. */
const mask = '********'

const inputOf = ({ hostKey, ...values }: Values, destinationId?: string): DestinationInput => {
  const isS3 = values.kind === 's3'
  const input = { ...values, region: isS3 ? values.region : '', hostKey: isS3 || hostKey === '' ? null : hostKey }
  if (destinationId === undefined) return input
  return { ...input, secretAccessKey: values.secretAccessKey === '' ? mask : values.secretAccessKey, destinationId }
}

const kindChoices = [
  { value: 's3', text: 'A bucket of a storage with the S3 protocol' },
  { value: 'sftp', text: 'A folder of an SFTP server' },
]

function DestinationFields({ form, isStored }: { form: Form<Values>; isStored: boolean }) {
  const kind = form.fields.kind.value
  return (
    <>
      <SelectField field={form.fields.kind as Signal<string>} label={labelsOf.s3.kind} choices={kindChoices} />
      {fieldsOf[kind].map((name) => {
        const isSecret = name === 'secretAccessKey'
        const Field = isSecret ? PasswordField : TextField
        return (
          <Field
            key={name}
            field={form.fields[name]}
            label={labelsOf[kind][name]}
            hint={isSecret && isStored ? 'Empty: the stored secret stays.' : hintsOf[kind][name]}
            issue={form.issues.value[name]}
            required={!(name === 'region' || (isSecret && isStored))}
            isLong={isSecret && kind === 'sftp'}
            isCode={name !== 'name'}
            autoComplete="off"
          />
        )
      })}
    </>
  )
}

/** Tests the values. The host key that a server shows can be taken into the form. */
const FormTest = ({ form, destinationId }: { form: Form<Values>; destinationId?: string }) => (
  <TestButton
    text="Test these values"
    input={() => inputOf(form.values(), destinationId)}
    onHostKey={(hostKey) => (form.fields.hostKey.value = hostKey)}
  />
)

export function NewDestination({ onClose }: { onClose: () => void }) {
  const form = useForm<Values>({
    name: '',
    kind: 's3',
    endpoint: '',
    bucket: '',
    region: '',
    accessKey: '',
    secretAccessKey: '',
    hostKey: '',
  })
  return (
    <Dialog title="Add a destination" onClose={onClose}>
      <FormBox
        form={form}
        submit="Add the destination"
        onSubmit={(values) => api.destination.create(inputOf(values))}
        onDone={onClose}
        onCancel={onClose}
      >
        <DestinationFields form={form} isStored={false} />
        <FormTest form={form} />
        <EqualCalls operation="destination.create" input={{ ...inputOf(presentValues(form)) }} />
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
      <FormTest form={form} destinationId={destinationId} />
      <Conflicts form={form} labels={labelsOf[form.fields.kind.value]} />
      <EqualCalls operation="destination.update" input={{ ...input(presentValues(form)) }} />
    </FormBox>
  )
}

async function readDestination(destinationId: string): Promise<{ values: Values; etag: string }> {
  let etag = ''
  const onHeaders = (headers: Pick<Headers, 'get'>) => {
    etag = headers.get('etag') ?? ''
  }
  const { name, kind, endpoint, bucket, region, accessKey, hostKey } = await api.destination.one(
    { destinationId },
    { onHeaders },
  )
  const values = { name, kind, endpoint, bucket, region, accessKey, secretAccessKey: '', hostKey: hostKey ?? '' }
  return { values, etag }
}
