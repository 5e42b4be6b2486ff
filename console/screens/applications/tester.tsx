/** Where a URL leads, as Berth's proxy decides it. No request is sent to the application. */
import { useSignal } from '@preact/signals'
import type { Operations } from '../../../client/client.ts'
import { EqualCalls } from '../../components/forms/equal-calls.tsx'
import { TextField } from '../../components/forms/fields.tsx'
import { FormBox } from '../../components/forms/form.tsx'
import { Notice } from '../../components/notice.tsx'
import { api } from '../../data/api.ts'
import { useForm } from '../../data/forms/form.ts'
import { useQuery } from '../../data/live/query.ts'
import { shellLine } from '../../../shared/shell-word.ts'

type Outcome = Awaited<ReturnType<Operations['redirects']['test']>>

interface Props {
  /** Without it the host of the URL selects the application, as in the proxy. */
  applicationId?: string
  /** A rule that is not stored. */
  unsaved?: { regex: string; replacement: string; permanent: boolean; redirectId?: string }
}

export function RedirectTester({ applicationId, unsaved }: Props) {
  const form = useForm({ url: '' })
  const outcome = useSignal<Outcome | null>(null)
  const input = { url: form.fields.url.value, ...(applicationId === undefined ? {} : { applicationId }), ...unsaved }
  const command =
    unsaved === undefined && applicationId === undefined ? shellLine`berth route test ${input.url}` : undefined
  return (
    <div class="stack">
      <FormBox
        form={form}
        submit="Test the URL"
        onSubmit={async () => {
          outcome.value = null
          outcome.value = await api.redirects.test(input)
        }}
      >
        <TextField
          field={form.fields.url}
          label="URL"
          placeholder="http://shop.example.org/old/page"
          isCode
          issue={form.issues.value.url}
        />
        <EqualCalls operation="redirects.test" input={input} {...(command === undefined ? {} : { command })} />
      </FormBox>
      {outcome.value !== null && <Result outcome={outcome.value} />}
    </div>
  )
}

const resultTexts: Record<Outcome['result'], string> = {
  redirect: 'A redirect applies.',
  https: 'The proxy redirects to HTTPS before all redirects, because of the label berth.tls.',
  none: 'No redirect applies. The application gets the request.',
  unknownHost: 'No application has this host. The proxy does not serve it.',
}

function Result({ outcome }: { outcome: Outcome }) {
  const { result, url, location, getStatus, postStatus, groups, reason } = outcome
  return (
    <Notice tone={result === 'unknownHost' || reason !== null ? 'warning' : 'good'} announce>
      <p>
        <strong>{resultTexts[result]}</strong>
      </p>
      {reason !== null && <p>Requests do not get this answer now: {reason}</p>}
      <dl class="facts">
        <dt>Patterns see</dt>
        <dd>
          <code>{url}</code>
        </dd>
        {location !== null && (
          <>
            <dt>Leads to</dt>
            <dd>
              <code>{location}</code>
            </dd>
          </>
        )}
        {getStatus !== null && (
          <>
            <dt>Status</dt>
            <dd>
              {getStatus}
              {postStatus !== null && postStatus !== getStatus && ` for GET, ${postStatus} for other methods`}
            </dd>
          </>
        )}
        {groups.map(({ name, text }) => (
          <>
            <dt key={`${name} name`}>{name === '0' ? 'Whole match' : `Group ${name}`}</dt>
            <dd key={name}>
              <code>{text}</code>
            </dd>
          </>
        ))}
      </dl>
      <Rules outcome={outcome} />
    </Notice>
  )
}

/** Each redirect in its order: the first one that matches is used. */
function Rules({ outcome: { rules, result, redirectId } }: { outcome: Outcome }) {
  const known = useQuery('redirects.all', {}).data.value ?? []
  if (rules.length === 0) return null
  return (
    <ol class="steps" aria-label="The redirects in their order">
      {rules.map((rule) => {
        const record = known.find((each) => each.redirectId === rule.redirectId)
        const isUsed = result === 'redirect' && rule.redirectId === redirectId
        return (
          <li key={rule.redirectId ?? 'unsaved'}>
            {rule.redirectId === null ? 'the unsaved redirect' : <code>{record?.regex ?? rule.redirectId}</code>}:{' '}
            {isUsed ? <strong>this one is used</strong> : matchText(rule)}
          </li>
        )
      })}
    </ol>
  )
}

function matchText({ matched, location }: Outcome['rules'][number]): string {
  if (!matched) return 'does not match'
  return location === null ? 'matches, but leads to the URL itself' : 'matches, but is not used'
}
