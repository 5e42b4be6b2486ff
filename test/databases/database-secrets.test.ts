/** Only `one` returns the passwords of databases: no other response, error, reason, log or file contains them. */
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { kinds } from '../../src/kinds/index.ts'
import type { Kind } from '../../src/kinds/kind.ts'
import { difficultPasswordFor, credentialsIn, databaseClientsOf, serveWith } from '../fixtures/database-clients.ts'
import { type Input, type TestBerth, startTestBerth, wait } from '../fixtures/test-berth.ts'

/** The secret in each encoding that responses, URLs and logs can use. */
function assertNowhere(text: string, password: string, where: string): void {
  const forms = [password, encodeURIComponent(password), encodeURI(password), JSON.stringify(password).slice(1, -1)]
  for (const form of forms) assert.ok(!text.includes(form), `${form} is in ${where}: ${text.slice(0, 2000)}`)
}

const filesOf = (testBerth: TestBerth) =>
  readdirSync(testBerth.folder)
    .filter((name) => name.startsWith('berth.'))
    .map((name) => join(testBerth.folder, name))

for (const kind of kinds) {
  describe(`passwords of ${kind.name}`, { concurrency: true }, () => {
    for (const secret of kind.secrets) {
      for (const password of ['unseen-7f3a9', difficultPasswordFor(kind, secret)]) answerTests(kind, secret, password)
      reasonTests(kind, secret)
    }
    oneTests(kind)
  })
}

function answerTests(kind: Kind, secret: string, password: string): void {
  test(`only one returns the ${secret} ${password}; no other response, log or file contains it`, async () => {
    await using testBerth = await startTestBerth()
    const databaseClients = databaseClientsOf(testBerth, kind)
    const replies: unknown[] = []
    const say = async (name: string, input: Input, as = testBerth.admin) => {
      const reply = await testBerth.call(`${name}`, input, { ...wait, 'idempotency-key': `${replies.length}` }, as)
      assert.equal(reply.status, 200, JSON.stringify(reply.body))
      replies.push([name, reply.body, reply.headers])
    }
    const made = await databaseClients.create({ [secret]: password })
    replies.push(made)
    const id = { [kind.idField]: databaseClients.idOf(made) }
    const { appName } = made
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
      await say(`${kind.name}.${verb}`, { ...id, ...more })
    for (const as of [testBerth.admin, testBerth.user]) {
      await say('project.one', { projectId }, as)
      await say('project.all', {}, as)
    }
    await say('project.update', { projectId, name: 'b' })
    assert.equal((await databaseClients.one(made))[secret], password)
    await say(`${kind.name}.remove`, id)
    const [{ volumeId }] = (await testBerth.ok<{ volumeId: string }[]>('volume.all')) as [{ volumeId: string }]
    await say('volume.all', {})
    await say('volume.restore', { volumeId, name: 'again', projectId })
    await say('project.remove', { projectId, cascade: true })
    await say('volume.remove', { volumeId })
    assertNowhere(JSON.stringify(replies), password, 'an answer')
    assertNowhere(JSON.stringify(testBerth.logged), password, 'the log')
    for (const file of filesOf(testBerth)) assertNowhere(readFileSync(file, 'utf8'), password, file)
  })
}

function reasonTests(kind: Kind, secret: string): void {
  const password = 'unseen-7f3a9'

  test(`masks the ${secret} in the last log lines of a failed server`, async () => {
    await using testBerth = await startTestBerth()
    const databaseClients = databaseClientsOf(testBerth, kind)
    const made = await databaseClients.create({ appName: 'shop-db', [secret]: password })
    testBerth.engine.behave('shop-db', 'crash:1')
    testBerth.engine.lastLines.set('shop-db', [`FATAL: bad password "${password}"`])
    const { status, body } = await databaseClients.ask('deploy', made, {}, wait)
    assert.equal(status, 422)
    assert.match(body.message, /FATAL: bad password "\*{8}"/)
    const { [secret]: _, connection: __, ...rest } = await databaseClients.one(made)
    assertNowhere(JSON.stringify([body, rest, await testBerth.everything(), testBerth.logged]), password, 'a reason')
  })

  test(`masks the old and the new ${secret} in the error of a failed rotation`, async () => {
    await using testBerth = await startTestBerth()
    const databaseClients = databaseClientsOf(testBerth, kind)
    const up = await databaseClients.up({ [secret]: 'the-old-7f3a9' })
    const old = credentialsIn(up, kind)
    const server = serveWith(testBerth, kind, [old, { ...old, [secret]: password }])
    server.onRotate = (to) => ({ exitCode: 3, stdout: '', stderr: `ERROR: not from ${old[secret]} to ${to[secret]}` })
    await databaseClients.act('update', up, { [secret]: password })
    const { status, body } = await databaseClients.ask('deploy', up, {}, wait)
    assert.equal(status, 422)
    assert.match(body.message, /could not be set: ERROR: not from \*{8} to \*{8}/)
    const text = JSON.stringify([body, (await databaseClients.one(up)).statusReason, testBerth.logged])
    for (const one of [password, 'the-old-7f3a9']) assertNowhere(text, one, 'a reason')
  })

  test(`masks the ${secret} in the log lines of a server that fails later`, async () => {
    await using testBerth = await startTestBerth()
    const databaseClients = databaseClientsOf(testBerth, kind)
    const up = await databaseClients.up({ [secret]: password })
    testBerth.engine.lastLines.set(up.appName, [`PANIC: ${password}`])
    testBerth.engine.behave(up.appName, 'crash:1')
    const { statusReason } = await testBerth.until('the loss', async () => {
      const one = await databaseClients.one(up)
      return one.applicationStatus === 'error' ? one : null
    })
    assert.match(statusReason!, /PANIC: \*{8}/)
    assertNowhere(JSON.stringify([statusReason, testBerth.logged]), password, 'a reason')
  })

  test(`does not quote a refused ${secret}`, async () => {
    await using testBerth = await startTestBerth()
    const databaseClients = databaseClientsOf(testBerth, kind)
    const made = await databaseClients.create()
    for (const wrong of [`${password}\u0000`, `${password}${'x'.repeat(600)}`]) {
      assertNowhere(
        JSON.stringify(await databaseClients.refused('BAD_REQUEST', 'update', made, { [secret]: wrong }, secret)),
        password,
        'a refusal',
      )
    }
    assertNowhere(JSON.stringify(testBerth.logged), password, 'the log')
  })
}

function oneTests(kind: Kind): void {
  test('one returns the passwords to a user, in the record and in valid connection URLs', async () => {
    await using testBerth = await startTestBerth()
    const databaseClients = databaseClientsOf(testBerth, kind)
    const made = await databaseClients.create()
    const input = { [kind.idField]: databaseClients.idOf(made) }
    assert.deepEqual(await testBerth.ok(`${kind.name}.one`, input, {}, testBerth.user), await databaseClients.one(made))
  })
}
