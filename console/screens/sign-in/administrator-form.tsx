/** The first account: proves by the installation token that the person has access to the machine of Berth. */
import { BerthError } from '../../../client/client.ts'
import { Button } from '../../components/button.tsx'
import { InlineCopy } from '../../components/copy.tsx'
import { EqualCalls } from '../../components/forms/equal-calls.tsx'
import { PasswordField, TextField } from '../../components/forms/fields.tsx'
import { FormBox } from '../../components/forms/form.tsx'
import { api } from '../../data/api.ts'
import { bearerOf } from '../../data/bearer.ts'
import { useForm } from '../../data/forms/form.ts'
import { session, setAccount } from '../../data/session.ts'
import { deviceToken, keepDevice } from './device.ts'
import { shellLine } from '../../../shared/shell-word.ts'

const first = { token: '', email: '', password: '' }

export function AdministratorForm({ onDone }: { onDone: () => void }) {
  const form = useForm(first)
  const { fields, issues } = form
  const create = async ({ token, email, password }: typeof first) => {
    const input = { email, password, cookie: true, deviceToken: deviceToken() }
    try {
      const { account } = keepDevice(await api.auth.createAdmin(input, { headers: bearerOf(token) }))
      // The next step must be known before the page is that of a signed-in person.
      onDone()
      setAccount(account)
    } catch (error) {
      throw isWrongToken(error)
        ? new BerthError(error.message, {
            code: 'UNAUTHORIZED',
            issues: [{ path: 'token', message: 'is not the installation token of this Berth. Copy it once more' }],
          })
        : error
    }
  }
  const isTaken = form.error.value instanceof BerthError && form.error.value.code === 'CONFLICT'
  return (
    <>
      <p>This Berth is new. Make its first account: the administrator, who can do everything and invite others.</p>
      <FormBox form={form} submit="Create the administrator" onSubmit={create}>
        <PasswordField
          field={fields.token}
          label="Installation token"
          hint="Proves that you have access to the machine of Berth. It is needed only here."
          autoComplete="off"
          issue={issues.value.token}
        />
        <TokenHelp />
        <TextField
          field={fields.email}
          label="Your e-mail"
          type="email"
          hint="You sign in with it. Berth sends no mail."
          autoComplete="username"
          issue={issues.value.email}
        />
        <PasswordField
          field={fields.password}
          label="Choose a password"
          hint="At least 8 characters. Any characters are allowed."
          autoComplete="new-password"
          issue={issues.value.password}
        />
      </FormBox>
      {isTaken && <Button onClick={() => (session.value = { state: 'signedOut' })}>Go to the sign-in</Button>}
      <EqualCalls
        operation="auth.createAdmin"
        input={{ email: fields.email.value, password: '' }}
        command={shellLine`./berth login ${location.origin}`}
      />
    </>
  )
}

const isWrongToken = (error: unknown): error is BerthError =>
  error instanceof BerthError && error.code === 'UNAUTHORIZED' && error.issues.length === 0

const TokenHelp = () => (
  <details>
    <summary>Where is the installation token?</summary>
    <div class="stack">
      <p>
        When Berth starts, its output names the file in the line that begins with <code>Token</code>. It is the file{' '}
        <code>access-token</code> in Berth's data folder, unless the setting <code>BERTH_ACCESS_TOKEN</code> holds the
        token. With the usual data folder, this prints it on the machine of Berth:
      </p>
      <InlineCopy what="the command" text="cat ~/.berth/access-token" />
    </div>
  </details>
)
