/** The people who use this Berth, and the invitations. */
import { useSignal } from '@preact/signals'
import { Link } from 'wouter-preact'
import type { User } from '../../../client/client.ts'
import { Button, LinkButton } from '../../components/button.tsx'
import { Loaded } from '../../components/loaded.tsx'
import { Notice } from '../../components/notice.tsx'
import { Page } from '../../components/page.tsx'
import { State } from '../../components/state.tsx'
import { type Column, Table } from '../../components/table.tsx'
import { Time, TimeOr } from '../../components/time.tsx'
import { useQuery } from '../../data/live/query.ts'
import { account, isAdmin } from '../../data/session.ts'
import { DangerousCalls } from './dangerous-calls.tsx'
import { Invitations } from './invitations.tsx'
import { Invite } from './invite.tsx'

const columns: Column<User>[] = [
  {
    title: 'E-mail',
    cell: ({ userId, email }) => (
      <>
        <Link href={`/people/${userId}`}>{email}</Link> {userId === account().id && <span class="tag">you</span>}
      </>
    ),
  },
  { title: 'Role', cell: ({ rol }) => rol },
  { title: 'Projects', cell: ({ allProjects, projects }) => (allProjects === false ? (projects?.length ?? 0) : 'all') },
  {
    title: 'Second factor',
    cell: ({ is2FAEnabled }) => <State tone={is2FAEnabled ? 'good' : 'neutral'}>{is2FAEnabled ? 'on' : 'off'}</State>,
  },
  { title: 'Last seen', cell: ({ lastSeenAt }) => <TimeOr at={lastSeenAt} none="never" /> },
  { title: 'Account since', cell: ({ createdAt }) => <Time at={createdAt} /> },
]

const onlyAdmins = 'Only administrators may invite people'

export default function People() {
  const users = useQuery('user.all', {}, { everyMs: 60_000 })
  const isInviting = useSignal(false)
  const invite = (
    <Button kind="primary" unavailable={isAdmin() ? null : onlyAdmins} onClick={() => (isInviting.value = true)}>
      Invite a person
    </Button>
  )
  return (
    <Page
      title="People"
      sub="An account reaches all projects, or only those of which it is a member. Administrators also manage people and nodes."
      actions={invite}
    >
      {!isAdmin() && (
        <Notice>
          <p>You see only your own account. Administrators see all accounts and the invitations.</p>
        </Notice>
      )}
      <Loaded query={users} what="the people">
        {(rows) => (
          <Table
            caption="People"
            columns={columns}
            rows={rows}
            rowKey={({ userId }) => userId}
            actions={({ userId }) => (
              <LinkButton small href={`/people/${userId}`}>
                Details
              </LinkButton>
            )}
          />
        )}
      </Loaded>
      {isAdmin() && <Invitations onInvite={() => (isInviting.value = true)} />}
      {isAdmin() && <DangerousCalls />}
      {isInviting.value && <Invite onClose={() => (isInviting.value = false)} />}
    </Page>
  )
}
