/** Messages about conditions reach a real receiver. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { minGapMs } from '../../src/alerts/plan.ts'
import { toJson } from '../../src/lib/json.ts'
import { writeProxyFault } from '../../src/routing/queries.ts'
import { afterTurn, untilPresent } from '../conditions/conditions.ts'
import { startTestBerth, type TestBerth } from '../fixtures/test-berth.ts'
import { waitForNode } from '../nodes/cluster.ts'
import {
  acceptAll,
  addChannel,
  answerStatus,
  hang,
  readChannel,
  startReceiver,
  untilChannel,
  untilReceived,
} from './receiver.ts'

const hourMs = 3600_000
/** Certificates of `afterTurn` cause conditions, too. */
const only = { conditions: ['ProxyDown', 'NodeDown', 'DatabaseDown'] }

/** Begins the condition ProxyDown. */
async function breakProxy(testBerth: TestBerth, detail = 'no answer'): Promise<void> {
  await testBerth.app.transact((tx) => writeProxyFault(tx, detail))
  await afterTurn(testBerth)
  testBerth.pass(30_000)
  await untilPresent(testBerth, 'ProxyDown')
}

/** Ends the condition. Its message waits for the last one about it. */
async function mendProxy(testBerth: TestBerth): Promise<void> {
  await testBerth.app.transact((tx) => writeProxyFault(tx, null))
  await untilPresent(testBerth)
  testBerth.pass(minGapMs)
}

describe('deliveries', { concurrency: true }, () => {
  conditionTests()
  listTests()
  faultTests()
  restartTests()
})

function conditionTests(): void {
  test('a condition is delivered when it begins, repeated after a day, and resolved', async () => {
    await using testBerth = await startTestBerth()
    await using receiver = await startReceiver()
    await addChannel(testBerth, receiver.url, only)
    await breakProxy(testBerth)
    const first = await untilReceived(testBerth, receiver.received, 1)
    assert.deepEqual([first.type, first.data.title], ['alert.raised', 'Critical: ProxyDown: proxy'])
    testBerth.pass(24 * hourMs)
    const repeated = await untilReceived(testBerth, receiver.received, 2)
    assert.deepEqual(
      [repeated.type, repeated.data.title],
      ['alert.repeated', 'Critical: ProxyDown: proxy (still present)'],
    )
    await mendProxy(testBerth)
    const resolved = await untilReceived(testBerth, receiver.received, 3)
    assert.deepEqual([resolved.type, resolved.data.title], ['alert.resolved', 'Resolved: ProxyDown: proxy'])
    assert.equal(new Set(receiver.received.map(({ id }) => id)).size, 3)
  })

  test('500 databases on one lost node are one message', async () => {
    await using testBerth = await startTestBerth()
    await using receiver = await startReceiver()
    testBerth.engine.addNode('node2')
    await waitForNode(testBerth, 'node2')
    const { hostname } = await testBerth.app.db
      .selectFrom('node')
      .select('hostname')
      .where('id', '=', 'node2')
      .executeTakeFirstOrThrow()
    await addChannel(testBerth, receiver.url, only)
    await addDownDatabases(testBerth, 500, hostname)
    const { data } = await untilReceived(testBerth, receiver.received, 1)
    assert.deepEqual([data.key, data.conditions.length, data.more], ['node node2', 20, 480])
    // The next turn finds no such databases, so the conditions end.
    await afterTurn(testBerth)
    testBerth.pass(minGapMs)
    assert.equal((await untilReceived(testBerth, receiver.received, 2)).type, 'alert.resolved')
  })

  test('a muted record causes a message only after the mute', async () => {
    await using testBerth = await startTestBerth()
    await using receiver = await startReceiver()
    const subject = { subjectKind: 'proxy', subjectId: 'proxy' }
    const { muteId } = await testBerth.ok<{ muteId: string }>('alert.mute', { ...subject, hours: 2 })
    const channelId = await addChannel(testBerth, receiver.url, only)
    await breakProxy(testBerth)
    await afterTurn(testBerth)
    assert.deepEqual([receiver.received.length, (await readChannel(testBerth, channelId)).queued], [0, 0])
    await testBerth.ok('alert.unmute', { muteId })
    await untilReceived(testBerth, receiver.received, 1)
  })

  test('no secret is in a message', async () => {
    await using testBerth = await startTestBerth()
    await using receiver = await startReceiver()
    const planted = 'planted-secret-4711'
    const { projectId } = testBerth
    const names = { name: 'orders', appName: 'orders', databaseName: 'orders', databaseUser: 'orders' }
    await testBerth.ok('postgres.create', {
      ...names,
      projectId,
      databasePassword: planted,
      dockerImage: 'postgres:17',
    })
    const channelId = await addChannel(testBerth, receiver.url, only)
    await breakProxy(testBerth)
    await untilReceived(testBerth, receiver.received, 1)
    receiver.answerWith(answerStatus(500))
    await mendProxy(testBerth)
    await untilChannel(testBerth, channelId, ({ lastErrorCode }) => lastErrorCode !== null)
    const rows = await testBerth.app.db.selectFrom('delivery').selectAll().execute()
    const all = JSON.stringify([receiver.received, rows, await readChannel(testBerth, channelId), testBerth.logged])
    assert.ok(!all.includes(planted) && !all.includes('hook-path-secret') && !all.includes('whsec_'))
  })
}

