/** The own account: e-mail, picture, password, second factor, sessions and API tokens. */
import { useEffect } from 'preact/hooks'
import { Loaded } from '../../components/loaded.tsx'
import { Page } from '../../components/page.tsx'
import { Time } from '../../components/time.tsx'
import { api } from '../../data/api.ts'
import { useQuery } from '../../data/live/query.ts'
import { readTagged } from '../../data/forms/read-tagged.ts'
import { account, setAccount } from '../../data/session.ts'
import { useOnce } from '../../data/use-once.ts'
import { roleTexts } from '../people/roles.ts'
import { PasswordForm } from './password-form.tsx'
import { ProfileForm } from './profile-form.tsx'
import { SecondFactor } from './second-factor.tsx'
import { Sessions } from './sessions.tsx'
import { Tokens } from './tokens.tsx'

export default function Account() {
  const { id, email, rol, createdAt } = account()
  const present = useQuery('auth.get', {})
  const first = useOnce(() => readTagged((options) => api.auth.one({ id }, options)))
  const sessions = useQuery('auth.sessions', {}, { everyMs: 60_000 })
  const reloadSessions = () => void sessions.reload()
  // Another session, or an administrator, may have changed the account.
  useEffect(() => {
    if (present.data.value !== undefined) setAccount(present.data.value)
  }, [present.data.value])
  return (
    <Page
      title="Your account"
      sub={
        <>
          {email}, role {rol}: may use {roleTexts[rol]} Created <Time at={createdAt} />.
        </>
      }
    >
      <div class="columns">
        <section class="card">
          <h2>E-mail and picture</h2>
          <Loaded query={first} what="your account">
            {(tagged) => <ProfileForm first={tagged} />}
          </Loaded>
        </section>
        <div class="stack">
          <PasswordForm onChanged={reloadSessions} />
          <SecondFactor onChanged={reloadSessions} />
        </div>
      </div>
      <Sessions sessions={sessions} />
      <Tokens />
    </Page>
  )
}
