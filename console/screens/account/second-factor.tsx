/** The second factor of the own account: whether it is on, and to turn it on and off. */
import { useSignal } from '@preact/signals'
import { Button } from '../../components/button.tsx'
import { ConfirmDialog } from '../../components/dialog.tsx'
import { EqualCalls } from '../../components/forms/equal-calls.tsx'
import { State } from '../../components/state.tsx'
import { api } from '../../data/api.ts'
import { withProof } from '../../data/forms/proof.ts'
import { account, setAccount } from '../../data/session.ts'
import { SecondFactorSetup } from './second-factor-setup.tsx'

export function SecondFactor({ onChanged }: { onChanged: () => void }) {
  const isSettingUp = useSignal(false)
  const isTurningOff = useSignal(false)
  const isOn = account().is2FAEnabled
  const end = () => {
    isSettingUp.value = false
    onChanged()
  }
  return (
    <section class="card">
      <div class="card-head">
        <h2>Second factor</h2>
        <State tone={isOn ? 'good' : 'neutral'}>{isOn ? 'on' : 'off'}</State>
      </div>
      {isSettingUp.value ? (
        <SecondFactorSetup cancel="Cancel" onCancel={() => (isSettingUp.value = false)} onDone={end} />
      ) : (
        <>
          <p class="muted">
            {isOn
              ? 'Each sign-in needs a code of your authenticator app besides the password. ' +
                'To move to another phone, turn the second factor off, then on again.'
              : 'With it, each sign-in also needs a code of an app on your phone. A stolen password alone is then worth nothing.'}
          </p>
          {isOn ? (
            <Button kind="danger" onClick={() => (isTurningOff.value = true)}>
              Turn off the second factor
            </Button>
          ) : (
            <Button kind="primary" onClick={() => (isSettingUp.value = true)}>
              Set up the second factor
            </Button>
          )}
        </>
      )}
      {isTurningOff.value && <TurnOff onChanged={onChanged} onClose={() => (isTurningOff.value = false)} />}
    </section>
  )
}

const TurnOff = ({ onChanged, onClose }: { onChanged: () => void; onClose: () => void }) => (
  <ConfirmDialog
    title="Turn off the second factor?"
    action="Turn off the second factor"
    phrase={null}
    onClose={onClose}
    run={async () => {
      setAccount(await withProof((proof) => api.auth.disable2FA(proof)))
      onChanged()
    }}
  >
    <p>Then the password alone is enough to sign in. The recovery codes become invalid.</p>
    <p class="muted">Your session must have been started with a code. Otherwise sign in again first.</p>
    <EqualCalls operation="auth.disable2FA" input={{}} command="berth account 2fa off" />
  </ConfirmDialog>
)