interface Listed {
  messageId: string
  state: string
  about: string
  title: string
  channelName: string
  attempts: number
  lastErrorCode: string | null
  nextAttemptAt: string | null
  conditions: { name: string; subjectName: string }[]
}

function listTests(): void {
  test('messages are listed with their channel and state, and survive as such', async () => {
    await using testBerth = await startTestBerth()
    await using good = await startReceiver()
    await using broken = await startReceiver()
    broken.answerWith(answerStatus(500))
    await addChannel(testBerth, good.url, only)
    const brokenId = await addChannel(testBerth, broken.url, { ...only, name: 'broken' })
    await breakProxy(testBerth)
    const received = await untilReceived(testBerth, good.received, 1)
    await untilChannel(testBerth, brokenId, ({ lastErrorCode }) => lastErrorCode !== null)
    const [waiting] = await testBerth.ok<Listed[]>('alert.messages', { state: 'waiting' })
    assert.deepEqual(
      [waiting!.channelName, waiting!.about, waiting!.attempts, waiting!.lastErrorCode, waiting!.title],
      ['broken', 'raised', 1, 'HttpStatus', 'Critical: ProxyDown: proxy'],
    )
    assert.notEqual(waiting!.nextAttemptAt, null)
    const [sent] = await testBerth.ok<Listed[]>('alert.messages', { state: 'sent' })
    assert.deepEqual([sent!.messageId, sent!.nextAttemptAt], [received.id, null])
    assert.deepEqual(
      sent!.conditions.map(({ name, subjectName }) => [name, subjectName]),
      [['ProxyDown', 'proxy']],
    )
    testBerth.pass(24 * hourMs)
    await untilChannel(testBerth, brokenId, ({ gaveUp }) => gaveUp > 0)
    const all = await testBerth.ok<Listed[]>('alert.messages', { channelId: brokenId, order: 'desc' })
    assert.ok(all.some(({ state, messageId }) => state === 'gaveUp' && messageId === waiting!.messageId))
    assert.equal((await testBerth.call('alert.messages', {}, {}, testBerth.user)).status, 403)
  })
}

