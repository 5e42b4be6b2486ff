/** What the page shows: the sign-in, the first start, an invitation, or the console. */
import type { ComponentChildren } from 'preact'
import { useEffect } from 'preact/hooks'
import { useLocation } from 'wouter-preact'
import { Button } from './components/button.tsx'
import { Loading } from './components/loaded.tsx'
import { ErrorNotice } from './components/notice.tsx'
import { ProofDialog } from './components/secrets/proof-dialog.tsx'
import { useQuery } from './data/live/query.ts'
import { isAdmin, readSession, session, startError } from './data/session.ts'
import { screenOf } from './lazy.tsx'
import { Shell } from './shell/shell.tsx'

/** The frame of what a person sees before the first screen has loaded. */
const Waiting = ({ children }: { children?: ComponentChildren }) => (
  <main class="gate">
    <h1 class="visually-hidden">Berth</h1>
    {children}
  </main>
)

const SignIn = screenOf(() => import('./screens/sign-in/sign-in.tsx'), Waiting)
const FirstStart = screenOf(() => import('./screens/sign-in/first-start.tsx'), Waiting)
const Invitation = screenOf(() => import('./screens/sign-in/invitation.tsx'), Waiting)

const Review = screenOf(() => import('./screens/review/review.tsx'), Waiting)

/** A restored state has to be confirmed before anything else. Only a start of Berth makes a state unconfirmed. */
function ShellOrReview() {
  const { data } = useQuery('state.differences', {}, { kinds: [] })
  return data.value?.unconfirmedSince == null ? <Shell /> : <Review />
}

export const App = () => (
  <>
    <Screen />
    <ProofDialog />
  </>
)

function Screen() {
  useEffect(() => void readSession(), [])
  const { state } = session.value
  const [path] = useLocation()
  if (path === '/invitation') return <Invitation />
  // The administrator exists already; the steps after it follow.
  if (state === 'signedIn' && path.startsWith('/welcome')) return <FirstStart />
  if (state === 'signedIn') return isAdmin() ? <ShellOrReview /> : <Shell />
  if (state === 'new') return <FirstStart />
  if (state === 'signedOut') return <SignIn />
  return (
    <Waiting>
      {startError.value === null ? (
        <Loading what="the console" />
      ) : (
        <ErrorNotice error={startError.value}>
          <Button onClick={() => void readSession()}>Try again</Button>
        </ErrorNotice>
      )}
    </Waiting>
  )
}
