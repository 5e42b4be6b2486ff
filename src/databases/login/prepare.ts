/** Prepares a server for the settings that its data keeps from then on. */
import { isDeepStrictEqual } from 'node:util'
import type { LoginReason } from '../../deployments/reason.ts'
import type { Outcome } from '../../engine/engine.ts'
import { type Kind, lastingIn, withLastingOf } from '../../kinds/kind.ts'
import type { Runtime } from '../../runtime.ts'
import type { DatabaseTable, VolumeTable } from '../../store/schema.ts'
import * as volumes from '../../volumes/queries.ts'
import { openTarget, sealSettings, sealTarget, settingsOfVolume, type Target } from '../targets.ts'

interface Subject {
  row: DatabaseTable
  kind: Kind
  target: Target
  volume: VolumeTable
}

/** How long a running server may fail to be prepared. */
const maxUnpreparedMs = 60_000

/** Whether a login has succeeded to a server that is not prepared for the lasting settings. */
export const isUnprepared = ({ lasting }: Kind, { exitCode }: Outcome) => exitCode === lasting?.unpreparedExitCode

/** Whether the volume's record contains the lasting settings of the target. */
export const isLastingRecorded = ({ vault }: Runtime, { kind, target, volume }: Subject) =>
  isDeepStrictEqual(lastingIn(kind, settingsOfVolume(vault, volume)), lastingIn(kind, target.settings))

/**
 * Prepares the server, and returns whether the next step should log in again.
 *
 * @param upMs for how long the server has run, in milliseconds
 * @param run runs the kind's program
 */
export async function prepare(
  runtime: Runtime,
  subject: Subject,
  upMs: number,
  run: () => Promise<Outcome>,
): Promise<{ is: 'waiting' } | { is: 'failed'; reason: LoginReason }> {
  if (!isLastingRecorded(runtime, subject)) await recordLasting(runtime, subject)
  const { exitCode, stderr, stdout } = await run()
  if (exitCode === 0 || upMs < maxUnpreparedMs) return { is: 'waiting' }
  const detail = (stderr.trim() || stdout.trim() || `exit code ${exitCode}`).slice(-500)
  return { is: 'failed', reason: { reason: 'NotPrepared', detail } }
}

/**
 * Records the lasting settings of the target with the volume and in the last good target, before the data is prepared for
 * them. After a crash or a rollback, too, a server with these settings is then started, which can read all the data.
 */
async function recordLasting({ vault, transact }: Runtime, { row, kind, target, volume }: Subject): Promise<void> {
  const recorded = withLastingOf(kind, settingsOfVolume(vault, volume), target.settings)
  const sealed = sealSettings(vault, 'volume', volume.id, recorded, kind.secrets)
  await transact(async (tx) => {
    await volumes.recordSettings(tx, volume.id, sealed)
    const current = await tx
      .selectFrom('database')
      .select(['id', 'lastGood'])
      .where('id', '=', row.id)
      .executeTakeFirst()
    const lastGood = current === undefined ? null : openTarget(vault, 'lastGood', current)
    if (lastGood === null) return
    const settings = { ...lastGood.settings, ...lastingIn(kind, target.settings) }
    const changed = sealTarget(vault, 'lastGood', row.id, { ...lastGood, settings })
    await tx.updateTable('database').set({ lastGood: changed }).where('id', '=', row.id).execute()
  })
}
