/** The operations create and one: for every kind what the kind decides, and for one kind what all kinds share. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { initialColumns } from '../../src/databases/columns.ts'
import { credentialNames, type Kind } from '../../src/kinds/kind.ts'
import { kinds } from '../../src/kinds/index.ts'
import { until } from '../engine/until.ts'
import {
  appNameFor,
  type Database,
  databaseClientsOf,
  resolved,
  sampleKind,
  settingsOf,
} from '../fixtures/database-clients.ts'
import { type Failure, startTestBerth } from '../fixtures/test-berth.ts'

for (const kind of kinds) {
  describe(`${kind.name}.create`, () => {
    recordTests(kind)
    passwordTests(kind)
    inputTests(kind)
  })
}

describe('create of any kind', () => {
  sharedRecordTests(sampleKind)
  projectTests(sampleKind)
  nameTests(sampleKind)
  conflictTests(sampleKind)
})

function recordTests(kind: Kind): void {
  test('returns the same idle record as one, with masked passwords', async () => {
    await using testBerth = await startTestBerth()
    const databaseClients = databaseClientsOf(testBerth, kind)
    const before = testBerth.changes()
    const database = await databaseClients.create({ name: 'The shop', appName: 'shop-db', description: 'orders' })
    const masked = Object.fromEntries(kind.secrets.map((name) => [name, '********']))
    const { connection, createdAt, [kind.idField]: id, ...rest } = database
    assert.deepEqual(rest, {
      ...initialColumns,
      name: 'The shop',
      appName: 'shop-db',
      description: 'orders',
      projectId: testBerth.projectId,
      ...settingsOf(kind),
      ...Object.fromEntries((kind.lasting?.names ?? []).map((name) => [name, null])),
      ...masked,
      dockerImage: kind.defaultImage,
      resolvedImage: resolved(kind.defaultImage),
      imageDigest: null,
      imageVersion: null,
      command: null,
      env: null,
      memoryReservation: null,
      memoryLimit: null,
      cpuReservation: null,
      cpuLimit: null,
      externalPort: null,
      applicationStatus: 'idle',
      statusReason: null,
      statusCode: null,
      pendingChanges: false,
      node: null,
      nodeLabel: null,
      containerState: null,
      drift: [],
      driftCodes: [],
      driftDetails: [],
      volume: null,
      volumeFault: null,
      lastDeployedAt: null,
      backups: [],
    })
    assert.equal(new Date(createdAt).toISOString(), createdAt)
    assert.equal(connection.externalUrl, null)
    const record = await databaseClients.one(database)
    assert.equal(record.connection.internalUrl, kind.url(settingsOf(kind), { host: 'shop-db', port: kind.port }))
    assert.deepEqual(record, { ...database, ...settingsOf(kind), connection: record.connection })
    assert.deepEqual(testBerth.changes(), before)
    assert.ok(typeof id === 'string')
  })
}

function sharedRecordTests(kind: Kind): void {
  test('stores null for a missing or null description', async () => {
    await using testBerth = await startTestBerth()
    for (const more of [{}, { description: null }])
      assert.equal((await databaseClientsOf(testBerth, kind).create(more)).description, null)
  })

  test('ignores unknown fields and names them', async () => {
    await using testBerth = await startTestBerth()
    const input = {
      name: 'db',
      appName: appNameFor(kind),
      projectId: testBerth.projectId,
      ...settingsOf(kind),
      statusReason: 'sent',
      nonsense: 1,
    }
    const { status, body, headers } = await testBerth.call<Database>(`${kind.name}.create`, input)
    assert.deepEqual(
      [status, body.statusReason, headers['berth-ignored-fields']],
      [200, null, 'statusReason, nonsense'],
    )
  })

  test('returns the image that Berth deploys for an alias', async () => {
    await using testBerth = await startTestBerth()
    const database = await databaseClientsOf(testBerth, kind).create({ dockerImage: 'mongo:15' })
    assert.deepEqual([database.dockerImage, database.resolvedImage], ['mongo:15', 'mongo:8'])
  })

  test('accepts every valid image reference', async () => {
    await using testBerth = await startTestBerth()
    for (const dockerImage of ['constructor', 'reg.example.com:5000/a/b_c:1.2-x', `a@sha256:${'0'.repeat(64)}`]) {
      const database = await databaseClientsOf(testBerth, kind).create({ dockerImage })
      assert.deepEqual([database.dockerImage, database.resolvedImage], [dockerImage, dockerImage])
    }
  })
}

function passwordTests(kind: Kind): void {
  for (const secret of kind.secrets) {
    test(`generates a random ${secret} if the field is empty`, async () => {
      await using testBerth = await startTestBerth()
      const databaseClients = databaseClientsOf(testBerth, kind)
      const databases = [await databaseClients.create({ [secret]: '' }), await databaseClients.create({ [secret]: '' })]
      const passwords = await Promise.all(
        databases.map(async (it) => (await databaseClients.one(it))[secret] as string),
      )
      assert.equal(new Set(passwords).size, 2)
      for (const password of passwords) assert.match(password, /^[\w-]{22,}$/)
    })

    test(`refuses the mask as ${secret} of a new database`, async () => {
      await using testBerth = await startTestBerth()
      const input = {
        name: 'db',
        appName: appNameFor(kind),
        projectId: testBerth.projectId,
        ...settingsOf(kind, { [secret]: '********' }),
      }
      await testBerth.refused('BAD_REQUEST', `${kind.name}.create`, input, secret)
    })
  }
}

const validInputOf = (kind: Kind, projectId: string) => ({
  name: 'db',
  appName: appNameFor(kind),
  projectId,
  ...settingsOf(kind),
})

function inputTests(kind: Kind): void {
  const wrong: Record<string, unknown[]> = {
    name: [undefined, '', null, 5, 'x'.repeat(256), 'a\nb', '\u0000'],
    appName: [undefined, null, 5, ...(kind.isAppNameOptional ? [] : [''])],
    projectId: [undefined, '', null, 5, 'x'.repeat(256)],
    dockerImage: ['', null, 5, 'a b', 'a/UPPER', '-x', 'a:', 'a:b:c', 'a@sha256:0', 'x; reboot', 'x'.repeat(256)],
    description: [5, {}, 'x'.repeat(2001), 'a\u0000'],
    ...Object.fromEntries(
      credentialNames(kind).map((name) => [name, [undefined, null, 5, 'a\u0000b', 'x'.repeat(600)]]),
    ),
  }

  test('refuses invalid input, names the field, and writes nothing', async () => {
    await using testBerth = await startTestBerth()
    for (const [field, values] of Object.entries(wrong)) {
      for (const value of values) {
        await testBerth.refused(
          'BAD_REQUEST',
          `${kind.name}.create`,
          { ...validInputOf(kind, testBerth.projectId), [field]: value },
          field,
        )
      }
    }
  })
}

function projectTests(kind: Kind): void {
  test('refuses an unknown project with NOT_FOUND and names the field', async () => {
    await using testBerth = await startTestBerth()
    await testBerth.refused('NOT_FOUND', `${kind.name}.create`, validInputOf(kind, 'nobody'), 'projectId')
    await testBerth.ok('project.remove', { projectId: testBerth.projectId })
    await testBerth.refused('NOT_FOUND', `${kind.name}.create`, validInputOf(kind, testBerth.projectId), 'projectId')
  })
}

function nameTests(kind: Kind): void {
  const good = ['a', '7', 'Shop_DB-2', 'a--b__c', 'x'.repeat(63)]
  const wrong = ['-a', 'a-', '_a', 'a_', 'a.b', 'a b', 'ä', 'a/b', '$(id)', "a';--", 'a\n', 'x'.repeat(64), '-']
  /** Names, and the appName that Berth derives from each. */
  const slugs: [name: string, appName: string][] = [
    ['Shop', 'shop'],
    ['My  Shop: orders!', 'my-shop-orders'],
    ['--Ünïted--', 'u-ni-ted'],
    ['2nd', '2nd'],
    ['数据库', kind.name],
    ['$$$', kind.name],
    ['x'.repeat(255), 'x'.repeat(50)],
    [`${'x'.repeat(49)} y`, 'x'.repeat(49)],
  ]

  test('accepts an appName only if Swarm accepts it as the name of a service', async () => {
    await using testBerth = await startTestBerth()
    const databaseClients = databaseClientsOf(testBerth, kind)
    for (const appName of good) assert.equal((await databaseClients.create({ appName })).appName, appName)
    for (const appName of wrong) {
      const input = { name: 'db', appName, projectId: testBerth.projectId, ...settingsOf(kind) }
      await testBerth.refused('BAD_REQUEST', `${kind.name}.create`, input, 'appName')
    }
  })

  for (const [name, wanted] of slugs) {
    test(`derives a unique appName from the name ${name.slice(0, 20)} if appName is empty`, async () => {
      await using testBerth = await startTestBerth()
      const databaseClients = databaseClientsOf(testBerth, kind)
      const names = [await databaseClients.create({ name }), await databaseClients.create({ name })].map(
        ({ appName }) => appName,
      )
      assert.equal(names[0], wanted)
      assert.ok(names[1]!.startsWith(`${wanted}-`) && names[1]!.length <= 63, names[1]!)
    })
  }
}

