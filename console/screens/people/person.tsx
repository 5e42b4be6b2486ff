/** One person: what Berth knows, and what an administrator can change. */
import { useSignal } from '@preact/signals'
import { useLocation } from 'wouter-preact'
import type { User } from '../../../client/client.ts'
import type { Parameters } from '../../lazy.tsx'
import { Avatar } from '../../components/avatar.tsx'
import { Button, LinkButton } from '../../components/button.tsx'
import { ConfirmDialog } from '../../components/dialog.tsx'
import { EqualCalls } from '../../components/forms/equal-calls.tsx'
import { Loaded } from '../../components/loaded.tsx'
import { Notice } from '../../components/notice.tsx'
import { Page } from '../../components/page.tsx'
import { State } from '../../components/state.tsx'
import { Time, TimeOr } from '../../components/time.tsx'
import { api } from '../../data/api.ts'
import { useQuery } from '../../data/live/query.ts'
import { readTagged } from '../../data/forms/read-tagged.ts'
import { account, isAdmin } from '../../data/session.ts'
import { useOnce } from '../../data/use-once.ts'
import { PersonForm } from './person-form.tsx'
import { roleTexts } from './roles.ts'
import { shellLine } from '../../../shared/shell-word.ts'

export default function Person({ userId = '' }: Parameters) {
  const user = useQuery('user.byUserId', { userId }, { recordId: userId, everyMs: 60_000 })
  const isOwn = userId === account().id
  return (
    <Page
      title={user.data.value?.email ?? 'Person'}
      within="People"
      sub={isOwn ? 'This is your own account.' : 'An account of this Berth.'}
      actions={isOwn && <LinkButton href="/account">Go to your account</LinkButton>}
    >
      <Loaded query={user} what="the account">
        {(present) => <Details user={present} isOwn={isOwn} />}
      </Loaded>
    </Page>
  )
}

function Details({ user, isOwn }: { user: User; isOwn: boolean }) {
  const first = useOnce(() => readTagged((options) => api.auth.one({ id: user.authId }, options)))
  return (
    <div class="sections">
      <div class="columns">
        <section class="card">
          <h2>Account</h2>
          <Facts user={user} image={first.data.value?.record.image ?? ''} />
        </section>
        {isAdmin() ? (
          <section class="card">
            <h2>Change</h2>
            <Loaded query={first} what="the account">
              {(tagged) => <PersonForm first={tagged} isOwn={isOwn} />}
            </Loaded>
          </section>
        ) : (
          <Notice>
            <p>Only administrators may change accounts here. Your own e-mail and password are under your account.</p>
          </Notice>
        )}
      </div>
      <Removal user={user} isOwn={isOwn} />
    </div>
  )
}

const Facts = ({ user, image }: { user: User; image: string }) => (
  <div class="person">
    <Avatar image={image} email={user.email} />
    <dl class="facts">
      <dt>E-mail</dt>
      <dd>{user.email}</dd>
      <dt>Role</dt>
      <dd>
        {user.rol}: {roleTexts[user.rol]}
      </dd>
      <dt>Second factor</dt>
      <dd>
        <State tone={user.is2FAEnabled ? 'good' : 'neutral'}>{user.is2FAEnabled ? 'on' : 'off'}</State>
      </dd>
      <dt>Last seen</dt>
      <dd>
        <TimeOr at={user.lastSeenAt} none="never" />
      </dd>
      <dt>Account since</dt>
      <dd>
        <Time at={user.createdAt} />
      </dd>
      <dt>Id</dt>
      <dd>
        <code>{user.userId}</code>
      </dd>
    </dl>
  </div>
)

function Removal({ user: { userId, email }, isOwn }: { user: User; isOwn: boolean }) {
  const isAsking = useSignal(false)
  const [, go] = useLocation()
  const remove = async () => {
    await api.user.remove({ userId })
    // Otherwise the next call says that the session has ended.
    if (isOwn) location.assign('/')
    else go('/people')
  }
  return (
    <section class="card">
      <h2>Remove the account</h2>
      <p class="muted">Its sessions and API tokens end at once. Projects and databases stay.</p>
      <Button
        kind="danger"
        unavailable={isAdmin() ? null : 'Only administrators may remove accounts'}
        onClick={() => (isAsking.value = true)}
      >
        Remove the account
      </Button>
      {isAsking.value && (
        <ConfirmDialog
          title={`Remove ${email}?`}
          action="Remove the account"
          phrase={email}
          onClose={() => (isAsking.value = false)}
          run={remove}
        >
          <p>
            <strong>Lost:</strong> the account with its sessions, API tokens and open invitations.{' '}
            {isOwn && 'It is your own: you are signed out.'}
          </p>
          <p>
            <strong>Remains:</strong> projects, databases and backups, and the entries in the audit log.
          </p>
          <EqualCalls operation="user.remove" input={{ userId }} command={shellLine`berth user rm ${email}`} />
        </ConfirmDialog>
      )}
    </section>
  )
}
