/**
 * 200 restores in place over five kinds, during each of which Berth, the tool or a server is killed at a random moment. The
 * database then has its previous data or that of the dump, and the run says which.
 */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { kindNamed } from '../../src/kinds/index.ts'
import { randomFrom, type Random } from '../crash/random.ts'
import { createBackup, type RunAnswer } from '../e2e/backup-suite.ts'
import { clients } from '../e2e/clients.ts'
import { databaseClientsOn, type DatabaseClients, type Fields } from '../e2e/database-clients.ts'
import { berthProcess, type BerthProcess, inProject } from '../e2e/process.ts'
import { type Storage, startStorage } from '../e2e/storage.ts'
import { docker, removeAll } from '../e2e/swarm.ts'
import { until } from '../engine/until.ts'
import { compareData } from '../fixtures/compare-data.ts'
import type { Database } from '../fixtures/database-clients.ts'
import { folderUnder } from '../fixtures/folder.ts'

const restoresOfKind = 40
const texts = Array.from({ length: 20 }, (_, index) => `dumped ${index} ${'x'.repeat(50_000)}`)
const maxDelayMs: Record<string, number> = {
  postgres: 4000,
  redis: 4000,
  mysql: 30_000,
  mariadb: 20_000,
  mongo: 20_000,
}

let storage: Storage
let berth: BerthProcess
let projectId: string
let destinationId: string
/** The id of the installation, from the labels of its services. */
let installation: string | undefined
const opened = new AsyncDisposableStack()
before(async () => {
  storage = opened.use(await startStorage())
  storage.makeBucket('backups')
  berth = await berthProcess(folderUnder(opened))
  opened.defer(() => berth.kill())
  await berth.start()
  await berth.signIn()
  const project = await berth.call<{ projectId: string }>('project.create', { name: 'killed' })
  projectId = project.body.projectId
  const settings = { name: 'storage', ...storage.settings('backups') }
  destinationId = (await berth.call<{ destinationId: string }>('destination.create', settings)).body.destinationId
})
after(async () => {
  if (installation !== undefined) await removeAll(installation)
  await opened.disposeAsync()
})

interface Case {
  databaseClients: DatabaseClients
  database: Database
  service: Fields
  runId: string
}

async function openCase(name: string): Promise<Case> {
  const kind = kindNamed(name)
  const databaseClients = databaseClientsOn(inProject(berth, projectId), kind, clients[name]!)
  const database = await databaseClients.deployed()
  const format = '{{index .Spec.Labels "berth.installation"}}'
  installation ??= (await docker('service', 'inspect', database.appName, '--format', format))[0]
  await databaseClients.open(database, async (session) => {
    for (const text of texts) await session.write(text)
  })
  const environment = { berth: inProject(berth, projectId), destinationId }
  const { body } = await createBackup(environment, kind, database, { prefix: name })
  const dump = await berth.call<RunAnswer>(
    `backup.${kind.manualBackup}`,
    { backupId: body.backupId },
    { prefer: 'wait=120' },
  )
  assert.equal(dump.body.status, 'done', JSON.stringify(dump.body))
  return { databaseClients, database, service: { [kind.idField]: database[kind.idField] }, runId: dump.body.runId }
}

/** Kills Berth and starts it again, or kills a container of the restore or of the service. */
async function killSomething(random: Random, { appName }: Database): Promise<void> {
  if (random.chance(34)) {
    await berth.kill()
    return berth.start()
  }
  const names = await docker('ps', '--format', '{{.Names}}')
  const isVictim = (name: string) =>
    name.startsWith(`${appName}.`) ||
    /^berth-(load|dump|read|target|source|ask|list|give|take|end|clear|identify)-/.test(name)
  const victims = names.filter(isVictim)
  if (victims.length > 0) await docker('kill', random.pick(victims)).catch(() => [])
}

async function endOf(runId: string, database: Database, idField: string): Promise<RunAnswer> {
  return until(
    'the end of the restore',
    async () => {
      const { body } = await berth.call<RunAnswer[]>('backup.runs', { serviceId: database[idField] })
      return body.find((run) => run.runId === runId && run.status !== 'running') ?? null
    },
    600_000,
  )
}

/** Reads the texts as soon as the database answers: its server may have been killed. */
const read = ({ databaseClients, database }: Case) =>
  until(
    'the database to answer',
    () => databaseClients.open(database, (session) => session.read()).catch(() => null),
    300_000,
  )

describe('restores in place with kills', { concurrency: 1 }, () => {
  for (const name of ['postgres', 'mysql', 'mariadb', 'mongo', 'redis']) {
    test(`${name}: ${restoresOfKind} restores`, async (t) => {
      const restored = await openCase(name)
      const { databaseClients, database, service, runId } = restored
      t.after(() => databaseClients.clear(database))
      const outcomes: Record<string, number> = {}
      for (let round = 0; round < restoresOfKind; round++) {
        const random = randomFrom(round, name)
        await databaseClients.waitUntil('the service', database, (it) => it.applicationStatus === 'done', 300_000)
        const present = await read(restored)
        if (present.length === texts.length) {
          await databaseClients.open(database, (session) => session.write(`later ${round}`))
          present.push(`later ${round}`)
        }
        const { body } = await berth.call<RunAnswer>('backup.restore', {
          ...service,
          runId,
          confirm: database.appName,
          skipSafetyDump: true,
        })
        assert.ok(body.runId, JSON.stringify(body))
        await pause(random.below(maxDelayMs[name]!))
        await killSomething(random, database)
        const run = await endOf(body.runId, database, databaseClients.kind.idField)
        const what = `round ${round} of ${name}: ${JSON.stringify({ ...run, findings: undefined })}`
        assert.ok(run.data === 'replaced' || (run.data === 'unchanged' && run.status === 'error'), what)
        const actual = await read(restored)
        await compareData(what, () => assert.deepEqual(actual, run.data === 'replaced' ? texts : present))
        outcomes[`${run.status} ${run.data}`] = (outcomes[`${run.status} ${run.data}`] ?? 0) + 1
        const kept = await berth.call<{ volumeId: string; state: string }[]>('volume.all')
        for (const { volumeId, state } of kept.body)
          if (state === 'kept') await berth.call('volume.remove', { volumeId }, { prefer: 'wait=60' })
      }
      t.diagnostic(JSON.stringify(outcomes))
    })
  }
})
