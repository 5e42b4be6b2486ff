/**
 * Restores states of random ages beside random work since, on the in-memory engine. After each restore it confirms the
 * state and checks: no volume ever has two containers, nothing that runs is stopped, no volume is lost, and every
 * database of both sides runs or is listed.
 */
import assert from 'node:assert/strict'
import type { ServiceSpec } from '../../src/engine/spec.ts'
import { databaseLabel, roleLabel } from '../../src/engine/labels.ts'
import { type Random, randomFrom } from '../crash/random.ts'
import { fakeVolumes } from '../databases/fake-volumes.ts'
import { type Input, startTestBerth, type TestBerth } from '../fixtures/test-berth.ts'
import { waitForNode } from '../nodes/cluster.ts'
import { passwords, serveDatabases, settingsWith } from './fake-servers.ts'
import { assertAdopted, confirmRandomly } from './random-confirmation.ts'
import { backUpState, differencesOf, type Entry, restoreState, signInAgain } from './restored-berth.ts'

/** More databases would only make a trial slower. */
const maxDatabases = 5
const nodes = ['node1', 'node2', 'node3']

interface Trial {
  berth: TestBerth
  random: Random
  token: string
  /** Backups of the state, oldest first. */
  backups: Buffer[]
  count: number
}

interface Row {
  id: string
  name: string
  appName: string
  goal: string
}

/** Runs trials one after another. Each seed begins with what the seed before has left. */
export async function runTrials(seeds: readonly number[]): Promise<void> {
  await using berth = await startTestBerth()
  watchVolumes(berth)
  fakeVolumes(berth, '')
  serveDatabases(berth)
  const trial: Trial = { berth, random: randomFrom(0, 'trial'), token: berth.admin, backups: [], count: 0 }
  for (const node of nodes.slice(1)) await join(trial, node)
  for (const seed of seeds) {
    try {
      await runTrial({ ...trial, random: randomFrom(seed, 'trial') }, trial)
    } catch (error) {
      throw new Error(`seed ${seed} of ${seeds[0]} to ${seeds.at(-1)} failed: ${(error as Error).message}`, {
        cause: error,
      })
    }
  }
}

async function runTrial(trial: Trial, next: Trial): Promise<void> {
  const { berth, random } = trial
  for (let n = 0; n < 4 + random.below(5); n++) await work(trial)
  if (trial.backups.length === 0) trial.backups.push(await backUpState(berth))
  const backup = random.pick(trial.backups.slice(-12))
  // Some restores interrupt work.
  if (random.chance(30)) await change(trial)
  await restoreAndConfirm(trial, backup)
  Object.assign(next, { token: trial.token, backups: trial.backups, count: trial.count })
}

/** Makes a random change, and sometimes a backup before its end. */
async function work(trial: Trial): Promise<void> {
  const isInterrupted = trial.random.chance(30)
  await change(trial)
  if (!isInterrupted) await untilQuiet(trial)
  if (isInterrupted || trial.random.chance(40)) trial.backups.push(await backUpState(trial.berth))
  await untilQuiet(trial)
}

/** Does not wait for the end of the work. */
async function change(trial: Trial): Promise<void> {
  const { berth, random } = trial
  const rows = await rowsOf(berth)
  const row = rows.length === 0 ? undefined : random.pick(rows)
  if (row === undefined || (rows.length < maxDatabases && random.chance(35))) return create(trial)
  const changes = [
    () => call(trial, 'mysql.stop', { mysqlId: row.id }),
    () => call(trial, 'mysql.start', { mysqlId: row.id }),
    () => call(trial, 'mysql.move', { mysqlId: row.id, node: random.pick(nodes) }),
    () => call(trial, 'mysql.remove', { mysqlId: row.id, removeData: random.chance(50) }),
    () => rotate(trial, row),
    () => rename(trial, row),
    () => restoreVolume(trial),
    () => (random.chance(50) ? leave(trial) : join(trial, random.pick(nodes.slice(1)))),
  ]
  await random.pick(changes)()
}

/** A change that the present state does not allow is refused, and changes nothing. */
async function call({ berth, token }: Trial, name: string, input: Input): Promise<Input | null> {
  const { status, body } = await berth.call(name, input, {}, token)
  assert.ok(status < 500, `${name}: ${JSON.stringify(body)}`)
  return status === 200 || status === 202 ? body : null
}

