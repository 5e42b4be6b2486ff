/** What an administrator can change of an account. For the own account the rules of the own account apply. */
import { useSignal } from '@preact/signals'
import type { Auth } from '../../../client/client.ts'
import { Button } from '../../components/button.tsx'
import { Conflicts } from '../../components/forms/conflicts.tsx'
import { EqualCalls } from '../../components/forms/equal-calls.tsx'
import { CheckField, PasswordField, SelectField, TextField } from '../../components/forms/fields.tsx'
import { FormBox } from '../../components/forms/form.tsx'
import { Notice } from '../../components/notice.tsx'
import { ShownOnce } from '../../components/secrets/shown-once.tsx'
import { api } from '../../data/api.ts'
import type { Form } from '../../data/forms/form.ts'
import { readTagged, type Tagged } from '../../data/forms/read-tagged.ts'
import { useRecordForm } from '../../data/forms/record-form.ts'
import { withProof } from '../../data/forms/proof.ts'
import { setAccount } from '../../data/session.ts'
import { type Rol, roleChoices, roleTexts } from './roles.ts'

const valuesOf = ({ email, rol, is2FAEnabled }: Auth) => ({
  ...{ email, rol: rol as string, password: '', turnsOff2FA: false },
  ...{ hadFactor: is2FAEnabled },
})
type Values = ReturnType<typeof valuesOf>
const labels = {
  ...{ email: 'E-mail', rol: 'Role', password: 'Password', turnsOff2FA: 'Turn off the second factor' },
  hadFactor: 'Second factor',
}

/** The input of auth.updateByAdmin, without the id. */
const inputOf = ({ email, rol, password, turnsOff2FA }: Partial<Values>) => ({
  email: email ?? null,
  password: password ? password : null,
  ...(rol === undefined ? {} : { rol: rol as Rol }),
  ...(turnsOff2FA ? { is2FAEnabled: false } : {}),
})

export function PersonForm({ first, isOwn }: { first: Tagged<Auth>; isOwn: boolean }) {
  const { id } = first.record
  const form = useRecordForm({ values: valuesOf(first.record), etag: first.etag }, async () => {
    const { record, etag } = await readTagged((options) => api.auth.one({ id }, options))
    return { values: valuesOf(record), etag }
  })
  /** The password that was set, for the administrator to pass on. */
  const setPassword = useSignal<string | null>(null)
  const isDone = useSignal(false)
  const { fields, changed } = form
  const changes = changed.value
  function save() {
    return form.save(async (values, headers) => {
      const input = { id, ...inputOf(values) }
      const answer = await withProof((proof) => api.auth.updateByAdmin({ ...input, ...proof }, { headers }))
      setPassword.value = values.password ?? null
      if (isOwn) setAccount(answer)
    })
  }
  return (
    <>
      <Conflicts form={form} labels={labels} />
      <FormBox
        form={{ ...form, submit: save }}
        submit="Save"
        unavailable={changes.length > 0 ? null : 'Nothing is changed'}
        onSubmit={save}
        onDone={() => (isDone.value = true)}
      >
        <PersonFields form={form} />
      </FormBox>
      {isDone.value && changes.length === 0 && (
        <Notice tone="good" announce>
          Saved.
        </Notice>
      )}
      {setPassword.value !== null && (
        <>
          <p>Pass the new password on, and ask the person to change it.</p>
          <ShownOnce what="the new password" text={setPassword.value} />
        </>
      )}
      <EqualCalls
        operation="auth.updateByAdmin"
        input={{ id, ...inputOf(Object.fromEntries(changes.map((name) => [name, fields[name].value]))) }}
      />
    </>
  )
}

function PersonFields({ form: { fields, issues } }: { form: Pick<Form<Values>, 'fields' | 'issues'> }) {
  return (
    <>
      <TextField field={fields.email} label="E-mail" type="email" autoComplete="off" issue={issues.value.email} />
      <SelectField
        field={fields.rol}
        label="Role"
        choices={roleChoices}
        hint={`May use ${roleTexts[fields.rol.value as Rol]} Another role ends the sessions of the account.`}
        issue={issues.value.rol}
      />
      <PasswordField
        field={fields.password}
        label="New password"
        required={false}
        hint="Empty: the present one stays. A new one ends the sessions and API tokens of the account."
        autoComplete="new-password"
        issue={issues.value.password}
      />
      <div>
        <Button small onClick={() => (fields.password.value = randomPassword())}>
          Fill in a random password
        </Button>
      </div>
      {fields.hadFactor.value && (
        <CheckField
          field={fields.turnsOff2FA}
          label="Turn off the second factor"
          hint="For a person who has lost the phone and the recovery codes. Make sure that it is this person who asks."
          issue={issues.value.is2FAEnabled}
        />
      )}
    </>
  )
}

/** 20 characters of an alphabet without look-alikes: 114 bits. */
function randomPassword(): string {
  const alphabet = 'abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789'
  const letters: string[] = []
  while (letters.length < 20) {
    for (const byte of crypto.getRandomValues(new Uint8Array(32))) {
      // Bytes above the last whole repetition of the alphabet would prefer its beginning.
      if (byte < 256 - (256 % alphabet.length) && letters.length < 20) letters.push(alphabet[byte % alphabet.length]!)
    }
  }
  return letters.join('')
}
