/** Turns on the second factor: the secret as a QR code and as text, a code of the app, then the recovery codes. */
import { useSignal } from '@preact/signals'
import type { Auth } from '../../../client/client.ts'
import { BerthError } from '../../../client/client.ts'
import { Button } from '../../components/button.tsx'
import { EqualCalls } from '../../components/forms/equal-calls.tsx'
import { CheckField, TextField } from '../../components/forms/fields.tsx'
import { FormBox } from '../../components/forms/form.tsx'
import { Loaded } from '../../components/loaded.tsx'
import { Notice } from '../../components/notice.tsx'
import { ShownOnce } from '../../components/secrets/shown-once.tsx'
import { api } from '../../data/api.ts'
import { useForm } from '../../data/forms/form.ts'
import { useOnce } from '../../data/use-once.ts'
import { setAccount } from '../../data/session.ts'
import { withProof } from '../../data/forms/proof.ts'

interface Props {
  cancel: string
  onCancel: () => void
  /** Called after the person has stored the recovery codes. */
  onDone: () => void
}

export function SecondFactorSetup({ cancel, onCancel, onDone }: Props) {
  // A second answer would be another secret, while the person scans the first one.
  const proposal = useOnce(() => api.auth.generate2FASecret())
  const codes = useSignal<string[] | null>(null)
  if (codes.value !== null) return <RecoveryCodes codes={codes.value} onDone={onDone} />
  return (
    <Loaded query={proposal} what="a secret for your app">
      {(proposed) => (
        <SetupForm
          {...proposed}
          cancel={cancel}
          onCancel={onCancel}
          onTurnedOn={({ recoveryCodes, ...account }) => {
            codes.value = recoveryCodes
            setAccount(account)
          }}
        />
      )}
    </Loaded>
  )
}

interface FormProps extends Pick<Props, 'cancel' | 'onCancel'> {
  secret: string
  otpauthUrl: string
  qrCode: string
  onTurnedOn: (answer: Auth & { recoveryCodes: string[] }) => void
}

function SetupForm({ secret, otpauthUrl, qrCode, cancel, onCancel, onTurnedOn }: FormProps) {
  const form = useForm({ pin: '' })
  const turnOn = async ({ pin }: { pin: string }) => {
    try {
      onTurnedOn(await withProof((proof) => api.auth.verify2FASetup({ pin, secret, ...proof })))
    } catch (error) {
      // A wrong code and an ended session have the same code. If the session has ended, this read says so.
      if (error instanceof BerthError && error.code === 'UNAUTHORIZED') await api.auth.get()
      throw error
    }
  }
  return (
    <>
      <div class="setup">
        <img class="qr" src={qrCode} alt="QR code with the secret. The secret is below as text, too." />
        <ol class="numbered">
          <li>
            Install an authenticator app on your phone, such as Aegis, Google Authenticator or the one of your password
            manager.
          </li>
          <li>
            Scan the code with it, or <a href={otpauthUrl}>open the app on this device</a>.
          </li>
          <li>Type the six digits that the app shows.</li>
        </ol>
      </div>
      <details>
        <summary>Type the secret instead of scanning it</summary>
        <ShownOnce what="the secret" text={secret.replace(/(.{4})(?=.)/g, '$1 ')} />
      </details>
      <FormBox form={form} submit="Turn on the second factor" onSubmit={turnOn}>
        <TextField
          field={form.fields.pin}
          label="Code of the app"
          autoComplete="one-time-code"
          inputMode="numeric"
          issue={form.issues.value.pin}
        />
        <p class="hint">Your other sessions end when the second factor is turned on.</p>
      </FormBox>
      <Button kind="plain" onClick={onCancel}>
        {cancel}
      </Button>
      <EqualCalls operation="auth.verify2FASetup" input={{ pin: '123456', secret }} command="berth account 2fa on" />
    </>
  )
}

function RecoveryCodes({ codes, onDone }: { codes: string[]; onDone: () => void }) {
  const form = useForm({ isStored: false })
  return (
    <>
      <Notice tone="good" announce>
        <strong>The second factor is on.</strong> From now on each sign-in needs a code of the app.
      </Notice>
      <p>
        If you lose the phone, each of these recovery codes replaces a code of the app once. Berth shows them only now.
        Store them where you find them without the phone.
      </p>
      <ShownOnce what="the recovery codes" text={codes.join('\n')} fileName="berth-recovery-codes.txt" />
      <FormBox
        form={form}
        submit="Done"
        unavailable={form.fields.isStored.value ? null : 'Store the recovery codes first'}
        onSubmit={async () => onDone()}
      >
        <CheckField field={form.fields.isStored} label="I have stored the recovery codes" />
      </FormBox>
    </>
  )
}
