/**
 * Restores states of random ages beside random work since, on a real swarm, with 10 seeds. After each confirmation as
 * proposed: nothing that ran was stopped, no volume has two containers or is lost, and every server has its own data.
 * test/installation/random-restores.ts does the same on the in-memory engine, with more kinds of work.
 */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { type Random, randomFrom } from '../crash/random.ts'
import type { BerthProcess } from '../e2e/process.ts'
import { berthsUnder, codeIn, type Differences, ok, waitHeader } from '../e2e/restored-berths.ts'
import { containersOf, docker } from '../e2e/swarm.ts'
import { until } from '../engine/until.ts'
import { compareData } from '../fixtures/compare-data.ts'
import { folderUnder } from '../fixtures/folder.ts'
import { run } from '../installation/run-command.ts'

const seeds = Array.from({ length: 10 }, (_, index) => index + 1)
const maxDatabases = 3
const databasePassword = 'a-password'

interface Trial {
  berth: BerthProcess
  folder: string
  projectId: string
  installationId: string
  random: Random
  /** The files of the backups, oldest first. */
  backups: string[]
  count: number
  /** The names of all volumes that were created. */
  volumes: Set<string>
}

type Input = Record<string, unknown>
interface Row {
  databaseId: string
  applicationStatus: string
}

test(`${seeds.length} seeds: restored states stop nothing, lose nothing, and share no volume`, async (t) => {
  await using end = new AsyncDisposableStack()
  const [folder, backupFolder] = [folderUnder(end), folderUnder(end)]
  const { start, setInstallationId } = berthsUnder(end)
  const berth = await start(folder)
  await berth.signIn()
  const { projectId } = await ok<{ projectId: string }>(berth, 'project.create', { name: 'shop' })
  const trial: Trial = {
    ...{ berth, folder, projectId, installationId: '' },
    ...{ random: randomFrom(0, 'swarm'), backups: [], count: 0, volumes: new Set() },
  }
  await create(trial)
  const format = '{{index .Spec.Labels "berth.installation"}}'
  const [installationId] = await docker('service', 'inspect', nameOf(1), '--format', format)
  setInstallationId(installationId!)
  Object.assign(trial, { installationId })
  for (const seed of seeds) {
    await t.test(`seed ${seed}`, async () => {
      trial.random = randomFrom(seed, 'swarm')
      for (let n = 0; n < 2 + trial.random.below(3); n++) {
        await change(trial)
        if (trial.backups.length === 0 || trial.random.chance(50)) await backUp(trial, backupFolder)
      }
      await restoreAndCheck(trial, trial.random.pick(trial.backups.slice(-6)))
    })
  }
})

const nameOf = (count: number) => `seeds-${process.pid}-${count}`

async function backUp({ folder, backups }: Trial, backupFolder: string) {
  const file = join(backupFolder, String(backups.length))
  const { status, err } = await run(folder, ['state', 'backup', file])
  assert.equal(status, 0, err)
  backups.push(file)
}

const rowsOf = ({ berth }: Trial) => ok<Row[]>(berth, 'database.all', {})

/** A change that the present state does not allow is refused, and changes nothing. */
async function call({ berth }: Trial, name: string, input: Input): Promise<Input | null> {
  const { status, body } = await berth.call<Input>(name, input, waitHeader)
  assert.ok(status < 500, `${name}: ${JSON.stringify(body)}`)
  return status === 200 ? body : null
}

async function change(trial: Trial): Promise<void> {
  const { random } = trial
  const rows = await rowsOf(trial)
  if (rows.length === 0 || (rows.length < maxDatabases && random.chance(35))) return create(trial)
  const { databaseId: redisId } = random.pick(rows)
  const changes = [
    () => call(trial, 'redis.stop', { redisId }),
    () => call(trial, 'redis.start', { redisId }),
    () => call(trial, 'redis.remove', { redisId, removeData: random.chance(30) }),
    () => restoreVolume(trial),
    () => call(trial, 'redis.deploy', { redisId }),
  ]
  await random.pick(changes)()
}

async function create(trial: Trial): Promise<void> {
  const appName = nameOf(++trial.count)
  const { projectId } = trial
  await deploy(trial, await call(trial, 'redis.create', { name: appName, appName, projectId, databasePassword }))
}

