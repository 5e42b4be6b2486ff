/**
 * The loop's turn over everything that should be up and that nobody is working on: two calls to the engine, however
 * many databases there are; more only for those that changed. Writes only what is newly observed.
 */
import type { FoundService, FoundTask } from '../engine/engine.ts'
import { kindNamed } from '../kinds/index.ts'
import { eachBounded } from '../lib/bounded.ts'
import type { DatabaseTable, Writer } from '../store/schema.ts'
import { openTarget } from '../store/targets.ts'
import { findHome, mountFor } from './home.ts'
import { observe, type Sight } from './observe.ts'
import { orphanReporter } from './orphans.ts'
import { prove } from './probe.ts'
import { lastWords, withoutSecrets } from './reasons.ts'
import { gatewayName } from './specs.ts'
import type { World } from './world.ts'

const columns =
  ['id', 'appName', 'externalPort', 'observed', 'containerState', 'downSince', 'applicationStatus'] as const
type Watched = Pick<DatabaseTable, (typeof columns)[number]>

/** Databases that are looked at closer at the same moment: one that does not answer holds up no other. */
const looksAtOnce = 16

/** `wakeServices` is called where a service has to be made again. */
export function watchWork(world: World, wakeServices: () => void): () => Promise<void> {
  const reportOrphans = orphanReporter(world)
  return async () => {
    await world.ensureEngine()
    const services = await world.engine.services()
    await noteForeign(world, services)
    await reportOrphans(services)
    const rows = await world.db.selectFrom('database').select(columns).where('goal', '=', 'up')
      .where('deploymentId', 'is', null).execute()
    if (rows.length > 0) await lookAtAll(world, rows, services, wakeServices)
  }
}

async function lookAtAll(world: World, rows: Watched[], services: FoundService[], wakeServices: () => void) {
  const tasks = Map.groupBy(await world.engine.tasks(), (task) => task.serviceName)
  const present = new Set(services.map(({ name }) => name))
  await eachBounded(rows, looksAtOnce, async (row) => {
    if (!present.has(row.appName) || await lacksGateway(world, row, present)) await repair(world, row, wakeServices)
    else await look(world, row, tasks.get(row.appName) ?? [])
  })
}

/** Its external port is to be open, and what holds that is gone. The record alone may only wish for a port. */
async function lacksGateway({ db, vault }: World, { id, externalPort }: Watched, present: Set<string>) {
  if (externalPort === null || present.has(gatewayName(id))) return false
  const row = await db.selectFrom('database').selectAll().where('id', '=', id).executeTakeFirst()
  return row !== undefined && openTarget(vault, 'target', row)?.externalPort != null
}

/** Names on the swarm that are not Berth's are taken; written only when they changed. */
async function noteForeign({ db, transact, installationId }: World, services: FoundService[]) {
  const foreign = services.filter(({ labels }) => labels['berth.installation'] !== installationId)
    .map(({ name }) => name)
  const known = (await db.selectFrom('foreignService').select('name').execute()).map(({ name }) => name)
  if (known.length === foreign.length && known.every((name) => foreign.includes(name))) return
  await transact(async (tx) => {
    await tx.deleteFrom('foreignService').execute()
    if (foreign.length > 0) await tx.insertInto('foreignService').values(foreign.map((name) => ({ name }))).execute()
  })
}

async function look(world: World, row: Watched, running: FoundTask[]) {
  const now = world.now().getTime()
  const isHealthy = running.some((task) => task.state === 'running')
  const tasks = isHealthy ? running : await world.engine.tasks([row.appName])
  const sight = observe(row, tasks, now)
  if (sight.is !== 'same') await note(world, row, sight)
}

async function note(world: World, row: Watched, sight: Exclude<Sight, { is: 'same' }>) {
  if (sight.is === 'back') return noteBack(world, row, sight.task)
  const downSince = row.downSince ?? world.now().toISOString()
  const { containerState } = sight
  if (sight.is === 'restarting') {
    return write(world, row, { observed: row.observed === 'down' ? 'down' : 'starting', containerState, downSince })
  }
  const statusReason = await reasonOf(world, row, sight)
  await write(world, row, { observed: 'down', containerState, downSince, applicationStatus: 'error', statusReason })
}

type Loss = Extract<Sight, { is: 'lost' }>

async function reasonOf({ db, vault, engine }: World, { id }: Watched, { reason, task }: Loss): Promise<string> {
  const row = await db.selectFrom('database').selectAll().where('id', '=', id).executeTakeFirst()
  if (row === undefined) return reason
  const words = task === null ? '' : lastWords(await engine.postMortem(task), openTarget(vault, 'target', row))
  return withoutSecrets(vault, `${reason}${words}`, row, await findHome(db, row))
}

/** Says done only after a login; a server whose credentials were changed inside is reported, and left alone. */
async function noteBack(world: World, { id }: Watched, task: FoundTask) {
  const row = await world.db.selectFrom('database').selectAll().where('id', '=', id).executeTakeFirst()
  if (row === undefined || row.deploymentId !== null) return
  const target = openTarget(world.vault, 'target', row)
  const home = await findHome(world.db, row)
  if (target === null || home === null) return
  const kind = kindNamed(row.kind)
  const volume = mountFor(world, home, target, kind)
  const subject = { row, kind, target, volume, task, hasGateway: false, since: task.updatedAt }
  const proof = await prove(world, subject)
  if (proof.is === 'waiting') return
  const applicationStatus = proof.is === 'ready' ? 'done' : 'error'
  const statusReason = proof.is === 'ready' ? null : withoutSecrets(world.vault, proof.reason, row, volume)
  await write(world, row,
    { observed: 'up', containerState: 'running', downSince: null, applicationStatus, statusReason })
}

type Patch = Partial<Omit<DatabaseTable, 'id'>>

/** A call that came in between has the last word. */
async function write({ transact }: World, { id }: Watched, patch: Patch) {
  await transact((tx) => tx.updateTable('database').set(patch)
    .where('id', '=', id).where('deploymentId', 'is', null).execute())
}

/** Its service is gone behind Berth's back: it is made again, on the volume that it had. */
async function repair(world: World, { id, appName }: Watched, wakeServices: () => void) {
  world.log.warn('a service is missing and is made again', { appName, databaseId: id })
  await world.transact((tx) => beginRepair(world, tx, id))
  wakeServices()
}

async function beginRepair({ newId, now }: World, tx: Writer, databaseId: string) {
  const at = now().toISOString()
  const id = newId()
  const taken = await tx.updateTable('database')
    .set({
      deploymentId: id, applicationStatus: 'running',
      statusReason: 'Its service was gone from the swarm and is made again',
    })
    .where('id', '=', databaseId).where('deploymentId', 'is', null).where('goal', '=', 'up').executeTakeFirst()
  if (Number(taken.numUpdatedRows) === 0) return
  await tx.insertInto('deployment').values({
    id, databaseId, action: 'repair', state: 'running', phase: 'apply', reason: null, startedAt: at, phaseAt: at,
    finishedAt: null,
  }).execute()
}
