/** Messages to channels of the type e-mail, whose recipients are accepted one by one. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { SMTPServerOptions } from 'smtp-server'
import { lifetimeMs } from '../../src/alerts/fault.ts'
import { writeProxyFault } from '../../src/routing/queries.ts'
import { afterTurn, untilPresent } from '../conditions/conditions.ts'
import { startTestBerth, type TestBerth } from '../fixtures/test-berth.ts'
import { startMailServer } from './mail-server.ts'
import { addChannel, readChannel, untilChannel } from './receiver.ts'

const [good, bad] = ['ops@Example.org', 'second@example.org']

/** A mail server that refuses recipients with a code; null: it accepts them. */
async function startRefusingServer() {
  let code: number | null = 550
  const onRcptTo: SMTPServerOptions['onRcptTo'] = ({ address }, _session, callback) =>
    code !== null && address === bad
      ? callback(Object.assign(new Error('no such mailbox'), { responseCode: code }))
      : callback()
  const server = await startMailServer({ onRcptTo })
  const refuseWith = (next: number | null) => {
    code = next
  }
  return Object.assign(server, { refuseWith })
}

const addMailChannel = (testBerth: TestBerth, url: string) =>
  addChannel(testBerth, url, {
    type: 'email',
    sender: 'berth@example.org',
    recipients: [good, bad],
    conditions: ['ProxyDown'],
  })

async function breakProxy(testBerth: TestBerth): Promise<void> {
  await testBerth.app.transact((tx) => writeProxyFault(tx, 'no answer'))
  await afterTurn(testBerth)
  testBerth.pass(30_000)
  await untilPresent(testBerth, 'ProxyDown')
}

const recipientsOf = (mails: readonly string[]) => mails.map((mail) => /to=(\S*)/.exec(mail)![1])
const idsOf = (mails: readonly string[]) => new Set(mails.map((mail) => /^Message-ID: (.*)\r$/m.exec(mail)![1]))

interface Listed {
  state: string
  lastErrorCode: string | null
}

test('a mail server that needs more than 10 seconds gets a message once', async (t) => {
  const endings = new Map<AbortController, number>()
  t.mock.method(AbortSignal, 'timeout', (ms: number) => {
    const ending = new AbortController()
    endings.set(ending, ms)
    return ending.signal
  })
  const endAfter = (ms: number) => {
    for (const [ending, limitMs] of endings) if (limitMs <= ms) ending.abort(new DOMException('late', 'TimeoutError'))
  }
  await using testBerth = await startTestBerth()
  let passedMs = 10_000
  const onData: SMTPServerOptions['onData'] = (stream, _session, callback) => {
    stream.resume().on('end', () => {
      endAfter(passedMs)
      setImmediate(() => callback(null, 'queued'))
    })
  }
  await using server = await startMailServer({ onData })
  const channelId = await addMailChannel(testBerth, server.url)
  const { body } = await testBerth.call('channel.test', { channelId })
  assert.equal(body.message, 'The receiver did not answer within 10 seconds')
  passedMs = 60_000
  await breakProxy(testBerth)
  const { lastErrorCode } = await untilChannel(testBerth, channelId, ({ lastSuccessAt }) => lastSuccessAt !== null)
  assert.equal(lastErrorCode, 'AnswerTimeout')
  const [message] = await testBerth.ok<{ state: string; attempts: number }[]>('alert.messages')
  assert.deepEqual([message!.state, message!.attempts], ['sent', 0])
})

