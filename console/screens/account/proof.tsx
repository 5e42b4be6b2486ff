/**
 * The own password once more. Berth asks for it before it changes what a person signs in with, unless the person signed
 * in within the last ten minutes. So a stolen session is not enough to take over an account.
 */
import { useSignal } from '@preact/signals'
import { BerthError } from '../../../client/client.ts'
import { PasswordField, TextField } from '../../components/forms/fields.tsx'
import { now } from '../../data/clock.ts'
import type { Form } from '../../data/forms/form.ts'
import { useQuery } from '../../data/live/query.ts'
import { account } from '../../data/session.ts'

/** Fields of a form that needs the proof. */
export interface ProofValues {
  currentPassword: string
  code: string
}

export const noProof: ProofValues = { currentPassword: '', code: '' }

const recentMs = 10 * 60_000

export interface Proof {
  isNeeded: boolean
  /** Calls `change` with the input of the proof. If Berth asks for the proof, its fields appear. */
  confirm(values: ProofValues, change: (input: Partial<ProofValues>) => Promise<unknown>): Promise<unknown>
}

export function useProof(): Proof {
  const wasAsked = useSignal(false)
  const sessions = useQuery('auth.sessions', {})
  const current = sessions.data.value?.find(({ isCurrent }) => isCurrent)
  // The clocks of Berth and of the browser may differ, so the answer to the call decides.
  const isOld = current !== undefined && now.value - Date.parse(current.createdAt) > recentMs
  const isNeeded = isOld || wasAsked.value
  return {
    isNeeded,
    async confirm({ currentPassword, code }, change) {
      const given = { currentPassword, ...(account().is2FAEnabled ? { code: code.trim() } : {}) }
      try {
        return await change(isNeeded && currentPassword !== '' ? given : {})
      } catch (error) {
        if (!isProofMissing(error)) throw error
        wasAsked.value = true
        throw new Error('You signed in more than 10 minutes ago. Confirm the change with your present password.')
      }
    },
  }
}

const isProofMissing = (error: unknown) =>
  error instanceof BerthError && error.code === 'FORBIDDEN' && error.issues.length === 0

export function ProofFields({ form }: { form: Pick<Form<ProofValues>, 'fields' | 'issues'> }) {
  const { fields, issues } = form
  return (
    <fieldset class="form">
      <PasswordField
        field={fields.currentPassword}
        label="Your present password"
        hint="You signed in more than 10 minutes ago. The password proves that you are still the one at the keyboard."
        autoComplete="current-password"
        issue={issues.value.currentPassword}
      />
      {account().is2FAEnabled && (
        <TextField
          field={fields.code}
          label="Code of your second factor"
          hint="Six digits from your authenticator app, or a recovery code. Each works once."
          autoComplete="one-time-code"
          issue={issues.value.code}
        />
      )}
    </fieldset>
  )
}
