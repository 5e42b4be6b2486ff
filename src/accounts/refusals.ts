/** Refusals of sign-ins that several operations share. Their wording does not reveal whether an account exists. */
import { refuse } from '../errors.ts'

export function refuseLogin(): never {
  refuse('UNAUTHORIZED', 'Wrong e-mail or password')
}

export function refuseCode(): never {
  refuse('UNAUTHORIZED', 'Wrong or already used code. Wait for the next one; after five attempts sign in again')
}
