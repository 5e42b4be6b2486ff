/**
 * Clients make valid calls of all groups of operations while Berth is killed with SIGKILL at random times and
 * restarted. After each kill the store is compared with the acknowledged calls. After several kills, when Berth is
 * idle, the engine, the proxy, the bucket and the events of a subscriber are compared with the store. The seed
 * determines the calls and the times of the kills, as far as the speed of the machine permits.
 */
import assert from 'node:assert/strict'
import { copyFileSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { docker } from '../e2e/swarm.ts'
import { until } from '../engine/until.ts'
import { compareData } from '../fixtures/compare-data.ts'
import { linesIn } from '../fixtures/secret-leaks.ts'
import { accountsOf, tokensOf } from './accounts.ts'
import { compareAudit } from './audit.ts'
import { backupsOf } from './backups.ts'
import { adminEmail, adminPassword, type CrashBerth, startCrashBerth, createSource } from './berth.ts'
import { cookiesOf } from './cookies.ts'
import { databasesOf } from './databases.ts'
import { destinationsOf } from './destinations.ts'
import { compareEngine, compareProxy } from './engine.ts'
import type { Group } from './group.ts'
import { portsOf } from './ports.ts'
import { projectsOf } from './projects.ts'
import { type Random, randomFrom } from './random.ts'
import { registriesOf } from './registries.ts'
import { certificatesOf, redirectsOf, securitiesOf } from './routing.ts'
import { accountOf, nodeOf } from './settings.ts'
import { volumesOf } from './volumes.ts'

export interface Options {
  seed: number
  kills: number
  /** The number of kills between comparisons of the engine, the proxy and the bucket. The last one is at the end. */
  compareEvery: number
  /** The kinds of the databases that are created and removed. */
  kinds: string[]
  /** The maximum number of these databases at the same time. */
  databases: number
}

const maxRunMs = 2500
const maxStartMs = 900
const restMs = 240_000

export async function crash(t: TestContext, options: Options): Promise<void> {
  const crashBerth = await startCrashBerth(t, options.seed)
  const { groups, logIns } = await groupsOf(crashBerth, options)
  const random = randomFrom(options.seed, 'plug')
  const startMs = performance.now()
  try {
    // On a slow machine, the calls before each comparison may have left no database that runs with an external port.
    const isEnough = (kills: number) => kills >= (logIns() > 0 ? options.kills : 3 * options.kills)
    for (let kills = 0; !isEnough(kills); ) {
      const before = kills
      kills += await killOnce(crashBerth, groups, random, options)
      const isDue = Math.floor(before / options.compareEvery) !== Math.floor(kills / options.compareEvery)
      if (isDue || kills >= options.kills) {
        await compareExternal(crashBerth, groups)
        // The test runner would print a diagnostic only at the end of the test.
        console.error(`${kills} kills, ${Math.round((performance.now() - startMs) / 1000)} s, ${summary(crashBerth)}`)
      }
    }
  } catch (error) {
    const evidence = await keepEvidence(crashBerth, options).then(
      (folder) => `All calls, Berth's log, its store and the state of the engine are in ${folder}`,
      (fault: unknown) => `The calls, Berth's log and its store could not be kept: ${String(fault)}`,
    )
    t.diagnostic(evidence)
    throw error
  }
  crashBerth.client.leaks.check(crashBerth.folder, linesIn(join(crashBerth.folder, 'berth.log')))
  assert.ok(logIns() > 0)
}

/** Copies everything that helps to find the cause of a failure. Returns the folder. */
async function keepEvidence({ client, folder }: CrashBerth, { seed }: Options): Promise<string> {
  const keptFolder = join(tmpdir(), `berth-crash-${seed}`)
  rmSync(keptFolder, { recursive: true, force: true })
  mkdirSync(keptFolder)
  writeFileSync(join(keptFolder, 'calls'), client.callLog.join('\n'))
  const files = readdirSync(folder).filter((name) => name === 'berth.log' || name.startsWith('berth.db'))
  for (const name of files) copyFileSync(join(folder, name), join(keptFolder, name))
  const services = await docker('service', 'ls', '--quiet')
  const containers = [
    await docker('ps', '--all', '--no-trunc'),
    services.length === 0 ? [] : await docker('service', 'ps', '--no-trunc', ...services),
  ]
  writeFileSync(join(keptFolder, 'engine'), containers.flat().join('\n'))
  return keptFolder
}

/** Creates all groups of operations. */
async function groupsOf(crashBerth: CrashBerth, options: Options) {
  const {
    client,
    installationToken,
    nodeId,
    registry,
    applications: [one, two],
  } = crashBerth
  const [projects, destinations] = [projectsOf(crashBerth), destinationsOf(crashBerth)]
  const projectIds = [await projects.createLasting(), await projects.createLasting()]
  const source = await createSource(crashBerth, projectIds[0]!, await destinations.createForBackups('backups'))
  const volumes = volumesOf(client)
  const { kinds, databases: maxDatabases } = options
  const databases = databasesOf(crashBerth, volumes, { kinds, maxDatabases, projectIds })
  const admin = { email: adminEmail, password: adminPassword }
  const groups: Group[] = [
    projects,
    databases,
    volumes,
    destinations,
    backupsOf(crashBerth, source),
    redirectsOf(crashBerth, one!),
    securitiesOf(crashBerth, two!),
    certificatesOf(crashBerth),
    portsOf(crashBerth, one!),
    registriesOf(crashBerth, registry),
    accountsOf(crashBerth, installationToken, admin),
    tokensOf(crashBerth, admin),
    cookiesOf(crashBerth, admin),
    accountOf(crashBerth),
    nodeOf(crashBerth, nodeId),
  ]
  return { groups, logIns: databases.logIns }
}

/** Kills and restarts Berth during calls, sometimes with another kill during startup. Returns the number of kills. */
async function killOnce(
  { berth, client }: CrashBerth,
  groups: Group[],
  random: Random,
  options: Options,
): Promise<number> {
  const round = random.below(2 ** 30)
  const firstKillMs = random.below(random.chance(30) ? 200 : maxRunMs)
  const secondKillMs = random.chance(25) ? random.below(maxStartMs) : null
  const traffic = Promise.all(
    groups.map((group) => callOn(client.isUp, group, randomFrom(options.seed, `${round} ${group.name}`))),
  )
  // `traffic` is awaited after the restart. Until then its rejection must not end the process.
  traffic.catch(() => undefined)
  await pause(firstKillMs)
  client.expectCut()
  await berth.kill()
  if (secondKillMs !== null) {
    berth.begin()
    await pause(secondKillMs)
    await berth.kill()
  }
  await berth.start()
  await client.afterRestart(() => traffic)
  await compareData('acknowledged calls', client.repeatAnswered)
  await compareStore(groups)
  return secondKillMs === null ? 1 : 2
}

/** Makes calls of a group one after another until Berth is killed. */
async function callOn(isUp: () => boolean, group: Group, random: Random): Promise<void> {
  while (isUp()) {
    await pause(random.below(250))
    if (isUp()) await group.calls(random)
  }
}

async function compareStore(groups: Group[]): Promise<void> {
  for (const { name, compare } of groups) await compareData(name, compare)
}

async function compareExternal(crashBerth: CrashBerth, groups: Group[]): Promise<void> {
  const { client, subscriber, folder, installationId } = crashBerth
  await untilIdle(crashBerth)
  await compareData('the engine', () => eventually(() => compareEngine(crashBerth, installationId)))
  await compareData('the proxy', () => compareProxy(folder))
  await compareStore(groups)
  for (const { name, compareExternal } of groups)
    await compareData(`outside the store, ${name}`, () => eventually(compareExternal))
  await compareData('the audit log', () => compareAudit(client, folder))
  await subscriber.compare()
}

/** Waits until no deployment and no run of a backup is running. */
async function untilIdle({ client }: CrashBerth): Promise<void> {
  await until(
    'all deployments and runs to end',
    async () => {
      const running = (await client.read<unknown[]>('deployment.all', { state: 'running' }))!
      const runs = (await client.read<unknown[]>('backup.runs', { status: 'running' }))!
      return running.length === 0 && runs.length === 0
    },
    restMs,
  )
}

/** Repeats a comparison until it succeeds. The swarm and Berth may need some time until their states match. */
async function eventually(compare: () => Promise<void>): Promise<void> {
  const end = performance.now() + 90_000
  for (;;) {
    try {
      return await compare()
    } catch (error) {
      if (performance.now() > end) throw error
      await pause(300)
    }
  }
}

const summary = ({ client, subscriber: { figures } }: CrashBerth): string => {
  const all = [...client.callCounts.values()]
  const sum = (name: 'done' | 'cut') => all.reduce((total, it) => total + it[name], 0)
  const events = `${figures.events} events, ${figures.connections} connections, ${figures.repeats} repeats`
  return `${sum('done')} calls of ${all.length} operations answered, ${sum('cut')} cut off, ${events}`
}
