/** Creates an API token. The token is shown once. */
import { useSignal } from '@preact/signals'
import { Dialog } from '../../components/dialog.tsx'
import { Button } from '../../components/button.tsx'
import { EqualCalls } from '../../components/forms/equal-calls.tsx'
import { SelectField, TextField } from '../../components/forms/fields.tsx'
import { FormBox } from '../../components/forms/form.tsx'
import { Notice } from '../../components/notice.tsx'
import { ShownOnce } from '../../components/secrets/shown-once.tsx'
import { api } from '../../data/api.ts'
import { useForm } from '../../data/forms/form.ts'
import { withProof } from '../../data/forms/proof.ts'
import { expiresAt, expiries } from './expiry.ts'
import { shellLine } from '../../../shared/shell-word.ts'

type Scope = 'read' | 'deploy' | 'admin'

const scopes = [
  { value: 'read', text: 'read' },
  { value: 'deploy', text: 'deploy' },
  { value: 'admin', text: 'admin' },
]
const scopeTexts: Record<Scope, string> = {
  read: 'Reads everything you may read. Passwords of databases are masked; environment variables are not.',
  deploy: 'Also deploys, starts, stops and reloads services, and runs backups and drills.',
  admin: 'Calls everything your role may call, except what needs a person: accounts, tokens and second factors.',
}

const first = { name: '', scope: 'read', expiry: '90', expiresAt: '' }

export function NewToken({ onClose }: { onClose: () => void }) {
  const form = useForm(first)
  const token = useSignal<string | null>(null)
  const { fields, issues } = form
  const inputOf = ({ name, scope, expiry, expiresAt: day }: typeof first) => {
    const end = expiresAt(expiry, day, Date.now())
    // Berth explains what is wrong with a text that is no time.
    return { name, scope: scope as Scope, ...(end === undefined ? {} : { expiresAt: end ?? day }) }
  }
  if (token.value !== null) return <CreatedToken name={fields.name.value} token={token.value} onClose={onClose} />
  const days = /^\d+$/.test(fields.expiry.value) ? ['--expires', `${fields.expiry.value}d`] : []
  const hasCommand = fields.expiry.value !== 'date'
  return (
    <Dialog title="Create an API token" onClose={onClose}>
      <FormBox
        form={form}
        submit="Create the token"
        unavailable={fields.expiry.value === 'date' && fields.expiresAt.value === '' ? 'Choose the last day' : null}
        onCancel={onClose}
        onSubmit={async (values) => {
          const input = inputOf(values)
          token.value = (await withProof((proof) => api.auth.createToken({ ...input, ...proof }))).token
        }}
      >
        <TextField
          field={fields.name}
          label="Name"
          hint="Which program uses it, such as pipeline. You can have one token of each name."
          autoComplete="off"
          issue={issues.value.name}
        />
        <SelectField
          field={fields.scope}
          label="Scope"
          choices={scopes}
          hint={scopeTexts[fields.scope.value as Scope]}
          issue={issues.value.scope}
        />
        <div class="row">
          <SelectField field={fields.expiry} label="Expires" choices={expiries} />
          {fields.expiry.value === 'date' && (
            <TextField field={fields.expiresAt} label="Last day" type="date" issue={issues.value.expiresAt} />
          )}
        </div>
      </FormBox>
      <EqualCalls
        operation="auth.createToken"
        input={inputOf(form.values())}
        {...(hasCommand
          ? {
              command: shellLine`berth token create ${fields.name.value || 'NAME'} --scope ${fields.scope.value}${days}`,
            }
          : {})}
      />
    </Dialog>
  )
}

/** The token is shown once. */
export const CreatedToken = ({ name, token, onClose }: { name: string; token: string; onClose: () => void }) => (
  <Dialog title={`The token ${name}`} onClose={onClose} isRequired>
    <Notice tone="warning" announce>
      Berth shows this token only now. Store it as a secret of the program that uses it.
    </Notice>
    <ShownOnce what="the token" text={token} />
    <p class="muted">
      A program sends it as the header <code>Authorization: Bearer …</code>; the command line takes it from{' '}
      <code>BERTH_TOKEN</code>.
    </p>
    <div>
      <Button kind="primary" onClick={onClose}>
        I have stored the token
      </Button>
    </div>
  </Dialog>
)
