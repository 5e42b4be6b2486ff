/** update: fields that are present, absent, null, masked or unchanged. Every kind is tested with its own fields. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { kinds } from '../../src/kinds/index.ts'
import { credentialNames, type Kind } from '../../src/kinds/kind.ts'
import { columnSamples } from './column-samples.ts'
import { difficultPasswordFor, databaseClientsOf, sampleKind, settingsOf } from '../fixtures/database-clients.ts'
import { startTestBerth } from '../fixtures/test-berth.ts'

/** A value for each field that can be null. */
const { applicationStatus: _, ...nullable } = columnSamples

for (const kind of kinds) {
  describe(`${kind.name}.update`, () => {
    fieldTests(kind)
    inputTests(kind)
    passwordTests(kind)
  })
}

describe('update of any kind', () => {
  sharedFieldTests(sampleKind)
  readOnlyTests(sampleKind)
  nameTests(sampleKind)
  projectTests(sampleKind)
  statusTests(sampleKind)
})

function sharedFieldTests(kind: Kind): void {
  test('stores present fields, keeps absent fields, and clears fields that are null', async () => {
    await using testBerth = await startTestBerth()
    const databaseClients = databaseClientsOf(testBerth, kind)
    const database = await databaseClients.create({ dockerImage: 'other:1' })
    let wanted = await databaseClients.one(database)
    const before = testBerth.changes()
    const nulls = Object.keys(nullable).map((field) => ({ [field]: null }))
    const steps = [
      { name: 'The shop' },
      ...Object.entries(nullable).map(([field, value]) => ({ [field]: value })),
      {},
      ...nulls,
      { dockerImage: 'other:2', resolvedImage: 'other:2' },
      { ...nullable, name: 'all at once' },
    ]
    for (const input of steps) {
      const response = await databaseClients.ok('update', database, input)
      const record = await databaseClients.one(database)
      wanted = { ...wanted, ...input }
      assert.deepEqual(record, wanted)
      const masks = Object.fromEntries(kind.secrets.map((name) => [name, '********']))
      assert.deepEqual(response, { ...record, ...masks, connection: response.connection })
    }
    assert.deepEqual(testBerth.changes(), before)
  })

  test('accepts a record from a list and keeps its masked passwords', async () => {
    await using testBerth = await startTestBerth()
    const databaseClients = databaseClientsOf(testBerth, kind)
    const record = await databaseClients.one(await databaseClients.create())
    const project = await testBerth.ok('project.one', { projectId: testBerth.projectId })
    const [listed] = project[kind.name] as [Record<string, unknown>]
    await databaseClients.ok('update', listed, listed)
    assert.deepEqual(await databaseClients.one(listed), record)
  })
}

function fieldTests(kind: Kind): void {
  test('stores each field of the kind and keeps the others', async () => {
    await using testBerth = await startTestBerth()
    const databaseClients = databaseClientsOf(testBerth, kind)
    const database = await databaseClients.create()
    let wanted = settingsOf(kind)
    for (const name of credentialNames(kind)) {
      wanted = { ...wanted, [name]: 'changed' }
      await databaseClients.ok('update', database, { [name]: 'changed' })
      const record = await databaseClients.one(database)
      assert.deepEqual(Object.fromEntries(Object.keys(wanted).map((it) => [it, record[it]])), wanted)
      assert.equal(record.connection.internalUrl, kind.url(wanted, { host: database.appName, port: kind.port }))
    }
  })

  test('accepts the record that one returns, and names ignored fields in a header', async () => {
    await using testBerth = await startTestBerth()
    const databaseClients = databaseClientsOf(testBerth, kind)
    for (const database of [await databaseClients.create(), await databaseClients.createDeployed({ name: 'up' })]) {
      await databaseClients.ok('update', database, { ...nullable, externalPort: null })
      const record = await databaseClients.one(database)
      const { headers } = await databaseClients.call('update', database, record)
      assert.deepEqual(await databaseClients.one(database), record)
      assert.deepEqual(headers['berth-ignored-fields']?.split(', ').toSorted(), [
        'backups',
        'connection',
        'containerState',
        'drift',
        'driftCodes',
        'driftDetails',
        'imageDigest',
        'imageVersion',
        'lastDeployedAt',
        'pendingChanges',
        'resolvedImage',
        'statusCode',
        'statusReason',
        'volume',
        'volumeFault',
      ])
    }
  })
}

function inputTests(kind: Kind): void {
  test('refuses invalid input, names the field, and writes nothing', async () => {
    await using testBerth = await startTestBerth()
    const databaseClients = databaseClientsOf(testBerth, kind)
    const database = await databaseClients.create()
    const wrong: Record<string, unknown[]> = {
      name: ['', null, 5, 'x'.repeat(256), 'a\u0001'],
      appName: ['a b', 'a-', null, 7, 'x'.repeat(64)],
      description: [5, 'x'.repeat(2001)],
      dockerImage: ['', 'a b', null, 5],
      applicationStatus: ['', 'up', null, 1],
      createdAt: [null, 5],
      projectId: ['', null, 5],
      ...Object.fromEntries(credentialNames(kind).map((name) => [name, [null, 5, 'a\u0000b', 'x'.repeat(600)]])),
    }
    for (const [field, values] of Object.entries(wrong)) {
      for (const value of values)
        await databaseClients.refused('BAD_REQUEST', 'update', database, { [field]: value }, field)
    }
  })
}

