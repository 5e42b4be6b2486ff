/**
 * Limits on guessing passwords and codes. The counts are stored, so a restart does not reset them. Each attempt is
 * counted before it is verified, so that concurrent attempts cannot bypass the limit. A correct attempt is uncounted.
 * After the free attempts the wait doubles up to a maximum, but no account is locked permanently. The limits do not
 * depend on whether the account exists.
 */
import { hash } from 'node:crypto'
import { futureFrom } from '../clock/trust.ts'
import { refuse } from '../errors.ts'
import { networkOf } from '../lib/net/address.ts'
import { isKnownNetwork } from './known-networks.ts'
import type { AttemptTable, Reader, Writer } from '../store/schema.ts'

/** The number of failed attempts without a wait, and the maximum wait after them. */
interface Limit {
  freeAttempts: number
  maxWaitMs: number
}

/** A stored count of failed attempts and its limit. Names of accounts and callers are stored only as hashes. */
export interface AttemptCounter {
  /** Hash of the name of this counter. */
  key: string
  /** Hash of the name of the account whose password or second factor is tried; null for other attempts. */
  subject: string | null
  limit: Limit
}

/** The caller of an attempt. Every actor has these fields. */
export interface Caller {
  address: string
  accountId: string
  tokenId: string
  /** The device of the account whose password or code is tried, see `callerFrom`. Undefined: an unknown device. */
  device?: string
}

/** A counter is reset after this time without a failure. */
export const attemptRetentionMs = 3600_000
/**
 * The limit of one caller for the password of one account. Also the limit for one invitation, and for changes of an
 * account's e-mail. The maximum wait allows 288 passwords a day. NIST SP 800-63B-4 section 3.2.2 allows 100 consecutive
 * failures. It recommends growing waits and known networks, so that attackers cannot lock the owner out.
 */
const accountLimit: Limit = { freeAttempts: 10, maxWaitMs: 5 * 60_000 }
/**
 * The common limit of all callers from unknown networks for one account, against attacks from many networks. The
 * maximum wait is short because the wait also delays an owner who signs in from a new network. It allows 8,640 attempts
 * a day.
 */
const commonLimit: Limit = { freeAttempts: 100, maxWaitMs: 10_000 }
/**
 * The limit for codes of the second factor. It is strict because a code has only six digits and three codes are valid
 * at any time. The maximum wait allows 96 attempts a day: a day of guessing succeeds with a probability of 1 in 3,500.
 * RFC 6238 section 5.2 and RFC 4226 section 7.3 demand such a limit.
 */
const pinLimit: Limit = { freeAttempts: 5, maxWaitMs: 15 * 60_000 }
/**
 * The limit of one caller for all accounts. It has many free attempts because a team may share one address and one
 * token. The maximum wait allows 2,880 attempts a day.
 */
const callerLimit: Limit = { freeAttempts: 100, maxWaitMs: 30_000 }

/**
 * The name of a caller: its device, if the account knows it, or else its network with its account, or with its token if
 * it has no account. Behind a proxy that is not trusted, or on loopback, all callers have the same address, and their
 * devices and tokens distinguish them. All tokens of an account count as one, so that more tokens do not permit more
 * attempts.
 */
const nameOf = ({ address, accountId, tokenId, device }: Caller) =>
  device === undefined ? `${accountId || tokenId} at ${networkOf(address)}` : `device ${device}`

const counter = (limit: Limit, name: string, subject: string | null = null): AttemptCounter => ({
  key: hash('sha256', name),
  subject: subject === null ? null : hash('sha256', subject),
  limit,
})

/** The counter of one caller for all accounts. */
export const callerCounter = (caller: Caller): AttemptCounter => counter(callerLimit, `caller ${nameOf(caller)}`)

const accountName = (emailKey: string) => `account ${emailKey}`
const pinName = (accountId: string) => `pin ${accountId}`

/** The subject of the counters of an account: for its password, and for its second factor. */
export const passwordSubject = (emailKey: string): string => hash('sha256', accountName(emailKey))
export const pinSubject = (accountId: string): string => hash('sha256', pinName(accountId))

/**
 * The counter of one caller for the password of one account.
 *
 * @param emailKey the e-mail in lower case; the account need not exist
 */
export const accountCounter = (emailKey: string, caller: Caller): AttemptCounter =>
  counter(accountLimit, `${accountName(emailKey)} by ${nameOf(caller)}`, accountName(emailKey))

/**
 * All counters of an attempt at a password: of the caller for this account, of the caller for all accounts, and, if the
 * caller's device and network are unknown, the common counter of all unknown networks. They do not depend on whether the
 * account exists.
 */
export async function passwordCounters(
  db: Reader,
  emailKey: string,
  caller: Caller,
  now: Date,
): Promise<AttemptCounter[]> {
  const isKnown = caller.device !== undefined || (await isKnownNetwork(db, caller.address, null, now))
  const common = isKnown ? [] : [counter(commonLimit, accountName(emailKey), accountName(emailKey))]
  return [accountCounter(emailKey, caller), ...common, callerCounter(caller)]
}

/** The counter of one caller for the second factor of one account. A correct password does not reset it. */
export const pinCounter = (accountId: string, caller: Caller): AttemptCounter =>
  counter(pinLimit, `${pinName(accountId)} by ${nameOf(caller)}`, pinName(accountId))

/**
 * All counters of an attempt at a second factor. The common counter of all networks does not apply to callers from a
 * network that is known for this account. This reveals nothing, because the caller has already proved the password.
 * The common counter does not apply to recovery codes either: they are too long to be guessed, and let the owner sign
 * in during an attack.
 */
