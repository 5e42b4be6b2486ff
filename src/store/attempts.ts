/**
 * Tries at guessing, kept over restarts. A try is counted before anything is checked, so that a hundred at once
 * cannot all pass, and is taken back when it was right. After the free ones the waits double up to a ceiling:
 * slowed, never locked for good. Does not know what is guessed, nor whether the account exists.
 */
import { hash } from 'node:crypto'
import { refuse } from '../errors.ts'
import { networkOf } from '../lib/address.ts'
import type { AttemptTable, Reader, Writer } from './schema.ts'

/** So many tries in a row cost nothing; the waits after them end at the ceiling. */
interface Limit { freeTries: number; ceilingMs: number }

/** What a limit is kept for. The name is stored as a hash alone. */
export interface Guesser { key: string; limit: Limit }

/**
 * An hour without a failed try and all is forgotten. At the ceiling an account can be guessed at 288 times a day,
 * an address 2,880 times. Source: NIST SP 800-63B, "Rate limiting", which allows 100 failures in a row and names
 * growing waits as one way to keep it.
 */
export const quietMs = 3600_000
const accountLimit: Limit = { freeTries: 10, ceilingMs: 5 * 60_000 }
/**
 * Stricter, for a code has six digits and three of them are right at any time: 96 tries a day, so that a day of
 * guessing comes to one in 3,500. Source: RFC 6238 section 5.2 and RFC 4226 section 7.3, which ask for such a limit.
 */
const pinLimit: Limit = { freeTries: 5, ceilingMs: 15 * 60_000 }
/** Gentle, for a team may share one address, and behind a proxy all do. */
const addressLimit: Limit = { freeTries: 100, ceilingMs: 30_000 }

/** `emailKey`: the e-mail in lower case, of an account or of none. */
export const accountGuesser = (emailKey: string): Guesser =>
  ({ key: hash('sha256', `account ${emailKey}`), limit: accountLimit })

/** Of second factors; not forgotten when the password was right, for whoever has that may be guessing. */
export const pinGuesser = (accountId: string): Guesser =>
  ({ key: hash('sha256', `pin ${accountId}`), limit: pinLimit })

/** `id`: of an invitation or of none. */
export const invitationGuesser = (id: string): Guesser =>
  ({ key: hash('sha256', `invitation ${id}`), limit: accountLimit })

/** Of an account that asks which e-mails are free. */
export const emailGuesser = (accountId: string): Guesser =>
  ({ key: hash('sha256', `email ${accountId}`), limit: accountLimit })

export const addressGuesser = (address: string): Guesser =>
  ({ key: hash('sha256', `address ${networkOf(address)}`), limit: addressLimit })

/** A counted try: what to put back when it was right. */
export type CountedTry = { before: AttemptTable | undefined; after: AttemptTable }[]

/** Counts one try for each guesser. Refuses, and counts nothing, while one of them has to wait. */
export async function countTry(tx: Writer, guessers: Guesser[], now: Date): Promise<CountedTry> {
  const counted: CountedTry = []
  for (const { key, limit } of guessers) {
    const before = await find(tx, key)
    if (before !== undefined) refuseWhileBlocked(before, now)
    const after = nextOf(before, key, limit, now)
    await tx.insertInto('attempt').values(after)
      .onConflict((conflict) => conflict.column('key').doUpdateSet(after)).execute()
    counted.push({ before, after })
  }
  return counted
}

/** The try was right: takes it back, as if it had not been; of the times, only where no other was counted meanwhile. */
export async function takeBack(tx: Writer, counted: CountedTry): Promise<void> {
  for (const { before, after } of counted) {
    const { key } = after
    const present = await find(tx, key)
    if (present === undefined) continue
    const alone = present.failures === after.failures && present.updatedAt === after.updatedAt
    const restored = alone ? before : { ...present, failures: present.failures - 1 }
    await tx.deleteFrom('attempt').where('key', '=', key).execute()
    if (restored !== undefined && restored.failures > 0) await tx.insertInto('attempt').values(restored).execute()
  }
}

/**
 * Forgets all tries of a guesser that has shown what was asked. Not for an address: whoever has one account could
 * sign in to it between guesses at the others.
 */
export async function forgetTries(tx: Writer, { key }: Guesser): Promise<void> {
  await tx.deleteFrom('attempt').where('key', '=', key).execute()
}

/** Deletes what an hour of quiet has made void. */
export async function forgetQuietTries(tx: Writer, now: Date): Promise<void> {
  await tx.deleteFrom('attempt').where('updatedAt', '<', new Date(now.getTime() - quietMs).toISOString()).execute()
}

function find(db: Reader, key: string) {
  return db.selectFrom('attempt').selectAll().where('key', '=', key).executeTakeFirst()
}

function refuseWhileBlocked({ blockedUntil, updatedAt }: AttemptTable, now: Date) {
  const waitMs = Date.parse(blockedUntil) - now.getTime()
  // A row from the future: the clock was set back, and must not lock anyone out.
  if (waitMs <= 0 || Date.parse(updatedAt) > now.getTime()) return
  const seconds = Math.ceil(waitMs / 1000)
  refuse('TOO_MANY_REQUESTS', `Too many tries have failed. Try again in ${seconds} second${seconds === 1 ? '' : 's'}`,
    { retryAfterSeconds: seconds })
}

function nextOf(before: AttemptTable | undefined, key: string, limit: Limit, now: Date): AttemptTable {
  const quiet = before === undefined || now.getTime() - Date.parse(before.updatedAt) >= quietMs
  const failures = quiet ? 1 : before.failures + 1
  const blockedUntil = new Date(now.getTime() + waitMsAfter(failures, limit)).toISOString()
  return { key, failures, blockedUntil, updatedAt: now.toISOString() }
}

/** 0 for the free tries, then 1 s, 2 s, 4 s and so on up to the ceiling. */
export function waitMsAfter(failures: number, { freeTries, ceilingMs }: Limit): number {
  return failures < freeTries ? 0 : Math.min(1000 * 2 ** (failures - freeTries), ceilingMs)
}
