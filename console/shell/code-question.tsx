/** Asks for a code of the second factor, over the dialog whose call needs it. */
import { Dialog } from '../components/dialog.tsx'
import { TextField } from '../components/forms/fields.tsx'
import { FormBox } from '../components/forms/form.tsx'
import { Notice } from '../components/notice.tsx'
import { type CodeQuestion, codeQuestion } from '../data/access/confirmation.ts'
import { useForm } from '../data/forms/form.ts'

export function CodeQuestionDialog() {
  const question = codeQuestion.value
  return question === null ? null : <Question {...question} />
}

function Question({ isRepeated, answer }: CodeQuestion) {
  const form = useForm({ code: '' })
  return (
    <Dialog title="Confirm with a code" onClose={() => answer(null)}>
      <p>This call can destroy data, or change who can. Berth needs a code of your second factor for it.</p>
      {isRepeated && (
        <Notice tone="critical" announce>
          <p>The code is wrong or was already used. Wait for the next one.</p>
        </Notice>
      )}
      <FormBox
        form={form}
        submit="Confirm"
        unavailable={form.fields.code.value.trim().length < 6 ? 'Type the code of your app' : null}
        onCancel={() => answer(null)}
        onSubmit={async ({ code }) => answer(code.trim())}
      >
        <TextField
          field={form.fields.code}
          label="Code"
          hint="Six digits of the authenticator app, or a recovery code. Each works once."
          autoComplete="one-time-code"
          isCode
        />
      </FormBox>
    </Dialog>
  )
}
