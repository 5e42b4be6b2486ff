/** A new password for the own account. */
import { useSignal } from '@preact/signals'
import { EqualCalls } from '../../components/forms/equal-calls.tsx'
import { CheckField, PasswordField } from '../../components/forms/fields.tsx'
import { FormBox } from '../../components/forms/form.tsx'
import { Notice } from '../../components/notice.tsx'
import { api } from '../../data/api.ts'
import { useForm } from '../../data/forms/form.ts'
import { withProof } from '../../data/forms/proof.ts'
import { setAccount } from '../../data/session.ts'
import { shellLine } from '../../../shared/shell-word.ts'

const empty = { password: '', revokeTokens: true }

export function PasswordForm({ onChanged }: { onChanged: () => void }) {
  const form = useForm(empty)
  const isDone = useSignal(false)
  const { fields, issues } = form
  const change = async ({ password, revokeTokens }: typeof empty) => {
    isDone.value = false
    setAccount(await withProof((proof) => api.auth.update({ email: null, password, revokeTokens, ...proof })))
  }
  const done = () => {
    form.reset(empty)
    isDone.value = true
    onChanged()
  }
  return (
    <section class="card">
      <h2>Password</h2>
      <p class="muted">A new password ends all your other sessions.</p>
      <FormBox
        form={form}
        submit="Change the password"
        unavailable={fields.password.value === '' ? 'Type a new password' : null}
        onSubmit={change}
        onDone={done}
      >
        <PasswordField
          field={fields.password}
          label="New password"
          hint="At least 8 characters. Any characters are allowed."
          autoComplete="new-password"
          issue={issues.value.password}
        />
        <CheckField
          field={fields.revokeTokens}
          label="Also revoke all my API tokens"
          hint="Programs that use them can no longer call Berth. Keep them only if nobody else can have known your password."
        />
      </FormBox>
      {isDone.value && (
        <Notice tone="good" announce>
          Your password is changed, and your other sessions have ended.
        </Notice>
      )}
      <EqualCalls
        operation="auth.update"
        input={{ email: null, password: fields.password.value, revokeTokens: fields.revokeTokens.value }}
        command={shellLine`berth account password${fields.revokeTokens.value ? [] : ['--keep-tokens']}`}
      />
    </section>
  )
}
