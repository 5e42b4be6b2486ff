/** create with the optional fields of update, for every kind of database. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { kinds } from '../../src/kinds/index.ts'
import type { Kind } from '../../src/kinds/kind.ts'
import { createInput, updateInput } from '../../src/databases/operations/fields.ts'
import { columnSamples, placementSamples } from './column-samples.ts'
import { appNameFor, databaseClientsOf, settingsOf } from '../fixtures/database-clients.ts'
import { type Failure, startTestBerth, wait } from '../fixtures/test-berth.ts'

for (const kind of kinds) describe(`${kind.name}.create`, () => optionalTests(kind))

/** Each optional field of update except registryId and createdAt, which have their own tests. */
const optional = { ...columnSamples, ...placementSamples }

function optionalTests(kind: Kind): void {
  test('accepts every optional field of update', () => {
    const given = [...Object.keys(optional), 'registryId', 'createdAt']
    const required = ['name', 'appName', 'projectId', 'dockerImage', ...Object.keys(kind.settings.shape)]
    assert.deepEqual(Object.keys(createInput(kind).shape).toSorted(), [...given, ...required].toSorted())
    assert.deepEqual(Object.keys(updateInput(kind).shape).toSorted(), [...given, ...required, kind.idField].toSorted())
  })

  test('returns the sent values from one, for each field alone and for all together', async () => {
    await using testBerth = await startTestBerth()
    const databaseClients = databaseClientsOf(testBerth, kind)
    const { nodeLabel, ...together } = optional
    const rows: Record<string, unknown>[] = Object.entries(optional).map(([field, value]) => ({ [field]: value }))
    for (const given of [
      ...rows,
      { ...together, externalPort: 5001 },
      { ...together, node: null, nodeLabel, externalPort: null },
    ]) {
      const one = await databaseClients.one(await databaseClients.create(given))
      assert.deepEqual(Object.fromEntries(Object.keys(given).map((field) => [field, one[field]])), given)
      assert.equal(one.pendingChanges, false)
    }
    const [row] = await testBerth.app.db.selectFrom('database').select('env').where('env', 'is not', null).execute()
    assert.match(row!.env!, /^v1\./, 'it is sealed')
  })

  test('the first deploy uses the values of create', async () => {
    await using testBerth = await startTestBerth()
    const databaseClients = databaseClientsOf(testBerth, kind)
    const made = await databaseClients.create({
      ...optional,
      command: null,
      env: 'TZ=UTC',
      node: null,
      nodeLabel: null,
      externalPort: null,
      memoryReservation: 16,
    })
    const { status } = await databaseClients.ask('deploy', made, {}, wait)
    assert.equal(status, 200)
    const { env, memoryLimitBytes, memoryReservationBytes, cpuLimitNano } = testBerth.engine.specOf(made.appName)!
    assert.equal(env.TZ, 'UTC')
    assert.deepEqual(
      [memoryLimitBytes, memoryReservationBytes, cpuLimitNano],
      [128.5 * 1024 ** 2, 16 * 1024 ** 2, 500_000_000],
    )
  })

  test('refuses the same values as update, names the field, and creates nothing', async () => {
    await using testBerth = await startTestBerth()
    await databaseClientsOf(testBerth, kind).create({ externalPort: 5000 })
    await testBerth.until(
      'the nodes',
      async () => (await testBerth.app.db.selectFrom('node').select('id').execute()).length > 0 || null,
    )
    const whole = { name: 'db', appName: appNameFor(kind), projectId: testBerth.projectId, ...settingsOf(kind) }
    const refused = (code: Failure['code'], given: Record<string, unknown>, path: string) =>
      testBerth.refused(code, `${kind.name}.create`, { ...whole, ...given }, path)
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
      env: ['1=2', 5, ...Object.keys(kind.reserved).map((name) => `${name}=x`)],
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
