/**
 * A deployment of the action `regainAccount` first starts the server in its maintenance mode, in which it makes Berth's
 * own account. When the account works, the next step starts the server as usual. The record of the account says which
 * of the two comes next, so that a crash of Berth loses nothing. No client reaches the server in this mode: its health
 * check waits for a clearance that it never gets.
 */
import type { DeploymentTable } from '../../deployments/table.ts'
import { clearedHealth } from '../../engine/data/clearance.ts'
import { hash, type ServiceSpec } from '../../engine/spec.ts'
import { unknownStart } from '../../kinds/image-start.ts'
import type { Kind } from '../../kinds/kind.ts'
import type { Runtime } from '../../runtime.ts'
import type { VolumeTable } from '../../store/schema.ts'
import * as volumes from '../../volumes/queries.ts'
import { recordedOwnAccount } from './own-account.ts'
import { errorText, hasRun, runProgram } from './run-program.ts'
import { resolvedImage, type Target } from '../targets.ts'
import { compareData, type ProbeSubject, type Proof, refusalIsFinal } from '../reconcile/probe.ts'

interface Subject {
  deployment: Pick<DeploymentTable, 'id' | 'action' | 'phase'>
  kind: Kind
  target: Target
  volume: VolumeTable
}

const checkTimeoutMs = 10_000

/** Whether the deployment still has to make the account. */
export const isInMaintenance = ({ deployment, volume }: Pick<Subject, 'deployment' | 'volume'>): boolean =>
  deployment.action === 'regainAccount' && deployment.phase === 'apply' && volume.access === 'withoutOwn'

/** The specification of the server in its maintenance mode; null if the deployment starts it as usual. */
export function maintenanceSpec({ vault }: Runtime, subject: Subject, usual: ServiceSpec): ServiceSpec | null {
  const { deployment, kind, target, volume } = subject
  const own = isInMaintenance(subject) ? recordedOwnAccount(vault, volume) : null
  if (own === null || kind.ownAccounts === undefined) return null
  const image = resolvedImage(target)?.start ?? unknownStart
  const [args = []] = [usual.args, image.command, kind.serverPrograms.slice(0, 1)].filter(({ length }) => length > 0)
  const usualStart = { command: usual.command ?? image.entrypoint, args: [...args] }
  const start = kind.ownAccounts.maintenanceStart(own, target.settings, usualStart)
  const health = clearedHealth(kind.health, kind.dataPath(null), hash([usual.health, deployment.id]))
  return { ...usual, ...start, health, files: [...usual.files, ...start.files] }
}

/**
 * Proves that the server in its maintenance mode runs on the data of the volume and has Berth's own account.
 *
 * @param answersSinceMs when the server answered first, in milliseconds since the epoch
 */
export async function proveAccount(
  runtime: Runtime,
  probed: ProbeSubject,
  answersSinceMs: number | null,
): Promise<Proof | { is: 'regained' }> {
  const since = answersSinceMs === null ? probed.since : new Date(answersSinceMs).toISOString()
  const subject = { ...probed, since }
  const { kind, target, task, volume } = subject
  const dataProof = await compareData(runtime, subject)
  if (dataProof !== null) return dataProof
  const own = recordedOwnAccount(runtime.vault, volume)
  if (task.address === null || own === null || kind.ownAccounts === undefined) return { is: 'waiting' }
  const address = { host: task.address, port: kind.port }
  const check = kind.ownAccounts.check(own, target.settings, address)
  const outcome = await runProgram(runtime, task, check, checkTimeoutMs)
  if (outcome.exitCode === 0) {
    await runtime.transact((tx) => volumes.recordAccess(tx, volume.id, 'complete'))
    runtime.wake('services')
    return { is: 'regained' }
  }
  if (!refusalIsFinal(subject, hasRun(outcome))) return { is: 'waiting' }
  return { is: 'failed', reason: { reason: 'OwnAccountRefused', detail: errorText(outcome) } }
}
