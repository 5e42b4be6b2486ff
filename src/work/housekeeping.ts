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
import type { Transact } from '../store/schema.ts'
import { forgetEndedSessions, forgetEndedTokens } from '../store/tokens.ts'
import type { World } from './world.ts'

const historyMs = 90 * 24 * 3600_000

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
