/** The page /components: each shared component in all its states. Only in development. */
import '../style/main.css'
import { signal } from '@preact/signals'
import { type ComponentChildren, render } from 'preact'
import { BerthError } from '../../client/client.ts'
import { Button, LinkButton } from '../components/button.tsx'
import { CodeBlock, InlineCopy } from '../components/copy.tsx'
import { Conflicts } from '../components/forms/conflicts.tsx'
import { EqualCalls } from '../components/forms/equal-calls.tsx'
import { CheckField, PasswordField, SelectField, TextField } from '../components/forms/fields.tsx'
import { FormBox } from '../components/forms/form.tsx'
import { Loaded } from '../components/loaded.tsx'
import { ErrorNotice, Notice } from '../components/notice.tsx'
import { Empty } from '../components/page.tsx'
import { Plot } from '../components/plot/plot.tsx'
import { Progress } from '../components/progress.tsx'
import { Secret } from '../components/secrets/secret.tsx'
import { DatabaseStatus, State, type Tone, WorkState } from '../components/state.tsx'
import { Table } from '../components/table.tsx'
import { Tabs } from '../components/tabs.tsx'
import { Duration, Time, TimeOr } from '../components/time.tsx'
import { databaseStates } from '../data/database-state.ts'
import { useForm } from '../data/forms/form.ts'
import { recordFormOf } from '../data/forms/record-form.ts'
import { restoreTheme } from '../shell/theme.ts'

const tones: Tone[] = ['good', 'warning', 'critical', 'working', 'neutral']
const refusal = new BerthError('The name is taken. Choose another one', {
  ...{ code: 'CONFLICT', status: 409, requestId: '1f2e-7' },
})
const internal = new BerthError('Internal error in Berth. Search its log for the request id 1f2e-8', {
  ...{ code: 'INTERNAL_SERVER_ERROR', status: 500, requestId: '1f2e-8' },
})
const forbidden = new BerthError('Only administrators can list the nodes', { code: 'FORBIDDEN', status: 403 })
const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString()
const nothing = async () => {}
const readOf = (data: string[] | undefined, error: unknown) => ({
  data: signal(data),
  error: signal(error),
  reload: nothing,
})

const Part = ({ title, children }: { title: string; children: ComponentChildren }) => (
  <section class="card">
    <h2>{title}</h2>
    {children}
  </section>
)

const plot = {
  times: Array.from({ length: 60 }, (_, i) => Math.floor(Date.now() / 1000) - (59 - i) * 60),
  lines: [
    {
      name: 'used',
      values: Array.from({ length: 60 }, (_, i) => (i > 20 && i < 26 ? null : 30 + 20 * Math.sin(i / 8))),
    },
    { name: 'limit', values: Array.from({ length: 60 }, () => 80) },
  ],
  marks: ['working', 'warning', 'good', 'critical'].map((colour, i) => ({
    at: Math.floor(Date.now() / 1000) - (50 - i * 10) * 60,
    colour,
  })),
}

const Plots = () => (
  <Part title="Plots">
    <Plot label="An example with a gap, a limit and events" {...plot} text={String} />
  </Part>
)

function States() {
  return (
    <Part title="States">
      <div class="row">
        {tones.map((tone) => (
          <State key={tone} tone={tone}>
            {tone}
          </State>
        ))}
      </div>
      <div class="row">
        {databaseStates.map((state) => (
          <DatabaseStatus key={state} state={state} />
        ))}
      </div>
      <div class="row">
        {(['running', 'done', 'error', 'superseded', 'skipped'] as const).map((state) => (
          <WorkState key={state} state={state} />
        ))}
      </div>
      <p>
        <Time at={minutesAgo(3)} />, <Time at={minutesAgo(-2900)} />, <TimeOr at={null} none="never" />,{' '}
        <Duration from={minutesAgo(95)} to={minutesAgo(1)} />
      </p>
    </Part>
  )
}

