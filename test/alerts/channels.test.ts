/** The operations on channels and mutes, with their refusals. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { forgetOldAlerts } from '../../src/alerts/queries.ts'
import { kinds } from '../../src/kinds/index.ts'
import { mask } from '../../src/lib/crypto/mask.ts'
import { databaseClientsOf } from '../fixtures/database-clients.ts'
import { startTestBerth } from '../fixtures/test-berth.ts'
import { addChannel, answerStatus, readChannel, startReceiver, untilReceived } from './receiver.ts'

const url = 'https://hooks.example.org/T0/secret-path'
const webhook = { name: 'ops', type: 'webhook', url }
type Body = Record<string, unknown>

describe('channels', { concurrency: true }, () => {
  recordTests()
  sendTests()
  muteTests()
})

function recordTests(): void {
  test('a channel is created with a signing secret that only this answer has', async () => {
    await using testBerth = await startTestBerth()
    const { signingSecret, channelId, ...created } = await testBerth.ok<Body>('channel.create', webhook)
    assert.match(String(signingSecret), /^whsec_[A-Za-z0-9+/]{43}=$/)
    assert.deepEqual([created.url, created.secret, created.server], [mask, mask, 'hooks.example.org'])
    assert.deepEqual([created.minSeverity, created.repeatHours, created.enabled], ['warning', 24, true])
    const read = await testBerth.ok<Body>('channel.one', { channelId })
    assert.deepEqual(read, { ...created, channelId })
    assert.deepEqual(await testBerth.ok('channel.all'), [read])
    assert.ok(!JSON.stringify(read).includes('secret-path'))
    await testBerth.ok('channel.remove', { channelId })
    assert.deepEqual(await testBerth.ok('channel.all'), [])
  })

  test('the masks keep the stored URL and secret, but not for another server', async () => {
    await using testBerth = await startTestBerth()
    const secret = `whsec_${Buffer.alloc(32, 1).toString('base64')}`
    const { channelId, signingSecret } = await testBerth.ok<Body>('channel.create', { ...webhook, secret })
    assert.equal(signingSecret, null)
    const changed = { ...webhook, channelId, url: mask, secret: mask, name: 'others', conditions: ['NodeDown'] }
    const updated = await testBerth.ok<Body>('channel.update', changed)
    assert.deepEqual([updated.name, updated.conditions, updated.signingSecret], ['others', ['NodeDown'], null])
    const others = ['https://evil.example/x', 'https://hooks.example.org:8443/x', 'http://hooks.example.org/x']
    for (const url of others) {
      await testBerth.refused('BAD_REQUEST', 'channel.update', { ...changed, url }, 'secret')
    }
    await testBerth.ok('channel.update', { ...changed, url: 'https://hooks.example.org/T1/other-path' })
    await testBerth.refused('BAD_REQUEST', 'channel.update', { ...changed, type: 'ntfy' }, 'secret')
    assert.equal((await testBerth.ok<Body>('channel.one', { channelId })).server, 'hooks.example.org')
  })

  const refusals: [title: string, input: Body, field: string][] = [
    ['a mask without a stored URL', { ...webhook, url: mask }, 'url'],
    ['a mask without a stored secret', { ...webhook, secret: mask }, 'secret'],
    ['another protocol', { ...webhook, url: 'ftp://x.example' }, 'url'],
    ['a metadata service', { ...webhook, url: 'http://169.254.169.254/x' }, 'url'],
    ['an unknown type', { ...webhook, type: 'pager' }, 'type'],
    ['an unknown condition', { ...webhook, conditions: ['Nothing'] }, 'conditions.0'],
    ['a repetition every 0 hours', { ...webhook, repeatHours: 0 }, 'repeatHours'],
    ['mail without a sender', { ...webhook, type: 'email', url: 'smtps://mail.example' }, 'sender'],
  ]
  test('wrong channels are refused with the field', async () => {
    await using testBerth = await startTestBerth()
    for (const [title, input, field] of refusals) {
      const { message } = await testBerth.refused('BAD_REQUEST', 'channel.create', input, field)
      assert.ok(message.startsWith(`${field}: `), `${title}: ${message}`)
    }
    await testBerth.refused('NOT_FOUND', 'channel.create', { ...webhook, projectIds: ['none'] }, 'projectIds')
    assert.deepEqual(await testBerth.ok('channel.all'), [])
  })

  test('a name that another channel has is refused', async () => {
    await using testBerth = await startTestBerth()
    const { channelId } = await testBerth.ok<Body>('channel.create', webhook)
    const other = await testBerth.ok<Body>('channel.create', { ...webhook, name: 'others' })
    const before = await testBerth.ok('channel.all')
    await testBerth.refused('CONFLICT', 'channel.create', webhook, 'name')
    await testBerth.refused('CONFLICT', 'channel.update', { ...webhook, channelId: other.channelId }, 'name')
    assert.deepEqual(await testBerth.ok('channel.all'), before)
    await testBerth.ok('channel.update', { ...webhook, channelId, enabled: false })
  })

  test('channels that already have the same name can be changed', async () => {
    await using testBerth = await startTestBerth()
    const { channelId } = await testBerth.ok<Body>('channel.create', { ...webhook, name: 'others' })
    await testBerth.ok('channel.create', webhook)
    await testBerth.app.transact((tx) => tx.updateTable('channel').set({ name: 'ops' }).execute())
    await testBerth.ok('channel.update', { ...webhook, channelId, enabled: false })
    await testBerth.ok('channel.update', { ...webhook, channelId, name: 'others' })
    await testBerth.refused('CONFLICT', 'channel.update', { ...webhook, channelId }, 'name')
  })

  test('users and unknown ids are refused', async () => {
    await using testBerth = await startTestBerth()
    const channelId = await addChannel(testBerth, url)
    for (const name of ['channel.one', 'channel.remove', 'channel.test']) {
      assert.equal((await testBerth.call(name, { channelId }, {}, testBerth.user)).status, 403)
      await testBerth.refused('NOT_FOUND', name, { channelId: 'none' })
    }
    assert.equal((await testBerth.call('channel.all', {}, {}, testBerth.user)).status, 403)
    assert.equal((await testBerth.call('alert.mutes', {}, {}, testBerth.user)).status, 403)
  })
}

function sendTests(): void {
  test('a test sends a message now, also to a disabled channel, and answers what the receiver said', async () => {
    await using testBerth = await startTestBerth()
    await using receiver = await startReceiver()
    const channelId = await addChannel(testBerth, receiver.url, { enabled: false })
    receiver.answerWith((response) => void response.end(`ok ${receiver.url}`))
    const { messageId, answer } = await testBerth.ok<Body>('channel.test', { channelId })
    assert.equal(answer, `ok ${mask}`)
    const { type, id } = await untilReceived(testBerth, receiver.received, 1)
    assert.deepEqual([type, id], ['alert.test', messageId])
    assert.notEqual((await readChannel(testBerth, channelId)).lastSuccessAt, null)
  })

  test('a receiver that answers with the path of its URL does not reveal it', async () => {
    await using testBerth = await startTestBerth()
    await using receiver = await startReceiver()
    const path = '/services/T0/planted?token=planted'
    const channelId = await addChannel(testBerth, new URL(path, receiver.url).href)
    for (const [text, expected] of [
      [`Cannot POST ${path}`, mask],
      ['Cannot POST /services/T0/planted', mask],
      ['no such hook: ?token=planted', mask],
    ] as const) {
      receiver.answerWith((response) => void response.writeHead(404).end(text))
      const { body } = await testBerth.call<Body>('channel.test', { channelId })
      assert.ok(String(body.message).endsWith(expected), String(body.message))
      assert.doesNotMatch(JSON.stringify(body), /planted/)
    }
  })

  test('a failed test is refused with what the receiver said', async () => {
    await using testBerth = await startTestBerth()
    await using receiver = await startReceiver()
    const channelId = await addChannel(testBerth, receiver.url)
    receiver.answerWith(answerStatus(404))
    const { status, body } = await testBerth.call<Body>('channel.test', { channelId })
    assert.deepEqual([status, body.code, body.reason], [502, 'BAD_GATEWAY', 'HttpStatus'])
    assert.equal(body.message, 'The receiver answered with HTTP status 404: not now')
    const { lastError, queued } = await readChannel(testBerth, channelId)
    assert.deepEqual([lastError, queued], ['The receiver answered with HTTP status 404', 0])
  })
}

function muteTests(): void {
  test('a mute ends at its time or when it is removed', async () => {
    await using testBerth = await startTestBerth()
    const subject = { subjectKind: 'hostName', subjectId: 'shop.example' }
    const first = await testBerth.ok<Body>('alert.mute', { ...subject, hours: 2 })
    const second = await testBerth.ok<Body>('alert.mute', { ...subject, condition: 'CertificateNotRenewable' })
    assert.deepEqual(await testBerth.ok('alert.mutes'), [first, second])
    testBerth.pass(3600_000)
    assert.deepEqual(await testBerth.ok('alert.mutes'), [first])
    assert.deepEqual(await testBerth.ok('alert.unmute', { muteId: first.muteId }), first)
    assert.deepEqual(await testBerth.ok('alert.mutes'), [])
    await testBerth.refused('NOT_FOUND', 'alert.unmute', { muteId: first.muteId })
    await testBerth.refused('BAD_REQUEST', 'alert.mute', { ...subject, hours: 0 }, 'hours')
    await testBerth.refused('BAD_REQUEST', 'alert.mute', { ...subject, subjectKind: 'x' }, 'subjectKind')
  })

  test('a mute replaces an earlier one of the same record and condition', async () => {
    await using testBerth = await startTestBerth()
    const subject = { subjectKind: 'hostName', subjectId: 'shop.example' }
    const single = { ...subject, condition: 'CertificateNotRenewable' }
    await testBerth.ok('alert.mute', { ...subject, hours: 5 })
    const all = await testBerth.ok('alert.mute', { ...subject, hours: 2 })
    await testBerth.ok('alert.mute', { ...single, hours: 1 })
    const one = await testBerth.ok('alert.mute', { ...single, hours: 3 })
    const other = await testBerth.ok('alert.mute', { ...subject, subjectId: 'blog.example' })
    assert.deepEqual(await testBerth.ok('alert.mutes'), [all, one, other])
  })

  test('the mutes of a removed database, backup and node are deleted', async () => {
    await using testBerth = await startTestBerth()
    const clients = databaseClientsOf(testBerth, kinds[0]!)
    const [kept, removed] = [await clients.createDeployed(), await clients.createDeployed()]
    const mutedNow = () => testBerth.ok<Body[]>('alert.mutes')
    for (const subjectId of [clients.idOf(kept), clients.idOf(removed)]) {
      await testBerth.ok('alert.mute', { subjectKind: 'database', subjectId })
    }
    const { id: nodeId } = await testBerth.app.db.selectFrom('node').select('id').executeTakeFirstOrThrow()
    for (const subjectId of [nodeId, 'removed']) await testBerth.ok('alert.mute', { subjectKind: 'node', subjectId })
    await testBerth.ok('alert.mute', { subjectKind: 'backup', subjectId: 'removed' })
    await testBerth.ok('alert.mute', { subjectKind: 'hostName', subjectId: 'shop.example' })
    await clients.remove(removed)
    await testBerth.app.transact((tx) => forgetOldAlerts(tx, testBerth.now()))
    assert.deepEqual(
      (await mutedNow()).map(({ subjectId }) => subjectId),
      [clients.idOf(kept), nodeId, 'shop.example'],
    )
  })

  test('a mute ends at an absolute time, which must be in the next year', async () => {
    await using testBerth = await startTestBerth()
    const subject = { subjectKind: 'proxy', subjectId: 'proxy' }
    const at = (hours: number) => new Date(testBerth.now().getTime() + hours * 3600_000).toISOString()
    const end = at(3)
    const { until } = await testBerth.ok<Body>('alert.mute', { ...subject, until: end.replace('Z', '+00:00') })
    assert.equal(until, end)
    testBerth.pass(3 * 3600_000)
    assert.deepEqual(await testBerth.ok('alert.mutes'), [])
    for (const wrong of [at(0), at(-1), at(24 * 367), 'tomorrow', '2030-01-31']) {
      await testBerth.refused('BAD_REQUEST', 'alert.mute', { ...subject, until: wrong }, 'until')
    }
    await testBerth.refused('BAD_REQUEST', 'alert.mute', { ...subject, until: at(1), hours: 1 }, 'until')
  })
}
