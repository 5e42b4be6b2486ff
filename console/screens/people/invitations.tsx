/** The invitations that nobody has accepted yet. */
import { useSignal } from '@preact/signals'
import type { UserInvitations as Invitation } from '../../../client/operations.ts'
import { Button } from '../../components/button.tsx'
import { ConfirmDialog } from '../../components/dialog.tsx'
import { EqualCalls } from '../../components/forms/equal-calls.tsx'
import { Loaded } from '../../components/loaded.tsx'
import { Empty } from '../../components/page.tsx'
import { type Column, Table } from '../../components/table.tsx'
import { Time } from '../../components/time.tsx'
import { api } from '../../data/api.ts'
import { useQuery } from '../../data/live/query.ts'
import { shellLine } from '../../../shared/shell-word.ts'

const columns: Column<Invitation>[] = [
  { title: 'E-mail', cell: ({ email }) => email },
  { title: 'Role', cell: ({ rol }) => rol },
  { title: 'Invited by', cell: ({ invitedBy }) => <Inviter authId={invitedBy} /> },
  { title: 'Invited', cell: ({ createdAt }) => <Time at={createdAt} /> },
  { title: 'Expires', cell: ({ expiresAt }) => <Time at={expiresAt} /> },
]

/** The e-mail of the administrator who invited. An account that was removed has none. */
function Inviter({ authId }: { authId: string }) {
  const user = useQuery('user.byAuthId', { authId }, { recordId: authId })
  return <>{user.data.value?.email ?? <span class="muted">an administrator</span>}</>
}

export function Invitations({ onInvite }: { onInvite: () => void }) {
  const invitations = useQuery('user.invitations', {})
  const revoking = useSignal<Invitation | null>(null)
  return (
    <section class="stack">
      <h2>Invitations</h2>
      <Loaded query={invitations} what="the invitations">
        {(rows) =>
          rows.length === 0 ? (
            <Empty title="No open invitations" action={<Button onClick={onInvite}>Invite a person</Button>}>
              An invitation is a link with which a person makes an account. It works once, within 7 days.
            </Empty>
          ) : (
            <Table
              caption="Invitations"
              columns={columns}
              rows={rows}
              rowKey={({ id }) => id}
              actions={(row) => (
                <Button small onClick={() => (revoking.value = row)}>
                  Revoke
                </Button>
              )}
            />
          )
        }
      </Loaded>
      {revoking.value !== null && <Revoke invitation={revoking.value} onClose={() => (revoking.value = null)} />}
    </section>
  )
}

const Revoke = ({ invitation: { id, email }, onClose }: { invitation: Invitation; onClose: () => void }) => (
  <ConfirmDialog
    title={`Revoke the invitation of ${email}?`}
    action="Revoke the invitation"
    phrase={null}
    onClose={onClose}
    run={() => api.user.revokeInvitation({ id })}
  >
    <p>Its link no longer works. You can invite the person again.</p>
    <EqualCalls operation="user.revokeInvitation" input={{ id }} command={shellLine`berth user rm ${email}`} />
  </ConfirmDialog>
)