function Messages() {
  return (
    <Part title="Messages">
      {tones.map((tone) => (
        <Notice key={tone} tone={tone}>
          A message of the tone {tone}.
        </Notice>
      ))}
      <ErrorNotice error={refusal} />
      <ErrorNotice error={internal} />
      <Progress phase="Reading the dump back" detail="1.2 GiB, 30,000 rows" part={0.4} />
      <Progress phase="Waiting for the server" part={null} />
      <Empty title="No databases yet" action={<LinkButton href="/">Create one</LinkButton>}>
        A database of the project appears here.
      </Empty>
    </Part>
  )
}

function Reads() {
  const items = (list: string[]) => <p>{list.join(', ')}</p>
  return (
    <Part title="Reads: loading, failed, not allowed, old, there">
      {[
        readOf(undefined, null),
        readOf(undefined, internal),
        readOf(undefined, forbidden),
        readOf(['web-1'], internal),
        readOf(['web-1', 'web-2'], null),
      ].map((query, at) => (
        <Loaded key={at} query={query} what="the nodes">
          {items}
        </Loaded>
      ))}
    </Part>
  )
}

function Controls() {
  return (
    <Part title="Buttons">
      {(['usual', 'primary', 'danger', 'plain'] as const).map((kind) => (
        <div key={kind} class="buttons">
          <Button kind={kind}>A {kind} button</Button>
          <Button kind={kind} small>
            small
          </Button>
          <Button kind={kind} busy>
            busy
          </Button>
          <Button kind={kind} unavailable="Only administrators may do this">
            unavailable
          </Button>
        </div>
      ))}
      <Tabs label="Example" current="/b" tabs={['/a', '/b', '/c'].map((href) => ({ href, text: `Tab ${href}` }))} />
      <InlineCopy text="postgres://orders@shop-orders:5432/orders" what="the URL" />
      <Secret what="the password" masked="••••••••" read={async () => 'correct horse'} />
      <CodeBlock text={'psql "$DATABASE_URL"\n\\dt'} what="the command" />
    </Part>
  )
}

function Forms() {
  const form = useForm({ name: 'orders', password: '', kind: 'postgres', text: 'TZ=UTC', isOn: true })
  const { fields } = form
  return (
    <Part title="Forms">
      <FormBox
        form={form}
        submit="Create the database"
        onSubmit={async () => Promise.reject(refusal)}
        onCancel={() => {}}
      >
        <TextField field={fields.name} label="Name" hint="As people know it" issue="is taken" />
        <PasswordField field={fields.password} label="Password" required={false} />
        <SelectField
          field={fields.kind}
          label="Kind"
          choices={['postgres', 'redis'].map((value) => ({ value, text: value }))}
        />
        <TextField field={fields.text} label="Environment" isLong />
        <CheckField field={fields.isOn} label="Enabled" hint="The schedule is active" />
        <EqualCalls operation="postgres.create" input={{ name: 'orders', databasePassword: 'secret' }} wait={60} />
      </FormBox>
    </Part>
  )
}

function Conflict() {
  const form = recordFormOf({ values: { name: 'theirs', image: 'postgres:17' }, etag: '' }, () => Promise.reject())
  form.fields.name.value = 'mine'
  form.conflicts.value = [
    { field: 'name', before: 'orders', theirs: 'theirs' },
    { field: 'image', before: 'postgres:15', theirs: 'postgres:17' },
  ]
  return (
    <Part title="A conflict">
      <Conflicts form={form} labels={{ name: 'Name', image: 'Image' }} />
    </Part>
  )
}

const rows = [
  { name: 'shop/orders', size: '1.2 GiB' },
  { name: 'blog/a-name-that-is-so-long-that-it-has-to-be-broken-somewhere', size: '30 KiB' },
]

function Tables() {
  return (
    <Part title="Tables">
      <Table
        caption="Databases"
        rows={rows}
        rowKey={({ name }) => name}
        columns={[
          { title: 'Name', cell: ({ name }) => name },
          { title: 'State', cell: () => <DatabaseStatus state="up" /> },
          { title: 'Size', cell: ({ size }) => size, isNumber: true },
        ]}
        actions={() => <Button small>Remove</Button>}
      />
    </Part>
  )
}

restoreTheme()
render(
  <main class="main">
    <h1>Components</h1>
    <States />
    <Messages />
    <Reads />
    <Controls />
    <Forms />
    <Conflict />
    <Tables />
    <Plots />
  </main>,
  document.getElementById('root')!,
)
