/**
 * The loop that deletes expired records: sessions, tokens, invitations, failed login attempts, known networks, stored
 * responses, deployments, audit entries and backup runs. Each part is idempotent and has its own transaction. While the
 * clock is not trusted, nothing expires.
 */
import { deleteEndedBefore } from '../deployments/queries.ts'
import type { Loop } from '../lib/async/loop.ts'
import { forgetOldAttempts } from '../accounts/attempts.ts'
import { forgetOldEntries } from '../api/audit-log.ts'
import { deleteConditionsEndedBefore } from '../conditions/queries.ts'
import { forgetOldEvents } from '../events/queries.ts'
import { forgetOldRuns } from '../backups/run-queries.ts'
import { forgetOldAnswers } from '../api/idempotency.ts'
import { forgetOldInvitations } from '../accounts/invitations.ts'
import { forgetOldDevices } from '../accounts/known-devices.ts'
import { forgetOldNetworks } from '../accounts/known-networks.ts'
import type { Transact } from '../store/schema.ts'
import { forgetEndedSessions, forgetEndedTokens } from '../accounts/tokens.ts'
import type { Runtime } from '../runtime.ts'

/** Ended deployments are kept for 90 days. */
const historyMs = 90 * 24 * 3600_000

export function housekeepingLoop({ transact, clock }: Pick<Runtime, 'transact' | 'clock'>): Loop<'housekeeping'> {
  return {
    name: 'housekeeping',
    periodMs: 3600_000,
    async turn() {
      const now = clock.trusted()
      if (now === null) await transact((tx) => forgetOldEvents(tx, null))
      else await housekeep(transact, now)
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
  await transact((tx) => forgetOldDevices(tx, now))
  await transact((tx) => forgetOldAnswers(tx, now))
  await transact((tx) => deleteEndedBefore(tx, new Date(now.getTime() - historyMs)))
  await transact((tx) => deleteConditionsEndedBefore(tx, new Date(now.getTime() - historyMs)))
  await transact((tx) => forgetOldEntries(tx, now))
  await transact((tx) => forgetOldRuns(tx, now))
  await transact((tx) => forgetOldEvents(tx, now))
}
