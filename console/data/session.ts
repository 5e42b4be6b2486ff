/** Who is signed in. */
import { effect, signal } from '@preact/signals'
import { BerthError } from '../../client/client.ts'
import type { Auth } from '../../client/client.ts'
import { api, sessionHooks } from './api.ts'
import { forgetDatabases } from './lists/databases.ts'
import { forgetQueries } from './live/query.ts'
import { followEvents, stopEvents } from './live/events.ts'

export type Session =
  /** The first answer has not arrived. */
  | { state: 'unknown' }
  /** Berth has no account yet. */
  | { state: 'new' }
  | { state: 'signedOut' }
  /** `hasEnded`: the session has ended, and the page stays until the person has signed in again. */
  | { state: 'signedIn'; account: Auth; hasEnded: boolean }

export const session = signal<Session>({ state: 'unknown' })

/** Why the first request failed; null if it did not. */
export const startError = signal<unknown>(null)

sessionHooks.ended = () => {
  const present = session.peek()
  if (present.state === 'signedIn' && !present.hasEnded) session.value = { ...present, hasEnded: true }
}

/** The account that another tab has signed in as meanwhile; null: none. Its cookie is the one of all tabs. */
export const otherAccount = signal<Auth | null>(null)

/** Tells the other tabs that the cookie has changed. */
const cookieChanges = new BroadcastChannel('berth-session')
cookieChanges.onmessage = () => void checkAccount()
document.addEventListener('visibilitychange', () => {
  if (!document.hidden) void checkAccount()
})

/** Compares the account of the cookie with that of this page. Another tab may have signed out, or in as somebody else. */
export async function checkAccount(): Promise<void> {
  if (session.peek().state !== 'signedIn') return
  // A refusal ends the session here, too. A lost connection says nothing about it.
  const found = await api.auth.get().catch(() => null)
  const present = session.peek()
  if (present.state !== 'signedIn' || found === null) return
  if (found.id === present.account.id) {
    if (present.hasEnded) resume(found)
    return
  }
  otherAccount.value = found
  sessionHooks.ended()
}

// A stream belongs to a session.
effect(() => {
  if (session.value.state === 'signedIn' && !session.value.hasEnded) followEvents()
  else stopEvents()
})

/** Finds out who is signed in. */
export async function readSession(): Promise<void> {
  startError.value = null
  try {
    session.value = { state: 'signedIn', account: await api.auth.get(), hasEnded: false }
  } catch (error) {
    if (error instanceof BerthError && error.code === 'UNAUTHORIZED')
      session.value = { state: await stateWithoutSession() }
    else startError.value = error
  }
}

async function stateWithoutSession(): Promise<'new' | 'signedOut'> {
  const answer = await fetch('/readyz')
  const { accounts } = (await answer.json()) as { accounts?: 'ok' | 'none' }
  return accounts === 'none' ? 'new' : 'signedOut'
}

/** After a sign-in, or a change of the own account. Another account must not see what the last one has read. */
export function setAccount(account: Auth): void {
  const present = session.peek()
  if (present.state !== 'signedIn' || present.account.id !== account.id) forgetAnswers()
  resume(account)
  cookieChanges.postMessage(null)
}

function resume(account: Auth) {
  otherAccount.value = null
  session.value = { state: 'signedIn', account, hasEnded: false }
}

/** Ends the session here and at Berth. */
export async function signOut(): Promise<void> {
  await api.auth.logout()
  forgetAnswers()
  session.value = { state: 'signedOut' }
  cookieChanges.postMessage(null)
}

function forgetAnswers() {
  forgetQueries()
  forgetDatabases()
}

/** The account of the person. Only screens behind the sign-in call it. */
export function account(): Auth {
  const present = session.value
  if (present.state !== 'signedIn') throw new Error('Nobody is signed in')
  return present.account
}

export const isAdmin = (): boolean => account().rol === 'admin'
