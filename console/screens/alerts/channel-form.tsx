/** Adds or changes a channel. */
import { type Signal, useSignal } from '@preact/signals'
import { Button } from '../../components/button.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { Conflicts } from '../../components/forms/conflicts.tsx'
import { EqualCalls } from '../../components/forms/equal-calls.tsx'
import { CheckField, PasswordField, SelectField, TextField } from '../../components/forms/fields.tsx'
import { FormBox } from '../../components/forms/form.tsx'
import { ProjectChecks } from '../../components/forms/project-checks.tsx'
import { Loaded } from '../../components/loaded.tsx'
import { ShownOnce } from '../../components/secrets/shown-once.tsx'
import { api } from '../../data/api.ts'
import {
  type Channel,
  type ChannelInput,
  type ChannelValues,
  emptyChannel,
  inputOf,
  typeTexts,
  valuesOf,
} from '../../data/alerts/channel-input.ts'
import { conditionTitles } from '../../data/alerts/conditions.ts'
import { type Form, presentValues, useForm } from '../../data/forms/form.ts'
import { useRecordForm } from '../../data/forms/record-form.ts'
import { useQuery } from '../../data/live/query.ts'

export function NewChannel({ onClose }: { onClose: () => void }) {
  const form = useForm<ChannelValues>(emptyChannel)
  const signingSecret = useSignal<string | null>(null)
  if (signingSecret.value !== null) return <SigningSecret secret={signingSecret.value} onClose={onClose} />
  const create = async (values: ChannelValues) => {
    signingSecret.value = (await api.channel.create(inputOf(values, null))).signingSecret
  }
  return (
    <Dialog title="Add a channel" onClose={onClose}>
      <FormBox
        form={form}
        submit="Add the channel"
        onSubmit={create}
        onDone={() => signingSecret.peek() === null && onClose()}
        onCancel={onClose}
      >
        <ChannelFields form={form} stored={null} />
        <EqualCalls operation="channel.create" input={withoutUrl(inputOf(presentValues(form), null))} />
      </FormBox>
    </Dialog>
  )
}

/** The URL of a webhook is a secret, too. */
const withoutUrl = (input: ChannelInput) => ({ ...input, url: '<URL>' })

const SigningSecret = ({ secret, onClose }: { secret: string; onClose: () => void }) => (
  <Dialog title="The signing secret" onClose={onClose} isRequired>
    <div class="stack">
      <p>The receiver verifies messages with it, as Standard Webhooks says. Berth shows it only now.</p>
      <ShownOnce what="the signing secret" text={secret} />
      <Button kind="primary" onClick={onClose}>
        I have stored it
      </Button>
    </div>
  </Dialog>
)

async function readChannel(channelId: string) {
  let etag = ''
  const onHeaders = (headers: Pick<Headers, 'get'>) => (etag = headers.get('etag') ?? '')
  const channel = await api.channel.one({ channelId }, { onHeaders })
  return { values: valuesOf(channel), etag }
}

export function EditChannel({ channelId, onClose }: { channelId: string; onClose: () => void }) {
  const record = useQuery('channel.one', { channelId })
  return (
    <Dialog title="Change the channel" onClose={onClose}>
      <Loaded query={record} what="the channel">
        {(channel) => <EditForm channel={channel} etag={record.etag.value ?? ''} onClose={onClose} />}
      </Loaded>
    </Dialog>
  )
}

function EditForm({ channel, etag, onClose }: { channel: Channel; etag: string; onClose: () => void }) {
  const { channelId } = channel
  const form = useRecordForm<ChannelValues>({ values: valuesOf(channel), etag }, () => readChannel(channelId))
  const input = (values: ChannelValues) => ({ channelId, ...inputOf(values, channel) })
  const submit = () => form.save((_, headers) => api.channel.update(input(form.values()), { headers }))
  return (
    <FormBox
      form={{ ...form, submit }}
      submit="Save the channel"
      unavailable={form.changed.value.length === 0 ? 'Nothing has changed' : null}
      onSubmit={submit}
      onDone={onClose}
      onCancel={onClose}
    >
      <Conflicts form={form} labels={labels} />
      <ChannelFields form={form} stored={channel} />
      <EqualCalls operation="channel.update" input={withoutUrl(input(presentValues(form)))} />
    </FormBox>
  )
}

