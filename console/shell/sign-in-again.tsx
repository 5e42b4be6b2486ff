/** The session has ended while the page was open. The page behind stays as it is, with all that was typed. */
import { Button } from '../components/button.tsx'
import { Dialog } from '../components/dialog.tsx'
import { session } from '../data/session.ts'
import { SignInForm } from '../screens/sign-in/sign-in-form.tsx'

export const SignInAgain = ({ email }: { email: string }) => (
  <Dialog title="Your session has ended" onClose={() => {}} isRequired>
    <p>Sign in again to go on. What you have typed is still here. Then repeat what you did last.</p>
    <SignInForm email={email} isEmailFixed />
    <div>
      <Button kind="plain" onClick={() => (session.value = { state: 'signedOut' })}>
        Sign in as somebody else and lose what you have typed
      </Button>
    </div>
  </Dialog>
)
