/** The accepted values of memory, CPU, port, environment and command fields. Kinds differ in the variables they set. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { kindNamed, kinds } from '../../src/kinds/index.ts'
import type { Kind } from '../../src/kinds/kind.ts'
import { databaseClientsOf, sampleKind } from '../fixtures/database-clients.ts'
import { startTestBerth } from '../fixtures/test-berth.ts'

/** The operations that set the environment. */
const environmentVerbs = ['update', 'saveEnvironment']

for (const kind of kinds) {
  describe(`limits of ${kind.name}`, () => reservedTests(kind))
}

describe('limits of any kind', () => {
  numberTests(sampleKind)
  portTests(sampleKind)
  environmentTests(sampleKind)
  commandTests(sampleKind)
})

function numberTests(kind: Kind): void {
  const good: Record<string, number[]> = {
    memoryLimit: [6, 6.5, 512, 16_777_216],
    memoryReservation: [6, 256, 16_777_216],
    cpuLimit: [0.01, 0.5, 2, 1024],
    cpuReservation: [0.01, 1, 1024],
  }
  const wrong: Record<string, unknown[]> = {
    memoryLimit: [0, -1, 5.9, 16_777_217, '512', '512m', true],
    memoryReservation: [0, -1, 5, 16_777_217, '256'],
    cpuLimit: [0, -1, 0.009, 1025, '0.5', {}],
    cpuReservation: [0, -0.5, 1025, '1'],
  }

  for (const [field, values] of Object.entries(good)) {
    test(`enforces the bounds of ${field}`, async () => {
      await using testBerth = await startTestBerth()
      const databaseClients = databaseClientsOf(testBerth, kind)
      const database = await databaseClients.create()
      for (const value of values)
        assert.equal((await databaseClients.ok('update', database, { [field]: value }))[field], value)
      for (const value of wrong[field]!)
        await databaseClients.refused('BAD_REQUEST', 'update', database, { [field]: value }, field)
    })
  }

  for (const resource of ['memory', 'cpu']) {
    const [reservation, limit] = [`${resource}Reservation`, `${resource}Limit`]
    test(`refuses a ${reservation} above ${limit}, whichever field is set first`, async () => {
      await using testBerth = await startTestBerth()
      const databaseClients = databaseClientsOf(testBerth, kind)
      const database = await databaseClients.create()
      const refused = (input: object) =>
        databaseClients.refused('BAD_REQUEST', 'update', database, { ...input }, reservation)
      await refused({ [reservation]: 65, [limit]: 64 })
      await databaseClients.ok('update', database, { [limit]: 64 })
      await refused({ [reservation]: 65 })
      await databaseClients.ok('update', database, { [reservation]: 64 })
      await refused({ [limit]: 63 })
      await databaseClients.ok('update', database, { [reservation]: 65, [limit]: null })
      await databaseClients.ok('update', database, { [reservation]: null, [limit]: 8 })
    })
  }
}

function portTests(kind: Kind): void {
  const verbs = ['update', 'saveExternalPort']

  test('accepts only whole numbers from 1 to 65535 as external port', async () => {
    await using testBerth = await startTestBerth()
    const databaseClients = databaseClientsOf(testBerth, kind)
    const database = await databaseClients.create()
    for (const verb of verbs) {
      for (const externalPort of [1, 65_535, null]) {
        assert.equal((await databaseClients.ok(verb, database, { externalPort })).externalPort, externalPort)
      }
      for (const externalPort of [0, -1, 65_536, 5432.5, '5432', true]) {
        await databaseClients.refused('BAD_REQUEST', verb, database, { externalPort }, 'externalPort')
      }
    }
    await databaseClients.refused('BAD_REQUEST', 'saveExternalPort', database, {}, 'externalPort')
  })

  test("refuses a port that another service or Berth uses, and accepts the service's own port", async () => {
    await using testBerth = await startTestBerth({ BERTH_PORT: '4321' })
    const databaseClients = databaseClientsOf(testBerth, kind)
    const [a, b] = [await databaseClients.create(), await databaseClients.create()]
    await databaseClients.ok('saveExternalPort', a, { externalPort: 5000 })
    for (const verb of verbs) {
      assert.match(
        (await databaseClients.refused('CONFLICT', verb, b, { externalPort: 5000 }, 'externalPort')).message,
        /taken by db/,
      )
      assert.match(
        (await databaseClients.refused('CONFLICT', verb, b, { externalPort: 4321 }, 'externalPort')).message,
        /Berth's own/,
      )
      assert.equal((await databaseClients.ok(verb, a, { externalPort: 5000 })).externalPort, 5000)
    }
    await databaseClients.ok('saveExternalPort', a, { externalPort: null })
    assert.equal((await databaseClients.ok('update', b, { externalPort: 5000 })).externalPort, 5000)
  })

  test('refuses one of two concurrent calls for the same port', async () => {
    await using testBerth = await startTestBerth()
    const databaseClients = databaseClientsOf(testBerth, kind)
    const [a, b] = [await databaseClients.create(), await databaseClients.create()]
    const replies = await Promise.all(
      [a, b].map((it) => databaseClients.call('saveExternalPort', it, { externalPort: 5000 })),
    )
    assert.deepEqual(
      replies.map(({ status }) => status),
      [200, 409],
    )
  })

  test('accepts an update of other fields even if Berth itself now uses the stored port', async () => {
    await using testBerth = await startTestBerth({ BERTH_PORT: '4321' })
    const databaseClients = databaseClientsOf(testBerth, kind)
    const database = await databaseClients.create()
    await testBerth.app.transact((tx) => tx.updateTable('database').set({ externalPort: 4321 }).execute())
    assert.equal((await databaseClients.ok('update', database, { name: 'b' })).name, 'b')
    assert.equal((await databaseClients.ok('update', database, await databaseClients.one(database))).externalPort, 4321)
  })
}

