/** E-mail, password and, if the account has a second factor, a code. */
import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { BerthError } from '../../../client/client.ts'
import { FormBox } from '../../components/forms/form.tsx'
import { PasswordField, TextField } from '../../components/forms/fields.tsx'
import { api } from '../../data/api.ts'
import { useForm } from '../../data/forms/form.ts'
import { setAccount } from '../../data/session.ts'
import { deviceToken, keepDevice } from './device.ts'

export function SignInForm({ email, isEmailFixed = false }: { email: string; isEmailFixed?: boolean }) {
  const form = useForm({ email, password: '', code: '' })
  const { fields, issues } = form
  const needsCode = useSignal(false)
  const box = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (needsCode.value) box.current?.querySelector<HTMLElement>('[autocomplete="one-time-code"]')?.focus()
  }, [needsCode.value])
  const signIn = async ({ code, ...credentials }: { email: string; password: string; code: string }) => {
    const input = { ...credentials, cookie: true, deviceToken: deviceToken(), ...(needsCode.value ? { code } : {}) }
    try {
      setAccount(keepDevice(await api.auth.signIn(input)).account)
    } catch (error) {
      if (!needsCode.value && isCodeMissing(error)) needsCode.value = true
      else throw error
    }
  }
  return (
    <div ref={box}>
      <FormBox form={form} submit={needsCode.value ? 'Verify the code' : 'Sign in'} onSubmit={signIn}>
        <TextField
          field={fields.email}
          label="E-mail"
          type="email"
          autoComplete="username"
          disabled={isEmailFixed}
          issue={issues.value.email}
        />
        <PasswordField
          field={fields.password}
          label="Password"
          autoComplete="current-password"
          issue={issues.value.password}
        />
        {needsCode.value && (
          <TextField
            field={fields.code}
            label="Code"
            hint="Six digits from your authenticator app, or a recovery code"
            autoComplete="one-time-code"
            issue={issues.value.code}
          />
        )}
      </FormBox>
    </div>
  )
}

/** The password is right, and the account has a second factor. */
const isCodeMissing = (error: unknown) =>
  error instanceof BerthError && error.code === 'UNAUTHORIZED' && error.issues.some(({ path }) => path === 'code')