export async function pinCounters(
  db: Reader,
  accountId: string,
  caller: Caller,
  isRecoveryCode: boolean,
  now: Date,
): Promise<AttemptCounter[]> {
  const isExempt =
    isRecoveryCode || caller.device !== undefined || (await isKnownNetwork(db, caller.address, accountId, now))
  const common = isExempt ? [] : [counter(pinLimit, pinName(accountId), pinName(accountId))]
  return [pinCounter(accountId, caller), ...common, callerCounter(caller)]
}

/**
 * The counter of one caller for one invitation, which need not exist. There is no common counter of all networks,
 * because the token is too long to be guessed.
 */
export const invitationCounter = (id: string, caller: Caller): AttemptCounter =>
  counter(accountLimit, `invitation ${id} by ${nameOf(caller)}`)

/** The counter of an account for changes of its e-mail. Such a change reveals whether an e-mail is taken. */
export const emailCounter = (accountId: string): AttemptCounter => counter(accountLimit, `email ${accountId}`)

/** A counted attempt: the row of each counter before and after it. `uncountAttempt` needs them. */
export type CountedAttempt = { before: AttemptTable | undefined; after: AttemptTable }[]

/** Counts one attempt on each counter. If one of them is blocked, refuses with TOO_MANY_REQUESTS and counts nothing. */
export async function countAttempt(tx: Writer, counters: AttemptCounter[], now: Date): Promise<CountedAttempt> {
  const counted: CountedAttempt = []
  for (const each of counters) {
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

/**
 * Uncounts a correct attempt. A counter is restored to its state before the attempt. If other attempts were counted
 * meanwhile, the counter only gets one failure less and keeps its times.
 */
export async function uncountAttempt(tx: Writer, counted: CountedAttempt): Promise<void> {
  for (const { before, after } of counted) {
    const { key } = after
    const current = await find(tx, key)
    if (current === undefined) continue
    const isUnchanged = current.failures === after.failures && current.updatedAt === after.updatedAt
    const restored = isUnchanged ? before : { ...current, failures: current.failures - 1 }
    await tx.deleteFrom('attempt').where('key', '=', key).execute()
    if (restored !== undefined && restored.failures > 0) await tx.insertInto('attempt').values(restored).execute()
  }
}

/**
 * Resets the counter of one caller for one account after a correct attempt. Do not reset other counters. An attacker
 * could reset the counter of a caller for all accounts by signing in to another account. Each sign-in of the owner
 * would reset the common counter of all networks.
 */
export async function forgetAttempts(tx: Writer, { key }: AttemptCounter): Promise<void> {
  await tx.deleteFrom('attempt').where('key', '=', key).execute()
}

/** Resets the counters of all callers for the password of an account. */
export const forgetPasswordAttempts = (tx: Writer, emailKey: string): Promise<void> =>
  forgetAll(tx, accountName(emailKey))

/** Resets the counters of all callers for the second factor of an account. */
export const forgetPinAttempts = (tx: Writer, accountId: string): Promise<void> => forgetAll(tx, pinName(accountId))

async function forgetAll(tx: Writer, subject: string): Promise<void> {
  await tx.deleteFrom('attempt').where('subject', '=', hash('sha256', subject)).execute()
}

/** Deletes counters without a failure in the last hour. */
export async function forgetOldAttempts(tx: Writer, now: Date): Promise<void> {
  await tx
    .deleteFrom('attempt')
    .where('updatedAt', '<', new Date(now.getTime() - attemptRetentionMs).toISOString())
    .execute()
}

/** Moves attempts that were made while the clock was ahead back to the present. Their waits begin again. */
export async function correctFutureAttempts(tx: Writer, now: Date): Promise<void> {
  const rows = await tx.selectFrom('attempt').selectAll().where('updatedAt', '>', futureFrom(now)).execute()
  for (const { key, blockedUntil, updatedAt } of rows) {
    const waitMs = Date.parse(blockedUntil) - Date.parse(updatedAt)
    const corrected = { updatedAt: now.toISOString(), blockedUntil: new Date(now.getTime() + waitMs).toISOString() }
    await tx.updateTable('attempt').set(corrected).where('key', '=', key).execute()
  }
}

function find(db: Reader, key: string) {
  return db.selectFrom('attempt').selectAll().where('key', '=', key).executeTakeFirst()
}

function refuseWhileBlocked({ blockedUntil, updatedAt }: AttemptTable, now: Date) {
  const waitMs = Date.parse(blockedUntil) - now.getTime()
  // A time in the future means that the clock was set back, which must not lock anyone out.
  if (waitMs <= 0 || Date.parse(updatedAt) > now.getTime()) return
  const seconds = Math.ceil(waitMs / 1000)
  refuse('TOO_MANY_REQUESTS', `Too many failed attempts. Try again in ${seconds} second${seconds === 1 ? '' : 's'}`, {
    retryAfterSeconds: seconds,
  })
}

function nextOf(before: AttemptTable | undefined, { key, subject, limit }: AttemptCounter, now: Date): AttemptTable {
  const isFirst = before === undefined || now.getTime() - Date.parse(before.updatedAt) >= attemptRetentionMs
  const failures = isFirst ? 1 : before.failures + 1
  const blockedUntil = new Date(now.getTime() + waitMsAfter(failures, limit)).toISOString()
  return { key, subject, failures, blockedUntil, updatedAt: now.toISOString() }
}

/** The wait in milliseconds: 1 s after the last free attempt, then 2 s, 4 s and so on up to the maximum; 0 before. */
export function waitMsAfter(failures: number, { freeAttempts, maxWaitMs }: Limit): number {
  return failures < freeAttempts ? 0 : Math.min(1000 * 2 ** (failures - freeAttempts), maxWaitMs)
}
