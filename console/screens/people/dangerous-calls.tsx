/** Whether calls that can destroy data need a code of the second factor. */
import { useSignal } from '@preact/signals'
import { Button } from '../../components/button.tsx'
import { ConfirmDialog } from '../../components/dialog.tsx'
import { EqualCalls } from '../../components/forms/equal-calls.tsx'
import { Loaded } from '../../components/loaded.tsx'
import { State } from '../../components/state.tsx'
import { api } from '../../data/api.ts'
import { countText } from '../../data/format.ts'
import { useQuery } from '../../data/live/query.ts'
import { account } from '../../data/session.ts'

export function DangerousCalls() {
  const settings = useQuery('installation.settings', {})
  const users = useQuery('user.all', {}).data.value ?? []
  const isAsking = useSignal(false)
  const withoutFactor = users.filter(({ is2FAEnabled }) => !is2FAEnabled).length
  const own = account().is2FAEnabled ? null : 'Set up your own second factor first: it is under your account'
  return (
    <section class="card">
      <Loaded query={settings} what="the settings">
        {({ confirmDangerousCalls: isOn }) => (
          <>
            <div class="card-head">
              <h2>Confirm dangerous calls</h2>
              <State tone={isOn ? 'good' : 'neutral'}>{isOn ? 'on' : 'off'}</State>
            </div>
            <p class="muted">
              With it, Berth asks for a code of the second factor before data is destroyed: removal with data, removal
              of volumes, a restore into an existing database, and everything that is forced. A stolen session is then
              not enough.
            </p>
            {withoutFactor > 0 && (
              <p>
                {countText(withoutFactor, 'account')} without a second factor {isOn ? 'cannot' : 'could not'} make such
                calls.
              </p>
            )}
            <Button kind={isOn ? 'danger' : 'primary'} unavailable={own} onClick={() => (isAsking.value = true)}>
              {isOn ? 'Turn off' : 'Turn on'}
            </Button>
            {isAsking.value && <Change isOn={!isOn} onClose={() => (isAsking.value = false)} />}
          </>
        )}
      </Loaded>
    </section>
  )
}

/** @param isOn what the setting becomes */
const Change = ({ isOn, onClose }: { isOn: boolean; onClose: () => void }) => (
  <ConfirmDialog
    title={isOn ? 'Ask for a code before data is destroyed?' : 'No longer ask for a code?'}
    action={isOn ? 'Turn on' : 'Turn off'}
    phrase={null}
    isDangerous={!isOn}
    onClose={onClose}
    run={() => api.installation.updateSettings({ confirmDangerousCalls: isOn })}
  >
    <p>
      {isOn
        ? 'Programs with API tokens need a code of their account, too. Keep your recovery codes.'
        : 'Then a session or an API token alone is enough to delete data.'}
    </p>
    <EqualCalls
      operation="installation.updateSettings"
      input={{ confirmDangerousCalls: isOn }}
      command={`berth settings set --confirm-dangerous-calls ${isOn ? 'on' : 'off'}`}
    />
  </ConfirmDialog>
)