async function create(trial: Trial): Promise<void> {
  const appName = `db${++trial.count}`
  const settings = settingsWith(trial.random.pick(passwords))
  const fields = { name: appName, appName, projectId: trial.berth.projectId, ...settings }
  const created = await call(trial, 'mysql.create', fields)
  if (created !== null) await call(trial, 'mysql.deploy', { mysqlId: created.mysqlId })
}

async function rotate(trial: Trial, row: Row): Promise<void> {
  const one = await call(trial, 'mysql.one', { mysqlId: row.id })
  await call(trial, 'mysql.update', { ...one, databasePassword: trial.random.pick(passwords) })
  await call(trial, 'mysql.deploy', { mysqlId: row.id })
}

async function rename(trial: Trial, row: Row): Promise<void> {
  const one = await call(trial, 'mysql.one', { mysqlId: row.id })
  await call(trial, 'mysql.update', { ...one, name: `renamed ${trial.random.below(1000)}` })
}

async function restoreVolume(trial: Trial): Promise<void> {
  const { app, engine } = trial.berth
  const used = new Set((await engine.services()).flatMap(({ volumes }) => volumes))
  const kept = await app.db.selectFrom('volume').select(['id', 'name']).where('state', '=', 'kept').execute()
  const free = kept.filter(({ name }) => !used.has(name))
  if (free.length === 0) return
  const appName = `db${++trial.count}`
  const { id: volumeId } = trial.random.pick(free)
  const input = { volumeId, name: appName, appName, projectId: trial.berth.projectId }
  const restored = await call(trial, 'volume.restore', input)
  if (restored !== null) await call(trial, 'mysql.deploy', { mysqlId: restored.mysqlId })
}

async function join({ berth, token }: Trial, node: string): Promise<void> {
  if ((await berth.engine.nodes()).some(({ id }) => id === node)) return
  berth.engine.addNode(node, { hostname: node })
  await waitForNode({ ...berth, ok: (name, input) => berth.ok(name, input, {}, token) } as TestBerth, node)
}

/** A node with volumes cannot leave. */
async function leave(trial: Trial): Promise<void> {
  await call(trial, 'cluster.removeWorker', { nodeId: trial.random.pick(nodes.slice(1)) })
}

const rowsOf = ({ app }: TestBerth): Promise<Row[]> =>
  app.db.selectFrom('database').select(['id', 'name', 'appName', 'goal']).where('goal', '!=', 'gone').execute()

const untilQuiet = ({ berth }: Trial) =>
  berth.until('the work to end', async () => {
    // Work that cannot succeed ends after a time.
    berth.pass(5000)
    const open = await berth.app.db.selectFrom('deployment').select('id').where('state', '=', 'running').execute()
    return open.length === 0 ? true : null
  })

/** Fails if a service gets a container on a volume that has one. */
function watchVolumes(berth: TestBerth): void {
  const { engine } = berth
  for (const method of ['createService', 'updateService'] as const) {
    const original = engine[method].bind(engine)
    engine[method] = async (spec: ServiceSpec) => {
      await original(spec)
      await assertNoSharedVolume(berth)
    }
  }
}

async function assertNoSharedVolume({ engine }: TestBerth): Promise<void> {
  const used = (await engine.services()).filter(({ replicas }) => replicas > 0)
  const volumes = used.flatMap(({ volumes }) => volumes)
  assert.deepEqual(volumes, [...new Set(volumes)], 'a volume has two containers')
}

async function restoreAndConfirm(trial: Trial, backup: Buffer): Promise<void> {
  const { berth, random } = trial
  const known = await rowsOf(berth)
  await restoreState(berth, backup)
  // The old process has ended its steps. From here on, only the restored state acts.
  const before = await running(berth)
  const volumes = new Set(berth.engine.volumes)
  trial.token = await signInAgain(berth)
  const { unconfirmedSince, entries } = await differencesOf(berth, trial.token)
  const decisions = unconfirmedSince === null ? {} : decisionsFor(random, entries)
  if (unconfirmedSince !== null) await confirmUnlessEqual(trial, decisions)
  await assertAdopted(berth, decisions)
  await untilSettled(trial)
  const chosen = new Map(entries.map(({ subjectId, proposal }) => [subjectId, decisions[subjectId] ?? proposal]))
  await check(trial, { before, volumes, known, chosen })
}

