/** The session has ended while the page was open. The page behind stays as it is, with all that was typed. */
import { useEffect } from 'preact/hooks'
import type { Auth } from '../../client/client.ts'
import { Button } from '../components/button.tsx'
import { Dialog } from '../components/dialog.tsx'
import { Notice } from '../components/notice.tsx'
import { checkAccount, otherAccount, session } from '../data/session.ts'
import { SignInForm } from '../screens/sign-in/sign-in-form.tsx'

export function SignInAgain({ present }: { present: Auth }) {
  const other = otherAccount.value
  // Another tab may have signed in before this page has noticed the end of the session.
  useEffect(() => void checkAccount(), [])
  return (
    <Dialog title="Your session has ended" onClose={() => {}} isRequired>
      <p>Sign in again to go on. What you have typed is still here. Then repeat what you did last.</p>
      {other !== null && (
        <Notice tone="warning" announce>
          <p>In another tab you have signed in as {other.email}.</p>
          <Button small onClick={() => location.reload()}>
            Go on as {other.email} and lose what you have typed
          </Button>
        </Notice>
      )}
      <SignInForm email={present.email} isEmailFixed />
      <div>
        <Button kind="plain" onClick={() => (session.value = { state: 'signedOut' })}>
          Sign in as somebody else and lose what you have typed
        </Button>
      </div>
    </Dialog>
  )
}
