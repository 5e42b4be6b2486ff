/** The e-mail address and the picture of the own account. */
import { useSignal } from '@preact/signals'
import type { Auth } from '../../../client/client.ts'
import { Conflicts } from '../../components/forms/conflicts.tsx'
import { EqualCalls } from '../../components/forms/equal-calls.tsx'
import { TextField } from '../../components/forms/fields.tsx'
import { FormBox } from '../../components/forms/form.tsx'
import { Notice } from '../../components/notice.tsx'
import { api } from '../../data/api.ts'
import { readTagged, type Tagged } from '../../data/forms/read-tagged.ts'
import { useRecordForm } from '../../data/forms/record-form.ts'
import { withProof } from '../../data/forms/proof.ts'
import { setAccount } from '../../data/session.ts'
import { PictureField } from './picture-field.tsx'
import { shellLine } from '../../../shared/shell-word.ts'

const valuesOf = ({ email, image }: Auth) => ({ email, image })
const labels = { email: 'E-mail', image: 'Picture' }

export function ProfileForm({ first }: { first: Tagged<Auth> }) {
  const { id } = first.record
  const form = useRecordForm({ values: valuesOf(first.record), etag: first.etag }, async () => {
    const { record, etag } = await readTagged((options) => api.auth.one({ id }, options))
    return { values: valuesOf(record), etag }
  })
  const isDone = useSignal(false)
  const { fields, issues } = form
  const changesEmail = form.changed.value.includes('email')
  const hasChanged = changesEmail || form.changed.value.includes('image')
  const save = () =>
    form.save(async ({ email = null, image }, headers) => {
      const changed = { email, password: null, ...(image === undefined ? {} : { image }) }
      setAccount(await withProof((proof) => api.auth.update({ ...changed, ...proof }, { headers })))
    })
  return (
    <>
      <Conflicts form={form} labels={labels} />
      <FormBox
        form={{ ...form, submit: save }}
        submit="Save"
        unavailable={hasChanged ? null : 'Nothing is changed'}
        onSubmit={save}
        onDone={() => (isDone.value = true)}
      >
        <TextField
          field={fields.email}
          label="E-mail"
          type="email"
          hint="You sign in with it. Berth sends no mail."
          autoComplete="email"
          issue={issues.value.email}
        />
        <PictureField field={fields.image} email={fields.email.value} issue={issues.value.image} />
      </FormBox>
      {isDone.value && !hasChanged && (
        <Notice tone="good" announce>
          Saved.
        </Notice>
      )}
      <EqualCalls
        operation="auth.update"
        input={{ email: changesEmail ? fields.email.value : null, password: null, image: fields.image.value }}
        {...(changesEmail ? { command: shellLine`berth account email ${fields.email.value}` } : {})}
      />
    </>
  )
}
