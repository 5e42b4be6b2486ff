/** The review of a restored state: the only thing to do until an administrator has confirmed the state. */
import { useSignal } from '@preact/signals'
import { Choices } from '../../components/choices.tsx'
import { PasswordField, TextField } from '../../components/forms/fields.tsx'
import { FormBox } from '../../components/forms/form.tsx'
import { Loaded } from '../../components/loaded.tsx'
import { Notice } from '../../components/notice.tsx'
import { Table } from '../../components/table.tsx'
import { Time } from '../../components/time.tsx'
import { api } from '../../data/api.ts'
import { type Form, useForm } from '../../data/forms/form.ts'
import { useQuery } from '../../data/live/query.ts'
import { Gate } from '../sign-in/gate.tsx'
import {
  adoptionsOf,
  credentialFields,
  type Decision,
  decisionsOf,
  decisionTexts,
  type Differences,
  type Entry,
  openEntries,
} from './decisions.ts'

/** A state that no longer differs confirms itself, so the screen looks again. */
const everyMs = 10_000

export default function Review() {
  const query = useQuery('state.differences', {}, { everyMs })
  return (
    <Gate title="Confirm the restored state" isWide>
      <Loaded query={query} what="the differences">
        {(found) => (found.unconfirmedSince === null ? <Confirmed /> : <Decide found={found} />)}
      </Loaded>
    </Gate>
  )
}

const Confirmed = () => (
  <Notice tone="good" announce>
    <p>The state is confirmed. Berth works again.</p>
    <p>
      <a href="/" onClick={() => location.assign('/')}>
        Go to the overview
      </a>
    </p>
  </Notice>
)

function Decide({ found }: { found: Differences }) {
  const chosen = useSignal<Record<string, Decision>>({})
  const entries = openEntries(found)
  const form = useReviewForm(entries)
  const decisions = decisionsOf(entries, chosen.value)
  const choose = (subjectId: string, decision: string) => {
    chosen.value = { ...chosen.value, [subjectId]: decision as Decision }
  }
  return (
    <div class="stack">
      <Notice tone="warning">
        <p>
          Berth's state was restored <Time at={found.unconfirmedSince!} />, and it differs from what runs. Databases
          keep running, but Berth changes nothing until you confirm the state.
        </p>
      </Notice>
      <Table
        caption="Differences"
        rows={entries}
        rowKey={({ subjectId }) => subjectId}
        columns={[
          { title: 'Name', cell: ({ name }) => name },
          { title: 'Difference', cell: ({ reason }) => reason },
          {
            title: 'Decision',
            cell: (entry) => <DecisionField entry={entry} value={decisions[entry.subjectId]!} onChange={choose} />,
          },
        ]}
      />
      <p class="small">{found.entries.length - entries.length} databases are as recorded.</p>
      <FormBox
        form={form}
        submit="Confirm the state"
        onSubmit={({ code, ...values }) => {
          const adoptions = adoptionsOf(entries, decisions, values)
          return api.state.confirm({ code, version: found.version, decisions, adoptions })
        }}
        onDone={() => location.assign('/')}
      >
        {entries
          .filter(({ subjectId, credentials }) => decisions[subjectId] === 'adopt' && credentials.length > 0)
          .map((entry) => (
            <Credentials key={entry.subjectId} entry={entry} form={form} />
          ))}
        <TextField
          field={form.fields.code!}
          label="Code"
          hint={
            <>
              Run <code>berth state code</code> on the machine of Berth. A code is valid once, for 15 minutes.
            </>
          }
          issue={form.issues.value.code}
          autoComplete="one-time-code"
        />
      </FormBox>
    </div>
  )
}

type ReviewForm = Form<{ code: string; [path: string]: string }>

/**
 * The code, and the credentials of all services that can be adopted, by their paths. A service that appears later gets
 * its fields at the next visit of the page.
 */
const useReviewForm = (entries: readonly Entry[]): ReviewForm =>
  useForm({ code: '', ...Object.fromEntries(entries.flatMap(credentialFields).map(({ path }) => [path, ''])) })

/** What the server accepts now. Berth logs in with it before it confirms the state. */
const Credentials = ({ entry, form }: { entry: Entry; form: ReviewForm }) => (
  <fieldset class="stack">
    <legend>Credentials that the server of {entry.name} accepts</legend>
    {credentialFields(entry).map(({ path, label, isSecret }) => {
      const field = form.fields[path]
      const Field = isSecret ? PasswordField : TextField
      return (
        field !== undefined && (
          <Field key={path} field={field} label={label} issue={form.issues.value[path]} autoComplete="off" />
        )
      )
    })}
  </fieldset>
)

interface DecisionProps {
  entry: Entry
  value: Decision
  onChange: (subjectId: string, decision: string) => void
}

const DecisionField = ({ entry: { name, subjectId, decisions, proposal }, value, onChange }: DecisionProps) => (
  <Choices
    label={`What to do about ${name}`}
    choices={decisions.map((each) => ({
      value: each,
      text: each === proposal ? `${decisionTexts[each]} (proposed)` : decisionTexts[each],
    }))}
    value={value}
    onChange={(decision) => onChange(subjectId, decision)}
  />
)
