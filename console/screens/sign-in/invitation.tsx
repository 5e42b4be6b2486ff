/**
 * Accepts an invitation. Its secret is in the fragment of the address. The page removes it from the address and from the
 * history at once, and keeps it only in memory.
 */
import { signal } from '@preact/signals'
import { useLocation } from 'wouter-preact'
import { BerthError } from '../../../client/client.ts'
import { Button } from '../../components/button.tsx'
import { PasswordField } from '../../components/forms/fields.tsx'
import { FormBox } from '../../components/forms/form.tsx'
import { Notice } from '../../components/notice.tsx'
import { api } from '../../data/api.ts'
import { bearerOf } from '../../data/bearer.ts'
import { useForm } from '../../data/forms/form.ts'
import { type InvitationSecret, invitationOf } from '../../data/invitation-link.ts'
import { session, setAccount } from '../../data/session.ts'
import { Gate } from './gate.tsx'
import { deviceToken, keepDevice } from './device.ts'

const secret = signal<InvitationSecret | null>(null)

function takeSecret() {
  const found = invitationOf(location.hash)
  if (location.hash !== '') history.replaceState(null, '', location.pathname)
  if (found !== null) secret.value = found
}
takeSecret()
// Another link that is pasted into the same tab.
addEventListener('hashchange', takeSecret)

export default function Invitation() {
  const [, go] = useLocation()
  const toConsole = () => go('/', { replace: true })
  return (
    <Gate title="You are invited to Berth">
      {secret.value === null ? <NoSecret onLeave={toConsole} /> : <Accept secret={secret.value} onDone={toConsole} />}
    </Gate>
  )
}

const NoSecret = ({ onLeave }: { onLeave: () => void }) => (
  <>
    <p>
      This address has no invitation. Open the whole link that you were sent: the part behind <code>#</code> belongs to
      it. The page keeps it only until it is reloaded.
    </p>
    <Button onClick={onLeave}>Go to the sign-in</Button>
  </>
)

function Accept({ secret: { id, token }, onDone }: { secret: InvitationSecret; onDone: () => void }) {
  const form = useForm({ password: '' })
  const accept = async ({ password }: { password: string }) => {
    const input = { id, token, password, cookie: true, deviceToken: deviceToken() }
    const { account } = keepDevice(await api.auth.createUser(input, { headers: bearerOf(token) }))
    secret.value = null
    setAccount(account)
    onDone()
  }
  if (isSpent(form.error.value)) return <Spent onLeave={onDone} />
  const present = session.value
  return (
    <>
      <p>Choose a password. Your account has the e-mail address to which the administrator has invited you.</p>
      {present.state === 'signedIn' && (
        <Notice tone="warning">
          <p>This browser is signed in as {present.account.email}. Afterwards it is signed in with the new account.</p>
        </Notice>
      )}
      <FormBox form={form} submit="Create the account" onSubmit={accept}>
        <PasswordField
          field={form.fields.password}
          label="Password"
          hint="At least 8 characters. Any characters are allowed."
          autoComplete="new-password"
          issue={form.issues.value.password}
        />
      </FormBox>
    </>
  )
}

const isSpent = (error: unknown) =>
  error instanceof BerthError &&
  (error.code === 'UNAUTHORIZED' ||
    (error.code === 'BAD_REQUEST' && error.issues.some(({ path }) => path !== 'password')))

const Spent = ({ onLeave }: { onLeave: () => void }) => (
  <>
    <Notice tone="critical" announce>
      <p>
        <strong>This invitation is no longer valid.</strong>
      </p>
      <p>It was used already, was revoked or replaced by a newer one, or is older than 7 days.</p>
    </Notice>
    <p>
      If you have used it yourself, sign in with your password. Otherwise ask the administrator for a new invitation.
    </p>
    <Button onClick={onLeave}>Go to the sign-in</Button>
  </>
)
