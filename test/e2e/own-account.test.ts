/**
 * Berth's own account on real servers of each kind: what goes on without the rights that hardening guides take away, and
 * how Berth makes the account again. The databases run at the same time, on one Berth and one storage.
 */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { kindNamed } from '../../src/kinds/index.ts'
import { ownNameOf } from '../../src/kinds/kind.ts'
import { compareData } from '../fixtures/compare-data.ts'
import { restingSchedule } from '../fixtures/resting-schedule.ts'
import { until } from '../engine/until.ts'
import { type BackupEnvironment, openBackupEnvironment, type RunAnswer } from './backup-suite.ts'
import { clients } from './clients.ts'
import { type Fields, databaseClientsOn } from './database-clients.ts'
import { hardenings } from './hardenings.ts'
import { containersOf, docker } from './swarm.ts'

const wait = { prefer: 'wait=300' }
const texts = ['first', 'second']

const opened = new AsyncDisposableStack()
let environment: BackupEnvironment
before(async () => {
  environment = await openBackupEnvironment(opened)
})
after(() => opened.disposeAsync())

describe("Berth's own account", { concurrency: 2 }, () => {
  for (const hardening of hardenings) {
    const { image, rights } = hardening
    test(`${image} without ${rights}: dump, drill, restore, reload and password change succeed`, async () => {
      const kind = kindNamed(hardening.kind)
      const databaseClients = databaseClientsOn(environment.berth, kind, clients[kind.name]!)
      const database = await databaseClients.deployed({ dockerImage: image, ...hardening.fields })
      const own = ownNameOf(String(database[kind.idField]))
      const inside = async (command: string) => {
        const [container] = await containersOf(database.appName)
        return docker('exec', '--env', `OWN=${own}`, container!, 'sh', '-ec', command)
      }
      const call = (name: string, input: Fields) =>
        environment.berth.call<RunAnswer>(`backup.${name}`, input, undefined, wait)
      const succeeds = async (name: string, input: Fields) => {
        const { status, body } = await call(name, input)
        assert.deepEqual([status, body.message, body.status], [200, undefined, 'done'], `${image} ${name}`)
        return body
      }
      const compareTexts = (expected: string[]) =>
        compareData(`the texts of ${image}`, async () =>
          assert.deepEqual(await databaseClients.open(database, (session) => session.read()), expected),
        )

      await databaseClients.open(database, async (session) => {
        for (const text of texts) await session.write(text)
      })
      if (hardening.prepare !== undefined) await databaseClients.done('update', database, hardening.prepare)
      if (hardening.prepare !== undefined) await databaseClients.done('deploy', database)
      await inside(hardening.takeAway)
      const { body: backup } = await environment.berth.call<{ backupId: string }>('backup.create', {
        schedule: restingSchedule,
        prefix: image.replaceAll(/\W/g, '-'),
        destinationId: environment.destinationId,
        database: 'shop',
        databaseType: kind.name,
        [kind.idField]: database[kind.idField],
      })
      const { backupId } = backup
      const { runId } = await succeeds(kind.manualBackup!, { backupId })
      const { reason } = await succeeds('verify', { backupId })
      assert.match(reason!, /^Restored and equal: \d+ tables? with \d+ rows/)
      await databaseClients.done('reload', database, { appName: database.appName })
      await databaseClients.open(database, (session) => session.write('later'))
      const into = { [kind.idField]: database[kind.idField], confirm: database.appName }
      await succeeds('restore', { backupId, runId, ...into })
      await compareTexts(texts)

      await databaseClients.call('update', database, hardening.changes)
      await databaseClients.done('deploy', database)
      await compareTexts(texts)

      await inside(hardening.removeOwn)
      await succeeds(kind.manualBackup!, { backupId })
      const conditions = async () => {
        const { body } = await environment.berth.call<{ name: string; subjectId: string }[]>('condition.all', {})
        const names = body.filter(({ subjectId }) => subjectId === database[kind.idField]).map(({ name }) => name)
        return names.filter((name) => name === 'DatabaseRootRefused' || name === 'DatabaseRightsLost')
      }
      const hasConditions = async () => (await conditions()).join() === hardening.conditions.join()
      await until(`the conditions of ${image}`, hasConditions)

      await inside(hardening.loseRights)
      await databaseClients.done('regainAccount', database, { confirm: database.appName })
      await until(`the conditions of ${image} with the regained account`, hasConditions)
      await succeeds(kind.manualBackup!, { backupId })
      await compareTexts(texts)
      await databaseClients.clear(database)
    })
  }
})
