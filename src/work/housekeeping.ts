/**
 * The loop that deletes what has had its time: ended tokens and invitations, tries at guessing, kept answers, the histories.
 * Idempotent, each part in a transaction of its own.
 */
import { deleteEndedBefore } from '../deployments/queries.ts'
import type { Loop } from '../lib/loop.ts'
import { forgetQuietTries } from '../store/attempts.ts'
import { forgetOldEntries } from '../store/audit.ts'
import { forgetOldRuns } from '../store/backup-runs.ts'
import { forgetOldAnswers } from '../store/idempotency.ts'
import { forgetOldInvitations } from '../store/invitations.ts'
import { forgetOldNetworks } from '../store/known-networks.ts'
import type { Transact, Writer } from '../store/schema.ts'
import { idleMs } from '../store/tokens.ts'
import type { World } from './world.ts'

const historyMs = 90 * 24 * 3600_000
/** An ended session still opens auth.login, so that nobody needs the installation token again: these many are kept. */
const endedSessionsKept = 20
const endedTokensKeptMs = 30 * 24 * 3600_000

export function housekeepingLoop({ transact, now }: World): Loop<'housekeeping'> {
  return {
    name: 'housekeeping',
    periodMs: 3600_000,
    async turn() {
      await housekeep(transact, now())
      return 'idle'
    },
  }
}

export async function housekeep(transact: Transact, now: Date): Promise<void> {
  await transact((tx) => forgetEndedSessions(tx, now))
  await transact((tx) => forgetEndedTokens(tx, now))
  await transact((tx) => forgetOldInvitations(tx, now))
  await transact((tx) => forgetQuietTries(tx, now))
  await transact((tx) => forgetOldNetworks(tx, now))
  await transact((tx) => forgetOldAnswers(tx, now))
  await transact((tx) => deleteEndedBefore(tx, new Date(now.getTime() - historyMs)))
  await transact((tx) => forgetOldEntries(tx, now))
  await transact((tx) => forgetOldRuns(tx, now))
}

/** Keeps the last used ones of each account. */
async function forgetEndedSessions(tx: Writer, now: Date) {
  const unusedSince = new Date(now.getTime() - idleMs).toISOString()
  const ended = tx
    .selectFrom('token')
    .where('kind', '=', 'session')
    .where((is) => is.or([is('expiresAt', '<=', now.toISOString()), is('lastUsedAt', '<=', unusedSince)]))
    .select(({ fn }) => [
      'id',
      fn
        .agg<number>('row_number')
        .over((rows) => rows.partitionBy('accountId').orderBy('lastUsedAt', 'desc').orderBy('id', 'desc'))
        .as('place'),
    ])
  await tx
    .deleteFrom('token')
    .where('id', 'in', (from) => from.selectFrom(ended.as('ended')).select('id').where('place', '>', endedSessionsKept))
    .execute()
}

/** An API token stays for a while, for auth.tokens to say why it does not work. */
async function forgetEndedTokens(tx: Writer, now: Date) {
  await tx.deleteFrom('token').where('kind', '=', 'challenge').where('expiresAt', '<=', now.toISOString()).execute()
  await tx
    .deleteFrom('token')
    .where('kind', '=', 'api')
    .where('expiresAt', '<=', new Date(now.getTime() - endedTokensKeptMs).toISOString())
    .execute()
}
