/** The clock of Berth's machine: whether Berth trusts it, and the button to trust it again. */
import { useSignal } from '@preact/signals'
import type { Operations } from '../../../client/client.ts'
import { Button } from '../../components/button.tsx'
import { ConfirmDialog } from '../../components/dialog.tsx'
import { Loaded } from '../../components/loaded.tsx'
import { State } from '../../components/state.tsx'
import { api } from '../../data/api.ts'
import { useQuery } from '../../data/live/query.ts'

type Clock = Awaited<ReturnType<Operations['clock']['status']>>

export function ClockCard() {
  const clock = useQuery('clock.status', {}, { kinds: ['condition'] })
  return (
    <section class="card">
      <div class="card-head">
        <h2>Clock</h2>
      </div>
      <Loaded query={clock} what="the clock">
        {(data) =>
          data.trusted ? <p>Berth trusts the clock of its machine.</p> : <Untrusted clock={data} onEnd={clock.reload} />
        }
      </Loaded>
    </section>
  )
}

function Untrusted({ clock, onEnd }: { clock: Clock; onEnd: () => Promise<void> }) {
  const isAsking = useSignal(false)
  return (
    <>
      <p>
        <State tone="warning">not trusted</State> {clock.reason}.
      </p>
      <dl class="facts">
        <dt>The machine says</dt>
        <dd>
          <code>{clock.time}</code>
        </dd>
        <dt>Berth expects</dt>
        <dd>
          <code>{clock.expected}</code>
        </dd>
      </dl>
      <div class="buttons">
        <Button onClick={() => (isAsking.value = true)}>Trust the clock</Button>
      </div>
      {isAsking.value && (
        <ConfirmDialog
          title="Trust the clock"
          action="Trust the clock"
          phrase={null}
          onClose={() => (isAsking.value = false)}
          run={async () => {
            await api.clock.trust({ time: new Date().toISOString() })
            await onEnd()
          }}
        >
          <p>
            Compare the time of the machine, <code>{clock.time}</code>, with another clock. If it is wrong, set the
            clock of the machine first. Berth then deletes again what has become too old by this clock.
          </p>
        </ConfirmDialog>
      )}
    </>
  )
}
