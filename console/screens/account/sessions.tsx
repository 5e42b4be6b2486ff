/** Where the own account is signed in. */
import { useSignal } from '@preact/signals'
import type { AuthRevokeSession as Session } from '../../../client/operations.ts'
import { Button } from '../../components/button.tsx'
import { ConfirmDialog } from '../../components/dialog.tsx'
import { EqualCalls } from '../../components/forms/equal-calls.tsx'
import { Loaded } from '../../components/loaded.tsx'
import { type Column, Table } from '../../components/table.tsx'
import { Time } from '../../components/time.tsx'
import { api } from '../../data/api.ts'
import { countText } from '../../data/format.ts'
import type { Query } from '../../data/live/query.ts'
import { signOut } from '../../data/session.ts'
import { shellLine } from '../../../shared/shell-word.ts'

const columns: Column<Session>[] = [
  {
    title: 'Signed in',
    cell: ({ createdAt, isCurrent }) => (
      <>
        <Time at={createdAt} /> {isCurrent && <span class="tag">this session</span>}
      </>
    ),
  },
  { title: 'From', cell: ({ address }) => <code>{address}</code> },
  { title: 'With a code', cell: ({ passed2FA }) => (passed2FA ? 'yes' : 'no') },
  { title: 'Last used', cell: ({ lastUsedAt }) => <Time at={lastUsedAt} /> },
  { title: 'Ends', cell: ({ expiresAt }) => <Time at={expiresAt} /> },
]

export function Sessions({ sessions }: { sessions: Query<Session[]> }) {
  const ending = useSignal<Session[] | null>(null)
  const others = (sessions.data.value ?? []).filter(({ isCurrent }) => !isCurrent)
  return (
    <section class="stack">
      <div class="card-head">
        <div>
          <h2>Sessions</h2>
          <p class="muted">
            Each sign-in starts one. A session ends after 30 days, and after 7 days without use. Behind a proxy that
            BERTH_TRUSTED_PROXIES does not name, the address is that of the proxy.
          </p>
        </div>
        {others.length > 1 && <Button onClick={() => (ending.value = others)}>End all other sessions</Button>}
      </div>
      <Loaded query={sessions} what="your sessions">
        {(rows) => (
          <Table
            caption="Your sessions"
            columns={columns}
            rows={rows.toReversed()}
            rowKey={({ sessionId }) => sessionId}
            actions={(row) =>
              row.isCurrent ? (
                <Button small onClick={() => void signOut()}>
                  Sign out
                </Button>
              ) : (
                <Button small onClick={() => (ending.value = [row])}>
                  End
                </Button>
              )
            }
          />
        )}
      </Loaded>
      {ending.value !== null && (
        <EndSessions ending={ending.value} onClose={() => (ending.value = null)} onDone={sessions.reload} />
      )}
    </section>
  )
}

interface EndProps {
  ending: Session[]
  onClose: () => void
  onDone: () => Promise<void>
}

function EndSessions({ ending, onClose, onDone }: EndProps) {
  const end = async () => {
    try {
      for (const { sessionId } of ending) await api.auth.revokeSession({ sessionId })
    } finally {
      await onDone()
    }
  }
  const what = ending.length === 1 ? 'the session' : countText(ending.length, 'session')
  return (
    <ConfirmDialog title={`End ${what}?`} action={`End ${what}`} phrase={null} onClose={onClose} run={end}>
      <p>Whoever uses {ending.length === 1 ? 'it' : 'them'} has to sign in again.</p>
      <EqualCalls
        operation="auth.revokeSession"
        input={{ sessionId: ending[0]!.sessionId }}
        command={ending.map(({ sessionId }) => shellLine`berth account end-session ${sessionId}`).join('\n')}
      />
    </ConfirmDialog>
  )
}
