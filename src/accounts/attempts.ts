/**
 * Tries at guessing, kept over restarts. A try is counted before anything is checked, so that a hundred at once
 * cannot all pass, and is taken back when it was right. After the free ones the waits double up to a ceiling:
 * slowed, never locked for good. Does not know what is guessed, nor whether the account exists.
 */
import { hash } from 'node:crypto'
import { refuse } from '../errors.ts'
import { networkOf } from '../lib/net/address.ts'
import { isKnownNetwork } from './known-networks.ts'
import type { AttemptTable, Reader, Writer } from '../store/schema.ts'

/** So many tries in a row cost nothing; the waits after them end at the ceiling. */
interface Limit {
  freeTries: number
  ceilingMs: number
}

/** What a limit is kept for. The names are stored as hashes alone. `subject`: the account that is guessed at. */
export interface Guesser {
  key: string
  subject: string | null
  limit: Limit
}

/** Who tries: from where, and by which token. Actors have these fields. */
export interface Caller {
  address: string
  accountId: string
  tokenId: string
}

/**
 * An hour without a failed try and all is forgotten. At the ceiling one caller can guess at an account 288 times a day,
 * and at all accounts together 2,880 times. Source: NIST SP 800-63B-4 section 3.2.2, which allows 100 failures in a row
 * and names growing waits, and networks that are known, as ways to keep others from locking the owner out.
 */
export const quietMs = 3600_000
const accountLimit: Limit = { freeTries: 10, ceilingMs: 5 * 60_000 }
/**
 * Of all callers from networks that are not known together: a guess that is spread over many networks. Its waits are
 * short, for whoever guesses so makes an owner wait who signs in from a new network: 8,640 tries a day.
 */
const spreadLimit: Limit = { freeTries: 100, ceilingMs: 10_000 }
/**
 * Stricter, for a code has six digits and three of them are right at any time: 96 tries a day, so that a day of
 * guessing comes to one in 3,500. Source: RFC 6238 section 5.2 and RFC 4226 section 7.3, which ask for such a limit.
 */
const pinLimit: Limit = { freeTries: 5, ceilingMs: 15 * 60_000 }
/** Gentle, for a team may share one address and one token. */
const callerLimit: Limit = { freeTries: 100, ceilingMs: 30_000 }

/**
 * Network and token together. Behind a proxy, or on loopback, all callers have one address: there the tokens that they
 * call with tell them apart. All tokens of one account count as one, so that nobody makes more of them.
 */
const nameOf = ({ address, accountId, tokenId }: Caller) => `${accountId || tokenId} at ${networkOf(address)}`

const guesser = (limit: Limit, name: string, subject: string | null = null): Guesser => ({
  key: hash('sha256', name),
  subject: subject === null ? null : hash('sha256', subject),
  limit,
})

/** Of everything that one caller tries, whatever account it is at. */
export const callerGuesser = (caller: Caller): Guesser => guesser(callerLimit, `caller ${nameOf(caller)}`)

const accountName = (emailKey: string) => `account ${emailKey}`
const pinName = (accountId: string) => `pin ${accountId}`

/** Of passwords, by one caller. `emailKey`: the e-mail in lower case, of an account or of none. */
export const accountGuesser = (emailKey: string, caller: Caller): Guesser =>
  guesser(accountLimit, `${accountName(emailKey)} by ${nameOf(caller)}`, accountName(emailKey))

/** Of passwords: all limits that a try is counted for. None of them depends on whether there is such an account. */
export async function passwordGuessers(db: Reader, emailKey: string, caller: Caller, now: Date): Promise<Guesser[]> {
  const isKnown = await isKnownNetwork(db, caller.address, null, now)
  const spread = isKnown ? [] : [guesser(spreadLimit, accountName(emailKey), accountName(emailKey))]
  return [accountGuesser(emailKey, caller), ...spread, callerGuesser(caller)]
}

/** Of second factors; not forgotten when the password was right, for whoever has that may be guessing. */
export const pinGuesser = (accountId: string, caller: Caller): Guesser =>
  guesser(pinLimit, `${pinName(accountId)} by ${nameOf(caller)}`, pinName(accountId))

/**
 * Of second factors: all limits that a try is counted for. Whoever comes here has shown the password, so the network
 * has to be known of this very account. A recovery code is too long to be guessed from however many networks: it stays
 * a way in for the owner while others guess at codes.
 */
