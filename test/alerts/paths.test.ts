/** Messages name a database as commands do. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readPaths } from '../../src/conditions/listing/paths.ts'
import { kindNamed } from '../../src/kinds/index.ts'
import { createDestination } from '../backups/backups.ts'
import { untilPresent } from '../conditions/conditions.ts'
import { databaseClientsOf } from '../fixtures/database-clients.ts'
import { startTestBerth } from '../fixtures/test-berth.ts'
import { addChannel, startReceiver, untilReceived } from './receiver.ts'

test('a message names a database by its project and name, and has the appName of condition.all beside it', async () => {
  await using testBerth = await startTestBerth()
  await using receiver = await startReceiver()
  const clients = databaseClientsOf(testBerth, kindNamed('postgres'))
  const database = await clients.createDeployed()
  await addChannel(testBerth, receiver.url, { conditions: ['DatabaseDown'] })
  testBerth.engine.behave(database.appName, 'crash:3')
  await untilPresent(testBerth, 'DatabaseDown')
  const { data } = await untilReceived(testBerth, receiver.received, 1)
  const { projectId } = testBerth
  const project = await testBerth.ok<{ name: string }>('project.one', { projectId })
  const path = `${project.name}/${String(database.name)}`
  assert.equal(data.title, `Critical: DatabaseDown: ${path}`)
  const [condition] = data.conditions
  assert.deepEqual([condition!.path, condition!.subjectName], [path, database.appName])
  const [listed] = await testBerth.ok<{ title: string; conditions: { path: string }[] }[]>('alert.messages')
  assert.deepEqual([listed!.title, listed!.conditions[0]!.path], [data.title, path])
})

test('a backup has the path of its database, and other subjects and databases of another project have none', async () => {
  await using testBerth = await startTestBerth()
  const { postgresId, name } = await databaseClientsOf(testBerth, kindNamed('postgres')).createDeployed()
  const { name: project } = await testBerth.ok<{ name: string }>('project.one', { projectId: testBerth.projectId })
  const { backupId } = await testBerth.ok<{ backupId: string }>('backup.create', {
    schedule: '0 3 * * *',
    prefix: 'nightly',
    destinationId: await createDestination(testBerth),
    database: 'shop',
    databaseType: 'postgres',
    postgresId,
  })
  const { projectId } = testBerth
  const subjects = [
    { subjectKind: 'backup', subjectId: backupId, projectId },
    { subjectKind: 'database', subjectId: 'removed', projectId },
    { subjectKind: 'node', subjectId: String(postgresId), projectId: null },
    { subjectKind: 'backup', subjectId: backupId, projectId: 'former' },
  ] as const
  const pathOf = await readPaths(testBerth.app.db, subjects)
  assert.deepEqual(subjects.map(pathOf), [`${project}/${String(name)}`, null, null, null])
})
