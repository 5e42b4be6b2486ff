/** The sign-in. */
import { BerthMark } from '../../components/icons.tsx'
import { SignInForm } from './sign-in-form.tsx'

export default function SignIn() {
  return (
    <main class="gate">
      <span class="brand">
        <BerthMark />
        Berth
      </span>
      <div class="card">
        <h1>Sign in</h1>
        <SignInForm email="" />
      </div>
    </main>
  )
}