const labels: Record<keyof ChannelValues, string> = {
  ...{ name: 'Name', type: 'Type', url: 'URL', secret: 'Secret', username: 'User', sender: 'Sender' },
  ...{ recipients: 'Recipients', minSeverity: 'Severity', projects: 'Projects', projectIds: 'Projects' },
  ...{ which: 'Conditions', conditions: 'Conditions', repeatHours: 'Repeat after hours', enabled: 'Switched on' },
}

interface FieldsProps {
  form: Form<ChannelValues>
  /** The channel that is changed; null: a new one. */
  stored: Channel | null
}

function ChannelFields({ form, stored }: FieldsProps) {
  const { fields, issues } = form
  return (
    <>
      <TextField field={fields.name} label="Name" placeholder="ops" issue={issues.value.name} />
      {stored === null && (
        <SelectField
          field={fields.type as unknown as Signal<string>}
          label="Type"
          choices={Object.entries(typeTexts).map(([value, { text }]) => ({ value, text }))}
        />
      )}
      <ReceiverFields form={form} stored={stored} />
      <RuleFields form={form} />
      {stored !== null && <CheckField field={fields.enabled} label="Send messages" issue={issues.value.enabled} />}
    </>
  )
}

function ReceiverFields({ form: { fields, issues }, stored }: FieldsProps) {
  const { url, secret, recipients } = typeTexts[fields.type.value]
  const wrong = issues.value
  return (
    <>
      {url !== null && (
        <TextField
          field={fields.url}
          label={url.label}
          hint={stored === null ? url.hint : `Empty: the stored one at ${stored.server} stays.`}
          placeholder={url.placeholder}
          isCode
          required={stored === null}
          autoComplete="off"
          issue={wrong.url}
        />
      )}
      {fields.type.value === 'email' && (
        <>
          <TextField field={fields.sender} label="From" placeholder="berth@example.org" issue={wrong.sender} />
          <TextField field={fields.username} label="User" required={false} autoComplete="off" issue={wrong.username} />
        </>
      )}
      {secret !== null && (
        <PasswordField
          field={fields.secret}
          label={secret.label}
          hint={stored?.secret == null ? secret.hint : 'Empty: the stored one stays.'}
          required={secret.isRequired && stored === null}
          autoComplete="new-password"
          issue={wrong.secret}
        />
      )}
      {recipients !== null && (
        <TextField
          field={fields.recipients}
          label={recipients.label}
          hint={recipients.hint}
          isLong={fields.type.value === 'email'}
          issue={wrong.recipients}
        />
      )}
    </>
  )
}

function RuleFields({ form: { fields, issues } }: Pick<FieldsProps, 'form'>) {
  const wrong = issues.value
  return (
    <>
      <SelectField
        field={fields.minSeverity as unknown as Signal<string>}
        label="Messages about"
        choices={[
          { value: 'critical', text: 'critical conditions only' },
          { value: 'warning', text: 'warnings and critical conditions' },
          { value: 'info', text: 'everything' },
        ]}
        issue={wrong.minSeverity}
      />
      <SelectField
        field={fields.projects}
        label="Projects"
        choices={[
          { value: '', text: 'all projects, nodes and Berth itself' },
          { value: 'some', text: 'only some projects, without nodes and Berth itself' },
        ]}
        issue={wrong.projectIds}
      />
      {fields.projects.value === 'some' && <ProjectChecks field={fields.projectIds} />}
      <SelectField
        field={fields.which}
        label="Conditions"
        choices={[
          { value: '', text: 'all' },
          { value: 'some', text: 'only some' },
        ]}
        issue={wrong.conditions}
      />
      {fields.which.value === 'some' && <ConditionChecks field={fields.conditions} />}
      <TextField
        field={fields.repeatHours}
        label="Repeat after hours"
        hint="While the condition is present. Empty: never."
        type="number"
        min={1}
        max={720}
        required={false}
        issue={wrong.repeatHours}
      />
    </>
  )
}

type Conditions = ChannelValues['conditions']

function ConditionChecks({ field }: { field: Signal<Conditions> }) {
  const names = Object.keys(conditionTitles) as Conditions[number][]
  return (
    <fieldset class="field">
      <legend>Only these conditions</legend>
      <div class="stack">
        {names.map((name) => (
          <label key={name}>
            <input
              type="checkbox"
              checked={field.value.includes(name)}
              onChange={({ currentTarget: { checked } }) => {
                const others = field.value.filter((each) => each !== name)
                field.value = checked ? [...others, name] : others
              }}
            />{' '}
            {conditionTitles[name]}
          </label>
        ))}
      </div>
    </fieldset>
  )
}
