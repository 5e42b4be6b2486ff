/** The record of a proven login, and of credentials that a server may get. */
import type { DatabaseTable, VolumeTable } from '../../store/schema.ts'
import type { Kind } from '../../kinds/kind.ts'
import type { Runtime } from '../../runtime.ts'
import * as volumes from '../../volumes/queries.ts'
import { isLastingRecorded } from './prepare.ts'
import { provenStartSecrets } from './start-secrets.ts'
import { sealAddedCredentials, sealSettings, type Target } from '../targets.ts'

interface Subject {
  row: DatabaseTable
  kind: Kind
  target: Target
  volume: VolumeTable
}

/** Whether the volume's record already contains this proof. */
export function isRecorded(runtime: Runtime, subject: Subject, version: string | null, identity: string | null) {
  const { row, target, volume } = subject
  return (
    isLastingRecorded(runtime, subject) &&
    volume.tried === null &&
    version === volume.serverVersion &&
    target.dockerImage === volume.dockerImage &&
    row.appName === volume.appName &&
    identity === volume.identity &&
    volume.fault === null
  )
}

/** Records the proven credentials, version, image and data path with the volume. */
export async function recordProof(
  runtime: Runtime,
  { row, kind, target, volume }: Subject,
  version: string | null,
  identity: string | null,
) {
  const sealed = sealSettings(runtime.vault, 'volume', volume.id, target.settings, kind.secrets)
  await runtime.transact((tx) =>
    volumes.recordProof(tx, volume.id, {
      ...sealed,
      startSecrets: provenStartSecrets(runtime.vault, volume, target, kind.secrets),
      serverVersion: version,
      dataPath: volume.dataPath,
      dockerImage: target.dockerImage,
      appName: row.appName,
      identity,
    }),
  )
}

/**
 * Records the target's credentials with the volume. Call this before the server is changed to them: after a crash or a
 * superseded deployment, the recorded credentials then include the valid ones. Only one step at a time uses a volume.
 */
export async function recordAttemptedCredentials(
  { vault, transact }: Runtime,
  volume: VolumeTable,
  target: Target,
): Promise<void> {
  const tried = sealAddedCredentials(vault, volume, target)
  if (tried !== null) await transact((tx) => volumes.recordTried(tx, volume.id, tried))
}
