/** The session has ended while the page was open. The page behind stays as it is, with all that was typed. */
import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import type { Auth } from '../../client/client.ts'
import { Button } from '../components/button.tsx'
import { Dialog } from '../components/dialog.tsx'
import { Notice } from '../components/notice.tsx'
import { api } from '../data/api.ts'
import { session, setAccount } from '../data/session.ts'
import { SignInForm } from '../screens/sign-in/sign-in-form.tsx'

export function SignInAgain({ present }: { present: Auth }) {
  const other = useSignal<Auth | null>(null)
  // The person may have signed in again in another tab.
  useEffect(() => {
    const findSession = async () => {
      if (document.hidden) return
      const found = await api.auth.get().catch(() => null)
      if (found?.id === present.id) setAccount(found)
      else other.value = found
    }
    document.addEventListener('visibilitychange', findSession)
    return () => document.removeEventListener('visibilitychange', findSession)
  }, [])
  return (
    <Dialog title="Your session has ended" onClose={() => {}} isRequired>
      <p>Sign in again to go on. What you have typed is still here. Then repeat what you did last.</p>
      {other.value !== null && (
        <Notice tone="warning" announce>
          <p>In another tab you have signed in as {other.value.email}.</p>
          <Button small onClick={() => location.reload()}>
            Go on as {other.value.email} and lose what you have typed
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
