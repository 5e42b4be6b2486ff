/** Finds out what a token is: paste it, and Berth says whose it is and what it may do. */
import { useSignal } from '@preact/signals'
import { BerthError } from '../../../client/client.ts'
import { Dialog } from '../../components/dialog.tsx'
import { EqualCalls } from '../../components/forms/equal-calls.tsx'
import { PasswordField } from '../../components/forms/fields.tsx'
import { FormBox } from '../../components/forms/form.tsx'
import { Notice } from '../../components/notice.tsx'
import { TimeOr } from '../../components/time.tsx'
import { api } from '../../data/api.ts'
import { useForm } from '../../data/forms/form.ts'
import { bearerOf } from '../../data/bearer.ts'
import { account } from '../../data/session.ts'

type Found = Awaited<ReturnType<typeof api.auth.verifyToken>>

export function IdentifyToken({ onClose }: { onClose: () => void }) {
  const form = useForm({ token: '' })
  const found = useSignal<Found | null>(null)
  const lookUp = async ({ token }: { token: string }) => {
    found.value = null
    try {
      found.value = await api.auth.verifyToken({}, { headers: bearerOf(token) })
    } catch (error) {
      if (!(error instanceof BerthError) || error.code !== 'UNAUTHORIZED') throw error
      throw new Error('This token is not valid: it has expired, was revoked, or is not one of this Berth.')
    }
  }
  return (
    <Dialog title="Look up a token" onClose={onClose}>
      <FormBox form={form} submit="Look up" onSubmit={lookUp} onCancel={onClose}>
        <PasswordField
          field={form.fields.token}
          label="Token"
          hint="It begins with berth_. Berth says whether it is valid, whose it is, and what it may do."
          autoComplete="off"
          issue={form.issues.value.token}
        />
      </FormBox>
      {found.value !== null && (
        <Notice tone="good" announce>
          <p>
            <strong>
              {found.value.kind === 'api' ? `A valid API token of scope ${found.value.scope}` : 'A valid session'}
            </strong>
          </p>
          <p>
            {found.value.accountId === account().id ? 'It is yours.' : 'It belongs to another account'} Role{' '}
            {found.value.rol}. Expires: <TimeOr at={found.value.expiresAt} none="never" />
          </p>
        </Notice>
      )}
      <EqualCalls operation="auth.verifyToken" input={{}} />
    </Dialog>
  )
}