function environmentTests(kind: Kind): void {
  /** Invalid .env texts, each with the number of its invalid line. */
  const faults: [env: string, line: number][] = [
    ['no equals sign', 1],
    ['A=1\n\n1B=2', 3],
    ['A="open', 1],
    ["A=1\nB='x' y", 2],
    ['A=1\nA=2', 2],
    ['A=\u0007', 1],
    ['=1', 1],
  ]

  for (const verb of environmentVerbs) {
    test(`${verb} stores .env text unchanged, and null clears it`, async () => {
      await using testBerth = await startTestBerth()
      const databaseClients = databaseClientsOf(testBerth, kind)
      const database = await databaseClients.create()
      const texts = [
        '',
        'A=1',
        '# comment\nexport A="x\ny"\r\nB=\'$(id)\'\n',
        'constructor=1\ntoString=2',
        `A=${'x'.repeat(65_534)}`,
      ]
      for (const env of texts) {
        assert.equal((await databaseClients.ok(verb, database, { env })).env, env)
        assert.equal((await databaseClients.ok(verb, database, {})).env, env)
      }
      assert.equal((await databaseClients.ok(verb, database, { env: null })).env, null)
    })

    test(`${verb} refuses .env text that is invalid, too long or not a string, and names the field`, async () => {
      await using testBerth = await startTestBerth()
      const databaseClients = databaseClientsOf(testBerth, kind)
      const database = await databaseClients.create()
      for (const [env, line] of faults) {
        const { message } = await databaseClients.refused('BAD_REQUEST', verb, database, { env }, 'env')
        assert.ok(message.includes(`line ${line}:`), message)
      }
      for (const env of [`A=${'x'.repeat(65_535)}`, `A=${'ü'.repeat(32_768)}`, 5, ['A=1'], { A: '1' }]) {
        await databaseClients.refused('BAD_REQUEST', verb, database, { env }, 'env')
      }
    })
  }
}

function reservedTests(kind: Kind): void {
  for (const verb of environmentVerbs) {
    test(`${verb} refuses each variable that Berth sets, and names the field to use instead`, async () => {
      await using testBerth = await startTestBerth()
      const databaseClients = databaseClientsOf(testBerth, kind)
      const database = await databaseClients.create()
      for (const [name, instead] of Object.entries(kind.reserved)) {
        const { message } = await databaseClients.refused(
          'BAD_REQUEST',
          verb,
          database,
          { env: `A=1\n${name}=x` },
          'env',
        )
        assert.ok(message.includes(name) && message.includes(instead), message)
      }
    })
  }

  test('reserves every variable that the kind sets', () => {
    const settings = Object.fromEntries(Object.keys(kind.settings.shape).map((name) => [name, 'x']))
    for (const name of Object.keys(kind.env(settings))) assert.ok(Object.hasOwn(kind.reserved, name), name)
  })
}

function commandTests(kind: Kind): void {
  test('refuses arguments with which MongoDB cannot run as Berth starts it, in each form, at create and update', async () => {
    await using testBerth = await startTestBerth()
    const mongo = databaseClientsOf(testBerth, kindNamed('mongo'))
    const database = await mongo.create()
    for (const command of [
      '--replSet rs0',
      '--replSet=rs0',
      '-replSet rs0',
      'mongod --quiet "--replSet" rs0',
      '--replication.replSetName rs0',
      '--noauth',
      '--bind_ip 127.0.0.1',
      '--bind_ip=localhost,10.0.0.1',
    ]) {
      await mongo.refused('BAD_REQUEST', 'update', database, { command }, 'command')
    }
    await assert.rejects(mongo.create({ command: '--replSet rs0' }), /must not contain --replSet/)
    const { body } = await mongo.call('update', database, { command: '--replSet rs0' })
    assert.match(JSON.stringify(body), /must not contain --replSet: .* the field replicaSet has its name/)
    for (const command of ['--bind_ip_all', '--bind_ip 127.0.0.1,0.0.0.0', '--bind_ip=*', '--setParameter replSet=1']) {
      assert.equal((await mongo.ok('update', database, { command })).command, command)
    }
  })

  test('accepts a command with valid shell quoting, and refuses an unclosed quote', async () => {
    await using testBerth = await startTestBerth()
    const databaseClients = databaseClientsOf(testBerth, kind)
    const database = await databaseClients.create()
    for (const command of [
      '',
      '-c max_connections=200',
      `-c 'a b' "c\\"d" e\\ f`,
      '; reboot',
      '$(reboot)',
      'x'.repeat(16_384),
    ]) {
      assert.equal((await databaseClients.ok('update', database, { command })).command, command)
    }
    for (const command of ["-c 'open", '-c "open', 'end \\', 'a\u0000b', 'a\u001bb', 'x'.repeat(16_385), 5, ['-c']]) {
      await databaseClients.refused('BAD_REQUEST', 'update', database, { command }, 'command')
    }
  })
}
