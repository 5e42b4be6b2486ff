/** Only `one` returns the passwords of databases: no other response, error, reason, log or file contains them. */
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { kinds } from '../../src/kinds/index.ts'
import type { Kind } from '../../src/kinds/kind.ts'
import {
  difficultPasswordFor,
  credentialsIn,
  databaseClientsOf,
  fakeDatabaseServer,
  sampleKind,
} from '../fixtures/database-clients.ts'
import { type Input, type TestBerth, startTestBerth, wait } from '../fixtures/test-berth.ts'

/** Asserts that the text does not contain the password in any encoding of responses, URLs and logs. */
function assertNowhere(text: string, password: string, where: string): void {
  const encodings = [password, encodeURIComponent(password), encodeURI(password), JSON.stringify(password).slice(1, -1)]
  for (const encoded of encodings)
    assert.ok(!text.includes(encoded), `${encoded} is in ${where}: ${text.slice(0, 2000)}`)
}

/** A password that looks the same in every encoding. */
const plainPassword = 'unseen-7f3a9'

const filesOf = (testBerth: TestBerth) =>
  readdirSync(testBerth.folder)
    .filter((name) => name.startsWith('berth.'))
    .map((name) => join(testBerth.folder, name))

for (const kind of kinds) {
  describe(`passwords of ${kind.name}`, { concurrency: true }, () => {
    for (const secret of kind.secrets) {
      responseTests(kind, secret, difficultPasswordFor(kind, secret))
      maskTests(kind, secret)
    }
  })
}

describe('passwords of any kind', { concurrency: true }, () => {
  for (const secret of sampleKind.secrets) {
    responseTests(sampleKind, secret, plainPassword)
    reasonTests(sampleKind, secret)
  }
  oneTests(sampleKind)
})

function responseTests(kind: Kind, secret: string, password: string): void {
  test(`only one returns the ${secret} ${password}; no other response, log or file contains it`, async () => {
    await using testBerth = await startTestBerth()
    const databaseClients = databaseClientsOf(testBerth, kind)
    const replies: unknown[] = []
    const callAndRecord = async (name: string, input: Input, as = testBerth.admin) => {
      const reply = await testBerth.call(`${name}`, input, { ...wait, 'idempotency-key': `${replies.length}` }, as)
      assert.equal(reply.status, 200, JSON.stringify(reply.body))
      replies.push([name, reply.body, reply.headers])
    }
    const database = await databaseClients.create({ [secret]: password })
    replies.push(database)
    const id = { [kind.idField]: databaseClients.idOf(database) }
    const { appName } = database
    const { projectId } = testBerth
    for (const [verb, more] of Object.entries({
      update: { [secret]: password },
      deploy: {},
      reload: { appName },
      saveExternalPort: { externalPort: 5000 },
      saveEnvironment: { env: 'A=1' },
      changeStatus: { applicationStatus: 'idle' },
      stop: {},
      start: {},
    }))
      await callAndRecord(`${kind.name}.${verb}`, { ...id, ...more })
    for (const as of [testBerth.admin, testBerth.user]) {
      await callAndRecord('project.one', { projectId }, as)
      await callAndRecord('project.all', {}, as)
    }
    await callAndRecord('project.update', { projectId, name: 'b' })
    assert.equal((await databaseClients.one(database))[secret], password)
    await callAndRecord(`${kind.name}.remove`, id)
    const [{ volumeId }] = (await testBerth.ok<{ volumeId: string }[]>('volume.all')) as [{ volumeId: string }]
    await callAndRecord('volume.all', {})
    await callAndRecord('volume.restore', { volumeId, name: 'again', projectId })
    await callAndRecord('project.remove', { projectId, cascade: true })
    await callAndRecord('volume.remove', { volumeId })
    assertNowhere(JSON.stringify(replies), password, 'a response')
    assertNowhere(JSON.stringify(testBerth.logged), password, 'the log')
    for (const file of filesOf(testBerth)) assertNowhere(readFileSync(file, 'utf8'), password, file)
  })
}