function faultTests(): void {
  test('a receiver that hangs or fails delays no other channel and loses nothing', async () => {
    await using testBerth = await startTestBerth()
    await using broken = await startReceiver()
    await using good = await startReceiver()
    broken.answerWith(hang)
    const brokenId = await addChannel(testBerth, broken.url, { ...only, name: 'broken' })
    const goodId = await addChannel(testBerth, good.url, only)
    await breakProxy(testBerth)
    await untilReceived(testBerth, good.received, 1)
    await mendProxy(testBerth)
    await untilReceived(testBerth, good.received, 2)
    await untilChannel(testBerth, goodId, ({ queued }) => queued === 0)
    assert.equal((await readChannel(testBerth, brokenId)).queued, 2)
    await untilChannel(testBerth, brokenId, ({ lastErrorCode }) => lastErrorCode === 'AnswerTimeout')
    broken.answerWith(acceptAll)
    testBerth.pass(hourMs)
    await untilReceived(testBerth, broken.received, 3)
    const [first, again, resolved] = broken.received
    assert.deepEqual([first!.id, resolved!.type], [again!.id, 'alert.resolved'])
    await untilChannel(testBerth, brokenId, ({ queued }) => queued === 0)
  })

  test('a message is tried for 24 hours with one id, then given up, and the channel shows it', async () => {
    await using testBerth = await startTestBerth()
    await using receiver = await startReceiver()
    receiver.answerWith(answerStatus(410))
    const channelId = await addChannel(testBerth, receiver.url, only)
    await breakProxy(testBerth)
    const failed = await untilChannel(testBerth, channelId, ({ lastErrorCode }) => lastErrorCode !== null)
    assert.deepEqual([failed.queued, failed.lastError], [1, 'The receiver answered with HTTP status 410'])
    testBerth.pass(24 * hourMs - 60_000)
    const given = await untilChannel(testBerth, channelId, ({ gaveUp }) => gaveUp === 1)
    assert.equal(given.queued, 0)
    assert.equal(new Set(receiver.received.map(({ id }) => id)).size, 1)
    assert.match(await testBerth.app.metrics(), /^berth_alert_deliveries_total\{type="webhook",result="gaveUp"\} 1$/m)
  })

  test('a receiver decides with Retry-After when the next attempt is made', async () => {
    await using testBerth = await startTestBerth()
    await using receiver = await startReceiver()
    receiver.answerWith(answerStatus(429, { 'retry-after': '600' }))
    const channelId = await addChannel(testBerth, receiver.url, only)
    await breakProxy(testBerth)
    await untilChannel(testBerth, channelId, ({ lastErrorCode }) => lastErrorCode !== null)
    receiver.answerWith(acceptAll)
    testBerth.pass(500_000)
    await afterTurn(testBerth)
    assert.equal(receiver.received.length, 1)
    testBerth.pass(100_000)
    await untilReceived(testBerth, receiver.received, 2)
  })
}

function restartTests(): void {
  test('messages and what was notified survive a restart', async () => {
    await using testBerth = await startTestBerth()
    await using receiver = await startReceiver()
    receiver.answerWith(answerStatus(500))
    const channelId = await addChannel(testBerth, receiver.url, only)
    await breakProxy(testBerth)
    await untilChannel(testBerth, channelId, ({ lastErrorCode }) => lastErrorCode !== null)
    const before = receiver.received.length
    await testBerth.restart()
    receiver.answerWith(acceptAll)
    testBerth.pass(hourMs)
    await untilReceived(testBerth, receiver.received, before + 1)
    assert.equal(new Set(receiver.received.map(({ id }) => id)).size, 1)
    await mendProxy(testBerth)
    const { type } = await untilReceived(testBerth, receiver.received, before + 2)
    assert.equal(type, 'alert.resolved')
  })
}

/** Adds conditions of databases whose node is down, as the loop of conditions writes them. */
async function addDownDatabases({ app, now }: TestBerth, count: number, node: string): Promise<void> {
  const since = now().toISOString()
  const reason = toJson({ reason: 'DatabaseDown' as const, cause: { reason: 'NodeDown' as const, node, address: '' } })
  await app.transact(async (tx) => {
    for (let i = 0; i < count; i++) {
      const subject = { subjectKind: 'database', subjectId: `db${i}`, subjectName: `orders${i}` } as const
      const row = { id: `c${i}`, name: 'DatabaseDown', severity: 'critical', projectId: null, adminOnly: 0 } as const
      await tx
        .insertInto('condition')
        .values({ ...row, ...subject, reason, since, endedAt: null })
        .execute()
    }
  })
}