export async function pinGuessers(
  db: Reader,
  accountId: string,
  caller: Caller,
  isRecoveryCode: boolean,
  now: Date,
): Promise<Guesser[]> {
  const isFree = isRecoveryCode || (await isKnownNetwork(db, caller.address, accountId, now))
  const spread = isFree ? [] : [guesser(pinLimit, pinName(accountId), pinName(accountId))]
  return [pinGuesser(accountId, caller), ...spread, callerGuesser(caller)]
}

/** `id`: of an invitation or of none. Its token is too long to be guessed from however many networks. */
export const invitationGuesser = (id: string, caller: Caller): Guesser =>
  guesser(accountLimit, `invitation ${id} by ${nameOf(caller)}`)

/** Of an account that asks which e-mails are free. */
export const emailGuesser = (accountId: string): Guesser => guesser(accountLimit, `email ${accountId}`)

/** A counted try: what to put back when it was right. */
export type CountedTry = { before: AttemptTable | undefined; after: AttemptTable }[]

/** Counts one try for each guesser. Refuses, and counts nothing, while one of them has to wait. */
export async function countTry(tx: Writer, guessers: Guesser[], now: Date): Promise<CountedTry> {
  const counted: CountedTry = []
  for (const each of guessers) {
    const before = await find(tx, each.key)
    if (before !== undefined) refuseWhileBlocked(before, now)
    const after = nextOf(before, each, now)
    await tx
      .insertInto('attempt')
      .values(after)
      .onConflict((conflict) => conflict.column('key').doUpdateSet(after))
      .execute()
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
 * Forgets all tries of a guesser that has shown what was asked: those of one caller at one account. Not those of all
 * callers, who are others, nor those of one caller at all accounts, of which one may be the caller's own.
 */
export async function forgetTries(tx: Writer, { key }: Guesser): Promise<void> {
  await tx.deleteFrom('attempt').where('key', '=', key).execute()
}

/** Forgets the tries of all callers at the password of an account, or at its second factor. */
export const forgetPasswordTries = (tx: Writer, emailKey: string): Promise<void> => forgetAll(tx, accountName(emailKey))
export const forgetPinTries = (tx: Writer, accountId: string): Promise<void> => forgetAll(tx, pinName(accountId))

async function forgetAll(tx: Writer, subject: string): Promise<void> {
  await tx.deleteFrom('attempt').where('subject', '=', hash('sha256', subject)).execute()
}

/** Deletes what an hour of quiet has made void. */
export async function forgetQuietTries(tx: Writer, now: Date): Promise<void> {
  await tx
    .deleteFrom('attempt')
    .where('updatedAt', '<', new Date(now.getTime() - quietMs).toISOString())
    .execute()
}

function find(db: Reader, key: string) {
  return db.selectFrom('attempt').selectAll().where('key', '=', key).executeTakeFirst()
}

function refuseWhileBlocked({ blockedUntil, updatedAt }: AttemptTable, now: Date) {
  const waitMs = Date.parse(blockedUntil) - now.getTime()
  // A row from the future: the clock was set back, and must not lock anyone out.
  if (waitMs <= 0 || Date.parse(updatedAt) > now.getTime()) return
  const seconds = Math.ceil(waitMs / 1000)
  refuse('TOO_MANY_REQUESTS', `Too many tries have failed. Try again in ${seconds} second${seconds === 1 ? '' : 's'}`, {
    retryAfterSeconds: seconds,
  })
}

function nextOf(before: AttemptTable | undefined, { key, subject, limit }: Guesser, now: Date): AttemptTable {
  const quiet = before === undefined || now.getTime() - Date.parse(before.updatedAt) >= quietMs
  const failures = quiet ? 1 : before.failures + 1
  const blockedUntil = new Date(now.getTime() + waitMsAfter(failures, limit)).toISOString()
  return { key, subject, failures, blockedUntil, updatedAt: now.toISOString() }
}

/** 0 for the free tries, then 1 s, 2 s, 4 s and so on up to the ceiling. */
export function waitMsAfter(failures: number, { freeTries, ceilingMs }: Limit): number {
  return failures < freeTries ? 0 : Math.min(1000 * 2 ** (failures - freeTries), ceilingMs)
}
