/**
 * Clients make valid calls of all groups while Berth is killed (-9) at random instants and started again. After each
 * kill the store is compared with what was acknowledged; now and then, when Berth has come to rest, so are the engine,
 * the proxy and the bucket. The seed repeats what is called and when the plug is pulled, as far as the machine does.
 */
import assert from 'node:assert/strict'
import { copyFileSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { docker } from '../e2e/swarm.ts'
import { until } from '../engine/until.ts'
import { linesIn } from '../fixtures/secret-leaks.ts'
import { accountsOf, tokensOf } from './accounts.ts'
import { compareAudit } from './audit.ts'
import { backupsOf } from './backups.ts'
import { adminEmail, type Home, openHome, subjectOf } from './berth.ts'
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
  /** The world is compared after so many kills, and at the end. */
  restEvery: number
  /** Of the databases that come and go, and how many there are at once. */
  kinds: string[]
  databases: number
}

const maxRunMs = 2500
const maxStartMs = 900
const restMs = 240_000

export async function crash(t: TestContext, options: Options): Promise<void> {
  const home = await openHome(t, options.seed)
  const { groups, logIns } = await groupsOf(home, options)
  const random = randomFrom(options.seed, 'plug')
  const began = performance.now()
  try {
    for (let kills = 0; kills < options.kills; ) {
      const before = kills
      kills += await killOnce(home, groups, random, options)
      const isRest = Math.floor(before / options.restEvery) !== Math.floor(kills / options.restEvery)
      if (isRest || kills >= options.kills) {
        await compareWorld(home, groups)
        // A diagnostic would be printed only when all is over.
        console.error(`${kills} kills, ${Math.round((performance.now() - began) / 1000)} s, ${told(home)}`)
      }
    }
  } catch (error) {
    const kept = await keep(home, options).catch((fault: unknown) => `nothing, for it failed: ${String(fault)}`)
    t.diagnostic(`All calls, Berth's log, its store and what the engine has are kept in ${kept}`)
    throw error
  }
  home.client.spoken.check(home.folder, linesIn(join(home.folder, 'berth.log')))
  assert.ok(logIns() > 0)
}

/** For whoever wants to know why. */
async function keep({ client, folder }: Home, { seed }: Options): Promise<string> {
  const kept = join(tmpdir(), `berth-crash-${seed}`)
  rmSync(kept, { recursive: true, force: true })
  mkdirSync(kept)
  writeFileSync(join(kept, 'calls'), client.notes.join('\n'))
  const files = readdirSync(folder).filter((name) => name === 'berth.log' || name.startsWith('berth.db'))
  for (const name of files) copyFileSync(join(folder, name), join(kept, name))
  const services = await docker('service', 'ls', '--quiet')
  const has = [
    await docker('ps', '--all', '--no-trunc'),
    services.length === 0 ? [] : await docker('service', 'ps', '--no-trunc', ...services),
  ]
  writeFileSync(join(kept, 'engine'), has.flat().join('\n'))
  return kept
}

/** All groups, each with a client of its own. */
async function groupsOf(home: Home, { kinds, databases }: Options) {
  const {
    client,
    installation,
    nodeId,
    registry,
    applications: [one, two],
  } = home
  const [projects, destinations] = [projectsOf(home), destinationsOf(home)]
  const homes = [await projects.home(), await projects.home()]
  const subject = await subjectOf(home, homes[0]!, await destinations.make('backups'))
  const volumes = volumesOf(client)
  const own = databasesOf(home, volumes, { kinds, most: databases, homes })
  const groups: Group[] = [
    projects,
    own,
    volumes,
    destinations,
    backupsOf(home, subject),
    redirectsOf(home, one!),
    securitiesOf(home, two!),
    certificatesOf(home),
    portsOf(home, one!),
    registriesOf(home, registry),
    accountsOf(home, installation, adminEmail),
    tokensOf(home),
    accountOf(home),
    nodeOf(home, nodeId),
  ]
  return { groups, logIns: own.logIns }
}

/** Gives how often it was killed: now and then once more while it starts. */
async function killOnce({ berth, client }: Home, groups: Group[], random: Random, options: Options): Promise<number> {
  const round = random.below(2 ** 30)
  const instant = random.below(random.chance(30) ? 200 : maxRunMs)
  const again = random.chance(25) ? random.below(maxStartMs) : null
  const acts = Promise.all(
    groups.map((group) => callOn(client.isUp, group, randomFrom(options.seed, `${round} ${group.name}`))),
  )
  // It is looked at when all have come to an end.
  acts.catch(() => undefined)
  await pause(instant)
  client.cut()
  await berth.kill()
  if (again !== null) {
    berth.begin()
    await pause(again)
    await berth.kill()
  }
  await berth.start()
  await client.revive(() => acts)
  await client.repeatAnswered()
  for (const { compare } of groups) await compare()
  return again === null ? 1 : 2
}

/** One after the other until the plug is pulled. */
async function callOn(isUp: () => boolean, group: Group, random: Random): Promise<void> {
  while (isUp()) {
    await pause(random.below(250))
    if (isUp()) await group.calls(random)
  }
}

async function compareWorld(home: Home, groups: Group[]): Promise<void> {
  const { client, folder, installationId } = home
  await rest(home)
  await eventually(() => compareEngine(home, installationId))
  compareProxy(folder)
  for (const { compare } of groups) await compare()
  for (const { compareWorld } of groups) await eventually(compareWorld)
  await compareAudit(client, folder)
}

/** All work has come to an end, good or bad. */
async function rest({ client }: Home): Promise<void> {
  await until(
    'the work to end',
    async () => {
      const running = (await client.read<unknown[]>('deployment.all', { state: 'running' }))!
      const backups = (await client.read<{ backupId: string }[]>('backup.all'))!
      const runs = await Promise.all(
        backups.map(async ({ backupId }) => (await client.read<{ status: string }[]>('backup.runs', { backupId }))!),
      )
      return running.length === 0 && runs.flat().every(({ status }) => status !== 'running')
    },
    restMs,
  )
}

/** What the swarm is still about, and what Berth is about to see, takes a moment: what is wrong stays wrong. */
async function eventually(compare: () => Promise<void>): Promise<void> {
  const end = performance.now() + 90_000
  for (;;) {
    try {
      return await compare()
    } catch (error) {
      if (performance.now() > end) throw error
      await pause(1000)
    }
  }
}

const told = ({ client }: Home): string => {
  const all = [...client.tallies.values()]
  const sum = (name: 'done' | 'cut') => all.reduce((total, it) => total + it[name], 0)
  return `${sum('done')} calls of ${all.length} operations answered, ${sum('cut')} cut off`
}
