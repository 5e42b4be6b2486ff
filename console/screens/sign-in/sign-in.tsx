/** The sign-in. */
import { Gate } from './gate.tsx'
import { SignInForm } from './sign-in-form.tsx'

export default function SignIn() {
  return (
    <Gate
      title="Sign in"
      foot={
        <p class="hint">
          No account? An administrator invites you with a link. Password or second factor lost? An administrator sets a
          new password under People; without one, use <code>./berth admin reset-password EMAIL</code> or{' '}
          <code>reset-2fa</code> on the machine of Berth.
        </p>
      }
    >
      <SignInForm email="" />
    </Gate>
  )
}
