/** create with the optional fields of update. Every kind has the same, so most tests use one kind. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { kinds } from '../../src/kinds/index.ts'
import { credentialNames, type Kind } from '../../src/kinds/kind.ts'
import { createInput, updateInput } from '../../src/databases/operations/fields.ts'
import { columnSamples, placementSamples } from './column-samples.ts'
import { appNameFor, databaseClientsOf, sampleKind, settingsOf } from '../fixtures/database-clients.ts'
import { type Failure, startTestBerth, wait } from '../fixtures/test-berth.ts'

for (const kind of kinds) describe(`${kind.name}.create`, () => kindTests(kind))
describe('create of any kind', () => sharedTests(sampleKind))

/** The optional fields of update except registryId and createdAt, which other tests cover. */
const optional = { ...columnSamples, ...placementSamples }

function kindTests(kind: Kind): void {
  test('accepts every optional field of update', () => {
    const input = [...Object.keys(optional), 'registryId', 'createdAt', ...(kind.lasting?.names ?? [])]
    const required = ['name', 'appName', 'projectId', 'dockerImage', ...credentialNames(kind)]
    assert.deepEqual(Object.keys(createInput(kind).shape).toSorted(), [...input, ...required].toSorted())
    assert.deepEqual(Object.keys(updateInput(kind).shape).toSorted(), [...input, ...required, kind.idField].toSorted())
  })

  test('refuses each variable that Berth sets, and creates nothing', async () => {
    await using testBerth = await startTestBerth()
    const validInput = { name: 'db', appName: appNameFor(kind), projectId: testBerth.projectId, ...settingsOf(kind) }
    for (const name of Object.keys(kind.reserved))
      await testBerth.refused('BAD_REQUEST', `${kind.name}.create`, { ...validInput, env: `${name}=x` }, 'env')
  })
}

function sharedTests(kind: Kind): void {
  test('stores each optional field, alone and together with the others', async () => {
    await using testBerth = await startTestBerth()
    const databaseClients = databaseClientsOf(testBerth, kind)
    const { nodeLabel, ...otherFields } = optional
    const rows: Record<string, unknown>[] = Object.entries(optional).map(([field, value]) => ({ [field]: value }))
    for (const input of [
      ...rows,
      { ...otherFields, externalPort: 5001 },
      { ...otherFields, node: null, nodeLabel, externalPort: null },
    ]) {
      const record = await databaseClients.one(await databaseClients.create(input))
      assert.deepEqual(Object.fromEntries(Object.keys(input).map((field) => [field, record[field]])), input)
      assert.equal(record.pendingChanges, false)
    }
    const [row] = await testBerth.app.db.selectFrom('database').select('env').where('env', 'is not', null).execute()
    assert.match(row!.env!, /^v1\./, 'env is not sealed')
  })

  test('the first deploy uses the values of create', async () => {
    await using testBerth = await startTestBerth()
    const databaseClients = databaseClientsOf(testBerth, kind)
    const database = await databaseClients.create({
      ...optional,
      command: null,
      env: 'TZ=UTC',
      node: null,
      nodeLabel: null,
      externalPort: null,
      memoryReservation: 16,
    })
    const { status } = await databaseClients.call('deploy', database, {}, wait)
    assert.equal(status, 200)
    const { env, memoryLimitBytes, memoryReservationBytes, cpuLimitNano } = testBerth.engine.specOf(database.appName)!
    assert.equal(env.TZ, 'UTC')
    assert.deepEqual(
      [memoryLimitBytes, memoryReservationBytes, cpuLimitNano],
      [128.5 * 1024 ** 2, 16 * 1024 ** 2, 500_000_000],
    )
  })

  test('refuses invalid values of optional fields, names the field, and creates nothing', async () => {
    await using testBerth = await startTestBerth()
    await databaseClientsOf(testBerth, kind).create({ externalPort: 5000 })
    await testBerth.until(
      'the nodes',
      async () => (await testBerth.app.db.selectFrom('node').select('id').execute()).length > 0 || null,
    )
    const validInput = { name: 'db', appName: appNameFor(kind), projectId: testBerth.projectId, ...settingsOf(kind) }
    const refused = (code: Failure['code'], input: Record<string, unknown>, path: string) =>
      testBerth.refused(code, `${kind.name}.create`, { ...validInput, ...input }, path)
    await refused('CONFLICT', { externalPort: 5000 }, 'externalPort')
    await refused('CONFLICT', { externalPort: 2377 }, 'externalPort')
    await refused('BAD_REQUEST', { memoryReservation: 2, memoryLimit: 64 }, 'memoryReservation')
    await refused('BAD_REQUEST', { memoryReservation: 65, memoryLimit: 64 }, 'memoryReservation')
    await refused('BAD_REQUEST', { cpuReservation: 2, cpuLimit: 1 }, 'cpuReservation')
    await refused('BAD_REQUEST', { node: 'memory', nodeLabel: 'disk=ssd' }, 'nodeLabel')
    await refused('NOT_FOUND', { node: 'nowhere' }, 'node')
    await refused('NOT_FOUND', { registryId: 'none' }, 'registryId')
    await refused('BAD_REQUEST', { createdAt: '2030-01-01T00:00:00.000Z' }, 'createdAt')
    const wrong: Record<string, unknown[]> = {
      command: ['a "b', 5, 'a\u0000'],
      env: ['1=2', 5],
      memoryLimit: ['64', 0, 16_777_217],
      cpuLimit: [0, 1025],
      cpuReservation: ['1'],
      externalPort: [0, 65_536, '5000'],
      applicationStatus: ['up', null],
      nodeLabel: ['disk'],
      node: [''],
      createdAt: [null, 5],
    }
    for (const [field, values] of Object.entries(wrong)) {
      for (const value of values) await refused('BAD_REQUEST', { [field]: value }, field)
    }
  })
}