/** Mostly the proposals. */
const decisionsFor = (random: Random, entries: Entry[]): Record<string, string> =>
  Object.fromEntries(
    entries
      .filter(({ decisions }) => decisions.length > 0 && random.chance(30))
      .map(({ subjectId, decisions }) => [subjectId, random.pick(decisions)]),
  )

/** A state without differences can confirm itself first. */
async function confirmUnlessEqual(trial: Trial, decisions: Record<string, string>): Promise<void> {
  const { entries, unconfirmedSince } = await differencesOf(trial.berth, trial.token)
  if (unconfirmedSince !== null && entries.some((entry) => entry.decisions.length > 0)) {
    await confirmRandomly(trial, decisions)
    return
  }
  await trial.berth.until('the state to confirm itself', async () =>
    (await differencesOf(trial.berth, trial.token)).unconfirmedSince === null ? true : null,
  )
}

/** Until no work is in progress, and each database that runs is up, or Berth could not log in to it. */
async function untilSettled(trial: Trial): Promise<void> {
  await trial.berth.until('the databases to settle', async () => {
    const { db } = trial.berth.app
    const open = await db.selectFrom('deployment').select('id').where('state', '=', 'running').execute()
    const starting = await db
      .selectFrom('database')
      .select('id')
      .where('goal', '=', 'up')
      .where('observed', 'not in', ['up', 'unproven'])
      .execute()
    // Berth gives up on unknown credentials after a time.
    trial.berth.pass(5000)
    const isHere = await Promise.all(starting.map(({ id }) => hasContainer(trial.berth, id)))
    return open.length === 0 && !isHere.includes(true) ? true : null
  })
}

async function hasContainer(berth: TestBerth, databaseId: string): Promise<boolean> {
  const services = await berth.engine.services()
  return services.some(({ labels, running }) => labels[databaseLabel] === databaseId && running > 0)
}

/** The running containers of databases, by the name of their service. */
async function running({ engine }: TestBerth): Promise<Map<string, { databaseId: string; taskId: string }>> {
  const services = (await engine.services()).filter(({ labels }) => labels[roleLabel] === 'database')
  const ids = new Map(services.map(({ name, labels }) => [name, labels[databaseLabel]!]))
  const tasks = (await engine.tasks()).filter(({ state, serviceName }) => state === 'running' && ids.has(serviceName))
  return new Map(tasks.map(({ serviceName, id }) => [serviceName, { databaseId: ids.get(serviceName)!, taskId: id }]))
}

interface Before {
  before: Map<string, { databaseId: string; taskId: string }>
  volumes: Set<string>
  known: Row[]
  chosen: Map<string, string | null>
}

async function check(trial: Trial, { before, volumes, known, chosen }: Before): Promise<void> {
  const { berth } = trial
  await assertNoSharedVolume(berth)
  const after = await running(berth)
  for (const [service, { databaseId, taskId }] of before) {
    if (chosen.get(databaseId) === 'finish') continue
    assert.equal(after.get(service)?.taskId, taskId, `${service} was stopped (${chosen.get(databaseId)})`)
  }
  const isFinished = [...chosen.values()].includes('finish')
  if (!isFinished) for (const volume of volumes) assert.ok(berth.engine.volumes.has(volume), `${volume} is lost`)
  const listed = new Set((await rowsOf(berth)).map(({ id }) => id))
  const services = await berth.engine.services()
  const kept = await berth.app.db.selectFrom('volume').select('name').execute()
  for (const { id, appName } of known) {
    const service = services.find(({ labels }) => labels[databaseLabel] === id)
    const isDecided = ['forget', 'finish'].includes(chosen.get(id) ?? '')
    assert.ok(listed.has(id) || service !== undefined || isDecided || !before.has(appName), `${appName} is unknown`)
  }
  for (const id of listed) await berth.ok('mysql.one', { mysqlId: id }, {}, trial.token)
  assert.equal(new Set(kept.map(({ name }) => name)).size, kept.length, 'a volume has two records')
}