function conflictTests(kind: Kind): void {
  const inputOf = (projectId: string, appName: string) => ({ name: 'db', appName, projectId, ...settingsOf(kind) })

  test('refuses the appName of another service in any project, ignoring case', async () => {
    await using testBerth = await startTestBerth()
    await databaseClientsOf(testBerth, kind).create({ appName: 'Shop-db' })
    const { projectId } = await testBerth.ok<{ projectId: string }>('project.create', { name: 'other' })
    for (const appName of ['Shop-db', 'shop-db', 'SHOP-DB']) {
      await testBerth.refused('CONFLICT', `${kind.name}.create`, inputOf(projectId, appName), 'appName')
    }
    assert.notEqual((await databaseClientsOf(testBerth, kind).create({ name: 'Shop db' })).appName, 'shop-db')
  })

  test('refuses one of two concurrent calls with the same appName', async () => {
    await using testBerth = await startTestBerth()
    const input = inputOf(testBerth.projectId, 'shop-db')
    const replies = await Promise.all(
      ['shop-db', 'Shop-DB', 'shop-db'].map((appName) =>
        testBerth.call<Failure>(`${kind.name}.create`, { ...input, appName }),
      ),
    )
    assert.deepEqual(
      replies.map(({ status }) => status),
      [200, 409, 409],
    )
  })

  test('refuses the name of a foreign service while it exists, and never adopts the service', async () => {
    await using testBerth = await startTestBerth()
    testBerth.engine.putForeign('foreign')
    const isObserved = async () => {
      const names = await testBerth.app.db
        .selectFrom('application')
        .select('name')
        .where('name', '=', 'foreign')
        .execute()
      return names.length > 0
    }
    await until('the foreign name', isObserved)
    for (const appName of ['foreign', 'Foreign']) {
      await testBerth.refused('CONFLICT', `${kind.name}.create`, inputOf(testBerth.projectId, appName), 'appName')
    }
    assert.notEqual((await databaseClientsOf(testBerth, kind).create({ name: 'foreign' })).appName, 'foreign')
    testBerth.engine.takeForeign('foreign')
    await until('the name to be available', async () => !(await isObserved()))
    await databaseClientsOf(testBerth, kind).create({ appName: 'foreign' })
  })

  test('does not touch a foreign service that takes the name before the deploy', async () => {
    await using testBerth = await startTestBerth()
    const databaseClients = databaseClientsOf(testBerth, kind)
    const database = await databaseClients.create({ appName: 'shop-db' })
    testBerth.engine.putForeign('shop-db')
    const { status, body } = await databaseClients.call('deploy', database, {}, { prefer: 'wait=30' })
    assert.deepEqual([status, body.code], [422, 'UNPROCESSABLE_CONTENT'])
    assert.match(body.message, /^Another Swarm service is already called shop-db\. Choose another appName/)
    assert.equal(testBerth.engine.specOf('shop-db'), null)
    assert.equal((await databaseClients.one(database)).applicationStatus, 'error')
  })

  test("refuses the names of Berth's own services", async () => {
    await using testBerth = await startTestBerth()
    const databaseClients = databaseClientsOf(testBerth, kind)
    const taken = databaseClients.gateway(await databaseClients.create())
    await testBerth.refused('CONFLICT', `${kind.name}.create`, inputOf(testBerth.projectId, taken), 'appName')
  })
}
