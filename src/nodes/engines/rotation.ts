/**
 * Carries a rotation of Berth's client certificate on, and records the progress of its deployment. Carries a rotation of
 * the authority `engines` on.
 */
import { isDeepStrictEqual } from 'node:util'
import { bundleOf, currentOf } from '../../authority/issue.ts'
import { generationsOf, removeRetiring, switchSigning } from '../../authority/queries.ts'
import { rotationStep as authorityRotationStep } from '../../authority/rotation.ts'
import * as deployments from '../../deployments/queries.ts'
import type { EngineAccessReason } from '../../deployments/reason.ts'
import type { DeploymentTable } from '../../deployments/table.ts'
import { fromJson } from '../../lib/json.ts'
import type { Runtime } from '../../runtime.ts'
import type { Reader } from '../../store/schema.ts'
import { authorityStep, rotationStep } from './plan.ts'
import { deleteOldAccess, readAccess, readEngines, switchAccess } from './queries.ts'
import { isServiceCurrent, type Ports } from './service.ts'
import type { NodeEngineTable } from './table.ts'

/** Identifies the deployments of rotations. */
export const accessSubject: deployments.Subject = {
  kind: 'engineAccess',
  id: 'engines',
  type: 'engineAccess',
  name: 'engine access',
}

/** The deployment of the rotation in progress; null if there is none. A renewal by Berth itself has none. */
export async function runningRotation(db: Reader): Promise<DeploymentTable | null> {
  const last = await deployments.lastOf(db, accessSubject.kind, accessSubject.id)
  return last?.state === 'running' ? last : null
}

/** Takes one step of the rotation. Returns whether another step follows at once. */
export async function stepRotation({ db, transact, now, log }: Runtime): Promise<boolean> {
  const engines = [...(await readEngines(db)).values()].filter(({ digest }) => digest !== '')
  const step = rotationStep(await readAccess(db), engines)
  const deployment = await runningRotation(db)
  if (step.do === 'wait') {
    const nodes = engines.filter(({ nodeId }) => step.nodeIds.includes(nodeId)).map(({ hostname }) => hostname)
    const reason: EngineAccessReason = { reason: 'AccessPending', nodes }
    if (deployment !== null && !isDeepStrictEqual(fromJson(deployment.reason), reason)) {
      await transact((tx) => deployments.recordReason(tx, deployment.id, reason))
    }
    return false
  }
  if (step.do === 'switch') {
    await transact(switchAccess)
    log.info('Berth connects to the engines of nodes with its next certificate')
    return true
  }
  if (step.do === 'none' && deployment === null) return false
  await transact(async (tx) => {
    await deleteOldAccess(tx)
    if (deployment !== null) await deployments.finish(tx, deployment.id, 'done', delayOf(engines), now())
  })
  log.info('no node accepts an earlier certificate of Berth')
  return false
}

/** Nodes that Swarm does not reach change when Swarm reaches them. */
function delayOf(engines: readonly NodeEngineTable[]): EngineAccessReason | null {
  const down = engines.filter(({ reason }) => fromJson(reason)?.reason === 'NodeDown').map(({ hostname }) => hostname)
  return down.length === 0 ? null : { reason: 'AccessDelayed', nodes: down }
}

export const isAuthorityRotating = async (db: Reader): Promise<boolean> =>
  authorityRotationStep(await generationsOf(db, 'engines')) !== null

/**
 * Takes one step of a rotation of the authority. Returns whether another step follows at once.
 * @param ports what the services were compared with in this turn
 */
export async function stepAuthority(runtime: Runtime, ports: Ports): Promise<boolean> {
  const { db, transact, log } = runtime
  const generations = await generationsOf(db, 'engines')
  const step = authorityRotationStep(generations)
  if (step === null) return false
  // The rotation began after the services were compared.
  if (bundleOf(generations) !== ports.trustBundle) return true
  const rows = [...(await readEngines(db)).values()].filter(({ digest }) => digest !== '')
  const engines = rows.map((row) => ({ ...row, isCurrent: isServiceCurrent(runtime, ports, row) }))
  const next = authorityStep(step, currentOf(generations).generation, await readAccess(db), engines)
  if (next === 'wait') return false
  await transact((tx) => (next === 'switch' ? switchSigning(tx, 'engines') : removeRetiring(tx, 'engines')))
  log.info(next === 'switch' ? 'the next generation of the authority signs' : 'the rotation of the authority ended', {
    authority: 'engines',
  })
  return true
}
