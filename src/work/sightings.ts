/**
 * What is written of a database that was looked at, and what is begun for it. Only what is newly observed is written,
 * and a call that came in between has the last word.
 */
import type { FoundTask } from '../engine/engine.ts'
import { kindNamed } from '../kinds/index.ts'
import type { DatabaseTable, DeploymentTable } from '../store/schema.ts'
import { openTarget } from '../store/targets.ts'
import { unchangedRow, type Watched } from '../store/watched.ts'
import type { Drift } from './drift.ts'
import { findHome, mountFor } from './home.ts'
import { observe, type Sight } from './observe.ts'
import { isOutOfReach, prove } from './probe.ts'
import { lastWords, withoutSecrets } from './reasons.ts'
import { remakeGateway, repair, restart } from './repair.ts'
import type { Tries } from './tries.ts'
import { explain } from './verdict.ts'
import type { World } from './world.ts'

/** It runs, and nothing about it is new: `writeSeen` would write nothing. */
export function isAsKnown(row: Watched, tasks: FoundTask[], { remedy, sentences }: Drift, now: number): boolean {
  if (remedy !== 'none' || !tasks.some((task) => task.state === 'running')) return false
  return observe(row, tasks, now).is === 'same' && JSON.stringify(sentences) === row.drift
}

/** `tasks`: of the database's service, those that are wanted running. */
export async function writeSeen(
  world: World, tries: Tries, row: Watched, tasks: FoundTask[], drift: Drift,
): Promise<'begun' | 'written'> {
  if (drift.remedy !== 'none' && await mend(world, row, tasks, drift)) return 'begun'
  const isHealthy = tasks.some((task) => task.state === 'running')
  const sight = observe(row, isHealthy ? tasks : await world.engine.tasks([row.appName]), world.now().getTime())
  const sentences = JSON.stringify(drift.sentences)
  const isNew = sight.is !== 'same'
    && (sight.is !== 'back' || row.observed !== 'unproven' || tries.isDue(row.id, sight.task.id))
  if (isNew) await note(world, tries, row, sight, sentences)
  else if (sentences !== row.drift) await write(world, row, { drift: sentences })
  return 'written'
}

/** Gives whether something was begun. */
async function mend(world: World, row: Watched, tasks: FoundTask[], { remedy, sentences }: Drift): Promise<boolean> {
  if (remedy === 'repair') return repair(world, row, sentences)
  if (remedy === 'remakeGateway') return remakeGateway(world, row, sentences)
  const task = tasks.find(({ state }) => state === 'running')
  const subject = task === undefined ? null : await openSubject(world, row, task)
  // What the engine knows of the network is one thing; a server that answers is on it.
  if (subject === null || !await isOutOfReach(world, subject)) return false
  return restart(world, row, sentences)
}

async function note(
  world: World, tries: Tries, row: Watched, sight: Exclude<Sight, { is: 'same' }>, drift: string,
) {
  if (sight.is === 'back') return noteBack(world, tries, row, sight.task)
  const downSince = row.downSince ?? world.now().toISOString()
  const { containerState } = sight
  if (sight.is === 'lost') {
    const statusReason = await told(world, row, sight.reason, sight.task)
    return write(world, row,
      { observed: 'down', containerState, downSince, applicationStatus: 'error', statusReason, drift })
  }
  const observed = row.observed === 'down' ? 'down' : 'starting'
  const isToldAlready = row.downSince !== null && row.statusReason !== wentDown(downSince)
  const statusReason = isToldAlready ? row.statusReason : await whyDown(world, row, downSince, sight.task)
  await write(world, row, { observed, containerState, downSince, statusReason, drift })
}

/** Nothing is known of its container, and nothing is begun: it waits for its node. */
export async function noteAway(world: World, row: Watched, reason: string): Promise<void> {
  const drift = JSON.stringify([reason])
  if (row.drift === drift) return
  const downSince = row.downSince ?? world.now().toISOString()
  const patch: Patch = { observed: 'down', containerState: 'unknown', applicationStatus: 'error', statusReason: reason }
  await write(world, row, { ...patch, downSince, drift })
}

const wentDown = (downSince: string) => `It went down at ${downSince}`

async function whyDown(world: World, row: Watched, downSince: string, task: FoundTask | null): Promise<string> {
  if (task === null) return wentDown(downSince)
  return told(world, row, `${wentDown(downSince)}: ${explain(task)}`, task)
}

/** The reason with the server's last words. */
async function told({ db, engine, vault }: World, { id }: Watched, reason: string, task: FoundTask | null) {
  const row = await db.selectFrom('database').selectAll().where('id', '=', id).executeTakeFirst()
  if (row === undefined) return reason
  const words = task === null ? '' : lastWords(await engine.postMortem(task), openTarget(vault, 'target', row))
  return withoutSecrets(vault, `${reason}${words}`, row, await findHome(db, row))
}

/**
 * Says done only after a login. A server that takes none, be it that its credentials were changed inside or that it is
 * not reached over the network, is reported, left alone and tried again.
 */
async function noteBack(world: World, tries: Tries, row: Watched, task: FoundTask) {
  const subject = await openSubject(world, row, task)
  if (subject === null) return
  const proof = await prove(world, subject)
  if (proof.is === 'waiting') return
  const back: Patch = { observed: 'up', containerState: 'running', downSince: null, drift: '[]' }
  if (proof.is === 'failed') {
    tries.failed(row.id, task.id)
    const statusReason = withoutSecrets(world.vault, proof.reason, subject.row, subject.volume)
    if (row.observed === 'unproven' && row.statusReason === statusReason) return
    return write(world, row, { ...back, observed: 'unproven', applicationStatus: 'error', statusReason })
  }
  tries.succeeded(row.id)
  if (row.downSince === null) return write(world, row, { ...back, applicationStatus: 'done', statusReason: null })
  const before = row.statusReason ?? wentDown(row.downSince)
  const statusReason = `It runs again. ${before.replace(/^It stays down/, 'It stayed down')}`
  const restart = restartOf(world, row, row.downSince)
  await write(world, row, { ...back, applicationStatus: 'done', statusReason }, restart)
}

/** The swarm's restart is listed with the work of Berth's own. */
function restartOf({ newId, now }: World, row: Watched, since: string): DeploymentTable {
  const { id: databaseId, kind, appName, statusReason } = row
  return {
    id: newId(), databaseId, kind, appName, action: 'restart', state: 'done', phase: 'apply', reason: statusReason,
    startedAt: since, phaseAt: since, finishedAt: now().toISOString(),
  }
}

/** All that a probe of it takes; null where a call came in between. */
async function openSubject(world: World, seen: Watched, task: FoundTask) {
  const row = await unchangedRow(world.db, seen)
  if (row === undefined) return null
  const [target, home] = [openTarget(world.vault, 'target', row), await findHome(world.db, row)]
  if (target === null || home === null) return null
  const kind = kindNamed(row.kind)
  const volume = mountFor(world, home, target, kind)
  return { row, kind, target, volume, task, hasGateway: false, since: task.updatedAt, nowMs: world.now().getTime() }
}

type Patch = Partial<Omit<DatabaseTable, 'id'>>

async function write({ transact }: World, seen: Watched, patch: Patch, restart?: DeploymentTable) {
  await transact(async (tx) => {
    if (await unchangedRow(tx, seen) === undefined) return
    await tx.updateTable('database').set(patch).where('id', '=', seen.id).execute()
    if (restart !== undefined) await tx.insertInto('deployment').values(restart).execute()
  })
}
