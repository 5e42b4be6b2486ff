/** Asks for the own password once more, and repeats the call that waits for it. */
import { proofRequest, type ProofRequest } from '../../data/forms/proof.ts'
import { useForm } from '../../data/forms/form.ts'
import { Dialog } from '../dialog.tsx'
import { PasswordField, TextField } from '../forms/fields.tsx'
import { FormBox } from '../forms/form.tsx'

export const ProofDialog = () => (proofRequest.value === null ? null : <Ask request={proofRequest.value} />)

function Ask({ request: { needsCode, confirm, cancel } }: { request: ProofRequest }) {
  const form = useForm({ currentPassword: '', code: '' })
  const { fields, issues } = form
  return (
    <Dialog title="Confirm that it is you" onClose={cancel}>
      <FormBox
        form={form}
        submit="Confirm"
        unavailable={fields.currentPassword.value === '' ? 'Type your password' : null}
        onSubmit={({ currentPassword, code }) =>
          confirm({ currentPassword, ...(needsCode ? { code: code.trim() } : {}) })
        }
        onCancel={cancel}
      >
        <PasswordField
          field={fields.currentPassword}
          label="Your present password"
          hint="You signed in more than 10 minutes ago. The password proves that you are still the one at the keyboard."
          autoComplete="current-password"
          issue={issues.value.currentPassword}
        />
        {needsCode && (
          <TextField
            field={fields.code}
            label="Code of your second factor"
            hint="Six digits from your authenticator app, or a recovery code. Each works once."
            autoComplete="one-time-code"
            issue={issues.value.code}
          />
        )}
      </FormBox>
    </Dialog>
  )
}