function readOnlyTests(kind: Kind): void {
  test('accepts the stored createdAt and refuses any other value', async () => {
    await using testBerth = await startTestBerth()
    const databaseClients = databaseClientsOf(testBerth, kind)
    const { createdAt, ...database } = await databaseClients.create()
    assert.equal((await databaseClients.ok('update', database, { createdAt, name: 'b' })).name, 'b')
    for (const other of ['2030-01-01T00:00:00.000Z', '', 'yesterday', createdAt.replace('Z', '+00:00')]) {
      await databaseClients.refused('BAD_REQUEST', 'update', database, { createdAt: other, name: 'c' }, 'createdAt')
    }
  })
}

function passwordTests(kind: Kind): void {
  for (const secret of kind.secrets) {
    test(`keeps ${secret} for the mask, generates a value for an empty one, and stores any other`, async () => {
      await using testBerth = await startTestBerth()
      const databaseClients = databaseClientsOf(testBerth, kind)
      const database = await databaseClients.create({ [secret]: 'the first' })
      const stored = async (input: string) => {
        assert.equal((await databaseClients.ok('update', database, { [secret]: input }))[secret], '********')
        return (await databaseClients.one(database))[secret] as string
      }
      assert.equal(await stored('********'), 'the first')
      assert.equal(await stored('*********'), '*********')
      const difficult = difficultPasswordFor(kind, secret)
      assert.equal(await stored(difficult), difficult)
      const random = await stored('')
      assert.match(random, /^[\w-]{22,}$/)
      assert.notEqual(await stored(''), random)
    })
  }
}

function nameTests(kind: Kind): void {
  test('keeps appName for an empty or equal value, and accepts another value until the first deploy', async () => {
    await using testBerth = await startTestBerth()
    const databaseClients = databaseClientsOf(testBerth, kind)
    const database = await databaseClients.create({ appName: 'shop-db' })
    const empty = kind.isAppNameOptional ? '' : undefined
    const steps = [
      [empty, 'shop-db'],
      ['shop-db', 'shop-db'],
      ['Shop-DB', 'Shop-DB'],
      ['orders', 'orders'],
      [empty, 'orders'],
    ]
    for (const [input, wanted] of steps) {
      assert.equal((await databaseClients.ok('update', database, { appName: input })).appName, wanted)
    }
    assert.equal((await databaseClients.create({ appName: 'shop-db' })).appName, 'shop-db')
    const deployed = await databaseClients.complete('deploy', database)
    for (const same of [empty, 'orders'])
      assert.equal((await databaseClients.ok('update', deployed, { appName: same })).appName, 'orders')
    for (const other of ['other', 'Orders']) {
      const { message } = await databaseClients.refused(
        'PRECONDITION_FAILED',
        'update',
        deployed,
        { appName: other, name: 'x' },
        'appName',
      )
      assert.match(message, /cannot change after the first deploy/)
    }
  })

  test('refuses the appName of another service', async () => {
    await using testBerth = await startTestBerth()
    const databaseClients = databaseClientsOf(testBerth, kind)
    const [database] = [await databaseClients.create(), await databaseClients.create({ appName: 'taken' })]
    for (const appName of ['taken', 'Taken', databaseClients.gateway(database)]) {
      await databaseClients.refused('CONFLICT', 'update', database, { appName }, 'appName')
    }
  })
}

function projectTests(kind: Kind): void {
  test('moves the service to another project, and refuses an unknown one with NOT_FOUND', async () => {
    await using testBerth = await startTestBerth()
    const databaseClients = databaseClientsOf(testBerth, kind)
    const database = await databaseClients.createDeployed()
    const { projectId } = await testBerth.ok<{ projectId: string }>('project.create', { name: 'other' })
    await databaseClients.refused('NOT_FOUND', 'update', database, { projectId: 'nobody' }, 'projectId')
    const moved = await databaseClients.ok('update', database, { projectId })
    assert.deepEqual([moved.projectId, moved.pendingChanges], [projectId, false])
    const listed = async (id: string) =>
      ((await testBerth.ok('project.one', { projectId: id }))[kind.name] as unknown[]).length
    assert.deepEqual([await listed(testBerth.projectId), await listed(projectId)], [0, 1])
    await testBerth.ok('project.remove', { projectId: testBerth.projectId })
  })
}

function statusTests(kind: Kind): void {
  for (const applicationStatus of ['idle', 'running', 'done', 'error']) {
    test(`update and changeStatus store ${applicationStatus} without starting any work`, async () => {
      await using testBerth = await startTestBerth()
      const databaseClients = databaseClientsOf(testBerth, kind)
      const database = await databaseClients.createDeployed()
      const before = testBerth.changes()
      for (const verb of ['update', 'changeStatus']) {
        await databaseClients.ok('changeStatus', database, { applicationStatus: 'done' })
        assert.equal(
          (await databaseClients.ok(verb, database, { applicationStatus })).applicationStatus,
          applicationStatus,
        )
        assert.deepEqual(await databaseClients.one(database), { ...database, applicationStatus })
      }
      assert.deepEqual(testBerth.changes(), before)
    })
  }

  test('changeStatus accepts only the four statuses', async () => {
    await using testBerth = await startTestBerth()
    const databaseClients = databaseClientsOf(testBerth, kind)
    const database = await databaseClients.create()
    for (const applicationStatus of ['', 'Done', 'stopped', null, 1, undefined]) {
      await databaseClients.refused('BAD_REQUEST', 'changeStatus', database, { applicationStatus }, 'applicationStatus')
    }
  })
}