describe('mails', { concurrency: true }, () => {
  test('a recipient that is refused for good is reported, and the others get the message once', async () => {
    await using testBerth = await startTestBerth()
    await using server = await startRefusingServer()
    const channelId = await addMailChannel(testBerth, server.url)
    await breakProxy(testBerth)
    const { queued, lastSuccessAt, lastError } = await untilChannel(testBerth, channelId, (it) => it.lastError !== null)
    assert.deepEqual([queued, lastSuccessAt], [0, null])
    assert.equal(lastError, `The mail server refused ${bad} with code 550. Check the sender and the recipients`)
    testBerth.pass(3600_000)
    await afterTurn(testBerth)
    assert.deepEqual(recipientsOf(server.mails), ['ops@example.org'])
    const messages = await testBerth.ok<Listed[]>('alert.messages')
    assert.deepEqual(
      messages.map(({ state, lastErrorCode }) => [state, lastErrorCode]),
      [['sent', 'MailRefused']],
    )
    assert.match(await testBerth.app.metrics(), /^berth_alert_deliveries_total\{type="email",result="sent"\} 1$/m)
  })

  test('a recipient that is refused for now gets the message later, and the others do not get it again', async () => {
    await using testBerth = await startTestBerth()
    await using server = await startRefusingServer()
    server.refuseWith(451)
    const channelId = await addMailChannel(testBerth, server.url)
    await breakProxy(testBerth)
    await untilChannel(testBerth, channelId, ({ lastError, queued }) => lastError !== null && queued === 1)
    // The next message does not wait.
    await testBerth.app.transact((tx) => writeProxyFault(tx, null))
    await untilPresent(testBerth)
    testBerth.pass(600_000)
    await untilChannel(testBerth, channelId, ({ queued }) => queued === 2 && server.mails.length === 2)
    server.refuseWith(null)
    testBerth.pass(3600_000)
    await untilChannel(testBerth, channelId, ({ queued }) => queued === 0)
    assert.deepEqual(recipientsOf(server.mails).toSorted(), ['ops@example.org', 'ops@example.org', bad, bad])
    assert.equal(idsOf(server.mails).size, 2)
    assert.notEqual((await readChannel(testBerth, channelId)).lastSuccessAt, null)
  })

  test('a message that a recipient accepted is not given up after 24 hours, but ends', async () => {
    await using testBerth = await startTestBerth()
    await using server = await startRefusingServer()
    server.refuseWith(452)
    const channelId = await addMailChannel(testBerth, server.url)
    await breakProxy(testBerth)
    await untilChannel(testBerth, channelId, ({ lastError, queued }) => lastError !== null && queued === 1)
    testBerth.pass(lifetimeMs - 5000)
    const { gaveUp } = await untilChannel(testBerth, channelId, ({ queued }) => queued === 0)
    assert.deepEqual([gaveUp, recipientsOf(server.mails)], [0, ['ops@example.org']])
  })

  test('a message whose content the server refuses does not delay the next one', async () => {
    await using testBerth = await startTestBerth()
    let code: number | null = 554
    const taken: string[] = []
    const onData: SMTPServerOptions['onData'] = (stream, session, callback) => {
      stream.resume().on('end', () => {
        if (code !== null) return callback(Object.assign(new Error('content'), { responseCode: code }))
        taken.push(...session.envelope.rcptTo.map(({ address }) => address))
        callback(null, 'queued')
      })
    }
    await using server = await startMailServer({ onData })
    const channelId = await addMailChannel(testBerth, server.url)
    await breakProxy(testBerth)
    const { lastErrorCode, queued } = await untilChannel(testBerth, channelId, (it) => it.lastError !== null)
    assert.deepEqual([lastErrorCode, queued], ['MailRefused', 1])
    code = null
    await testBerth.app.transact((tx) => writeProxyFault(tx, null))
    await untilPresent(testBerth)
    testBerth.pass(600_000)
    await untilChannel(testBerth, channelId, (it) => it.lastSuccessAt !== null)
    assert.equal(taken.length, 2)
    const messages = await testBerth.ok<{ about: string; state: string }[]>('alert.messages')
    assert.deepEqual(
      messages.map(({ about, state }) => [about, state]),
      [
        ['raised', 'waiting'],
        ['resolved', 'sent'],
      ],
    )
  })

  test('a test of a channel fails if one recipient is refused', async () => {
    await using testBerth = await startTestBerth()
    await using server = await startRefusingServer()
    const channelId = await addMailChannel(testBerth, server.url)
    const { status, body } = await testBerth.call('channel.test', { channelId })
    assert.deepEqual([status, body.reason], [502, 'MailRefused'])
    assert.match(
      String(body.message),
      /refused second@example\.org with code 550\. Check the sender and the recipients: .*no such mailbox/,
    )
    assert.notEqual((await readChannel(testBerth, channelId)).lastError, null)
  })
})
