/**
 * Deletes what has had its time: ended sessions, tries at guessing, kept answers, the history of deployments.
 * Idempotent, each part in a transaction of its own. Does not know when it is called.
 */
import { forgetQuietTries } from '../store/attempts.ts'
import { forgetOldAnswers } from '../store/idempotency.ts'
import type { Transact, Writer } from '../store/schema.ts'
import { idleMs } from '../store/tokens.ts'

const historyMs = 90 * 24 * 3600_000
/** An ended session still opens auth.login, so that nobody needs the installation token again: these many are kept. */
const endedSessionsKept = 20

export async function housekeep(transact: Transact, now: Date): Promise<void> {
  await transact((tx) => forgetEndedSessions(tx, now))
  await transact((tx) => forgetQuietTries(tx, now))
  await transact((tx) => forgetOldAnswers(tx, now))
  await transact((tx) => forgetOldDeployments(tx, now))
}

/** Keeps the last used ones of each account. */
async function forgetEndedSessions(tx: Writer, now: Date) {
  const unusedSince = new Date(now.getTime() - idleMs).toISOString()
  const ended = tx.selectFrom('token').where('kind', '=', 'session')
    .where((is) => is.or([is('expiresAt', '<=', now.toISOString()), is('lastUsedAt', '<=', unusedSince)]))
    .select(({ fn }) => ['id', fn.agg<number>('row_number')
      .over((rows) => rows.partitionBy('accountId').orderBy('lastUsedAt', 'desc').orderBy('id', 'desc')).as('place')])
  await tx.deleteFrom('token')
    .where('id', 'in', (from) => from.selectFrom(ended.as('ended')).select('id').where('place', '>', endedSessionsKept))
    .execute()
}

async function forgetOldDeployments(tx: Writer, now: Date) {
  await tx.deleteFrom('deployment').where('state', '!=', 'running')
    .where('finishedAt', '<', new Date(now.getTime() - historyMs).toISOString()).execute()
}
