/**
 * The loop that deletes expired records: sessions, tokens, invitations, failed login attempts, known networks, stored
 * responses, deployments, conditions, alerts, audit entries, backup runs, and the projects of databases of which nothing
 * is left. Each part is idempotent and has its own transaction. The first turn also ends the sessions of a killed process
 * in the audit log.
 */
import { forgetOldAlerts } from '../alerts/queries.ts'
import { deleteEndedBefore } from '../deployments/queries.ts'
import type { Loop } from '../lib/async/loop.ts'
import { forgetOldAttempts } from '../accounts/attempts.ts'
import { forgetOldEntries } from '../api/audit-log.ts'
import { endLostSessions } from '../api/sessions/lost-sessions.ts'
import { deleteConditionsEndedBefore } from '../conditions/queries.ts'
import { forgetProjectsOfRemovedDatabases } from '../databases/queries.ts'
import { forgetOldEvents } from '../events/queries.ts'
import { forgetOldRuns } from '../backups/run-queries.ts'
import { forgetOldAnswers } from '../api/idempotency.ts'
import { forgetOldInvitations } from '../accounts/invitations.ts'
import { forgetOldNetworks } from '../accounts/known-networks.ts'
import type { Transact } from '../store/schema.ts'
import { forgetEndedSessions, forgetEndedTokens } from '../accounts/tokens.ts'
import type { Runtime } from '../runtime.ts'

/** Ended deployments are kept for 90 days. */
const historyMs = 90 * 24 * 3600_000

/** @param lastAuditSeq the last entry of the audit log that an earlier process of Berth wrote */
export function housekeepingLoop(runtime: Runtime, lastAuditSeq: number): Loop<'housekeeping'> {
  const { transact, now } = runtime
  let isFirstTurn = true
  return {
    name: 'housekeeping',
    periodMs: 3600_000,
    async turn() {
      if (isFirstTurn) await endLostSessions(runtime, lastAuditSeq)
      isFirstTurn = false
      await housekeep(transact, now())
      return 'idle'
    },
  }
}

/** Deletes the records that have expired at `now`. */
export async function housekeep(transact: Transact, now: Date): Promise<void> {
  await transact((tx) => forgetEndedSessions(tx, now))
  await transact((tx) => forgetEndedTokens(tx, now))
  await transact((tx) => forgetOldInvitations(tx, now))
  await transact((tx) => forgetOldAttempts(tx, now))
  await transact((tx) => forgetOldNetworks(tx, now))
  await transact((tx) => forgetOldAnswers(tx, now))
  await transact((tx) => deleteEndedBefore(tx, new Date(now.getTime() - historyMs)))
  await transact((tx) => deleteConditionsEndedBefore(tx, new Date(now.getTime() - historyMs)))
  await transact((tx) => forgetOldAlerts(tx, now))
  await transact((tx) => forgetOldEntries(tx, now))
  await transact((tx) => forgetOldRuns(tx, now))
  await transact(forgetProjectsOfRemovedDatabases)
  await transact(forgetOldEvents)
}