/** Restores a kept volume that no service uses. */
async function restoreVolume(trial: Trial): Promise<void> {
  const volumes = await ok<{ volumeId: string; name: string; state: string }[]>(trial.berth, 'volume.all', {})
  const used = new Set((await serversOf(trial)).map(({ volume }) => volume))
  const free = volumes.filter(({ state, name }) => state === 'kept' && !used.has(name))
  if (free.length === 0) return
  const appName = nameOf(++trial.count)
  const { volumeId } = trial.random.pick(free)
  await deploy(
    trial,
    await call(trial, 'volume.restore', { volumeId, name: appName, appName, projectId: trial.projectId }),
  )
}

/** Deploys a database, and stores the name of its volume in it. */
async function deploy(trial: Trial, created: Input | null): Promise<void> {
  if (created === null) return
  const deployed = await call(trial, 'redis.deploy', { redisId: created.redisId })
  assert.equal(deployed?.applicationStatus, 'done', JSON.stringify(deployed))
  trial.volumes.add(String(deployed!.volume))
  const [container] = await containersOf(String(created.appName))
  await redis(container!, 'set', 'volume', String(deployed!.volume))
}

const redis = (container: string, ...command: string[]) =>
  docker('exec', '--env', `REDISCLI_AUTH=${databasePassword}`, container, 'redis-cli', ...command)

interface Server {
  service: string
  container: string
  volume: string
}

/** The containers that run, with their services and volumes. */
async function serversOf({ installationId }: Trial): Promise<Server[]> {
  const filter = `label=berth.installation=${installationId}`
  const services = await docker('service', 'ls', '--filter', filter, '--format', '{{.Name}}')
  const servers: Server[] = []
  for (const service of services.filter((name) => name.startsWith('seeds-'))) {
    for (const container of await containersOf(service)) {
      const format = '{{range .Mounts}}{{if eq .Type "volume"}}{{.Name}}{{end}}{{end}}'
      const [volume] = await docker('inspect', container, '--format', format)
      servers.push({ service, container, volume: volume! })
    }
  }
  return servers
}

const volumesOf = async ({ volumes }: Trial) =>
  (await docker('volume', 'ls', '--quiet')).filter((name) => volumes.has(name))

async function restoreAndCheck(trial: Trial, backup: string): Promise<void> {
  const { berth, folder } = trial
  assert.equal(await berth.stop(), 0)
  const { status, err } = await run(folder, ['state', 'restore', backup, '--replace'])
  assert.equal(status, 0, err)
  const [before, volumes] = [await serversOf(trial), await volumesOf(trial)]
  await berth.start()
  await berth.signInAgain()
  await confirm(trial)
  await untilSettled(trial)
  const after = await serversOf(trial)
  await compareData('the servers and volumes after the confirmation', async () => {
    for (const server of before)
      assert.deepEqual(
        after.find(({ service }) => service === server.service),
        server,
      )
    const used = after.map(({ volume }) => volume)
    assert.deepEqual(used, [...new Set(used)])
    const left = new Set(await volumesOf(trial))
    assert.deepEqual(
      volumes.filter((name) => !left.has(name)),
      [],
    )
    for (const { container, volume } of after) assert.deepEqual(await redis(container, 'get', 'volume'), [volume])
  })
}

/** Confirms as proposed. A state without differences confirms itself. */
async function confirm({ berth, folder }: Trial): Promise<void> {
  await until('the state to be confirmed', async () => {
    const { unconfirmedSince, version, entries } = await ok<Differences & { unconfirmedSince: string | null }>(
      berth,
      'state.differences',
      {},
    )
    if (unconfirmedSince === null) return true
    if (entries.every(({ decisions }) => decisions.length === 0)) return null
    const input = { code: await codeIn(folder), version, takeProposals: true }
    return (await berth.call('state.confirm', input)).status === 200 ? true : null
  })
}

/** Until no work is in progress, and no database that should run is down. */
async function untilSettled(trial: Trial): Promise<void> {
  await until(
    'the databases to settle',
    async () => {
      const rows = await rowsOf(trial)
      return rows.some(({ applicationStatus }) => applicationStatus === 'running') ? null : true
    },
    120_000,
  )
}