function maskTests(kind: Kind, secret: string): void {
  const password = plainPassword

  test(`masks the ${secret} in the last log lines of a failed server`, async () => {
    await using testBerth = await startTestBerth()
    const databaseClients = databaseClientsOf(testBerth, kind)
    const database = await databaseClients.create({ appName: 'shop-db', [secret]: password })
    testBerth.engine.behave('shop-db', 'crash:1')
    testBerth.engine.lastLines.set('shop-db', [`FATAL: bad password "${password}"`])
    const { status, body } = await databaseClients.call('deploy', database, {}, wait)
    assert.equal(status, 422)
    assert.match(body.message, /FATAL: bad password "\*{8}"/)
    const { [secret]: _, connection: __, ...rest } = await databaseClients.one(database)
    assertNowhere(JSON.stringify([body, rest, await testBerth.everything(), testBerth.logged]), password, 'a reason')
  })
}

function reasonTests(kind: Kind, secret: string): void {
  const password = plainPassword

  test(`masks the old and the new ${secret} in the error of a failed rotation`, async () => {
    await using testBerth = await startTestBerth()
    const databaseClients = databaseClientsOf(testBerth, kind)
    const database = await databaseClients.createDeployed({ [secret]: 'the-old-7f3a9' })
    const old = credentialsIn(database, kind)
    const server = fakeDatabaseServer(testBerth, kind, [old, { ...old, [secret]: password }])
    server.onRotate = (to) => ({ exitCode: 3, stdout: '', stderr: `ERROR: not from ${old[secret]} to ${to[secret]}` })
    await databaseClients.ok('update', database, { [secret]: password })
    const { status, body } = await databaseClients.call('deploy', database, {}, wait)
    assert.equal(status, 422)
    assert.match(body.message, /could not be set: ERROR: not from \*{8} to \*{8}/)
    const text = JSON.stringify([body, (await databaseClients.one(database)).statusReason, testBerth.logged])
    for (const secretText of [password, 'the-old-7f3a9']) assertNowhere(text, secretText, 'a reason')
  })

  test(`masks the ${secret} in the log lines of a server that fails later`, async () => {
    await using testBerth = await startTestBerth()
    const databaseClients = databaseClientsOf(testBerth, kind)
    const database = await databaseClients.createDeployed({ [secret]: password })
    testBerth.engine.lastLines.set(database.appName, [`PANIC: ${password}`])
    testBerth.engine.behave(database.appName, 'crash:1')
    const { statusReason } = await testBerth.until('the error', async () => {
      const record = await databaseClients.one(database)
      return record.applicationStatus === 'error' ? record : null
    })
    assert.match(statusReason!, /PANIC: \*{8}/)
    assertNowhere(JSON.stringify([statusReason, testBerth.logged]), password, 'a reason')
  })

  test(`does not quote a refused ${secret}`, async () => {
    await using testBerth = await startTestBerth()
    const databaseClients = databaseClientsOf(testBerth, kind)
    const database = await databaseClients.create()
    for (const wrong of [`${password}\u0000`, `${password}${'x'.repeat(600)}`]) {
      assertNowhere(
        JSON.stringify(await databaseClients.refused('BAD_REQUEST', 'update', database, { [secret]: wrong }, secret)),
        password,
        'a refusal',
      )
    }
    assertNowhere(JSON.stringify(testBerth.logged), password, 'the log')
  })
}

function oneTests(kind: Kind): void {
  test('one returns the same passwords to a user as to an administrator', async () => {
    await using testBerth = await startTestBerth()
    const databaseClients = databaseClientsOf(testBerth, kind)
    const database = await databaseClients.create()
    const input = { [kind.idField]: databaseClients.idOf(database) }
    assert.deepEqual(
      await testBerth.ok(`${kind.name}.one`, input, {}, testBerth.user),
      await databaseClients.one(database),
    )
  })
}
