/** Mails to a real SMTP server, and the faults of receivers. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer as createHttpServer } from 'node:http'
import { createServer, type AddressInfo } from 'node:net'
import { test, type TestContext } from 'node:test'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import type { SMTPServerOptions } from 'smtp-server'
import { login, startMailServer } from '../../test/alerts/mail-server.ts'
import { makeCertificate } from '../../test/e2e/certificate-files.ts'
import { certificateData, privateKey } from '../../test/fixtures/long-lived-certificate.ts'
import { egressOf } from '../lib/net/egress.ts'
import { mailOf } from './channels/email.ts'
import type { ChannelSettings } from './channels/settings.ts'
import { messageOf, storedTest } from './message.ts'
import { send } from './send.ts'

const egress = egressOf([])
const timeoutMs = 10_000
const message = messageOf('message1', storedTest('2030-01-01T00:00:00.000Z'), 'https://berth.example.org')
const settings: ChannelSettings = {
  url: '',
  secret: null,
  username: null,
  sender: 'berth@example.org',
  recipients: ['ops@example.org', 'second@example.org'],
}
async function mailServer(t: TestContext, options: SMTPServerOptions) {
  const server = await startMailServer(options)
  t.after(() => server[Symbol.asyncDispose]())
  return server
}

const sendTo = (url: string, changes: Partial<ChannelSettings> = {}) =>
  send(mailOf({ ...settings, url, ...changes }, message), egress, timeoutMs)

test('a mail arrives at all recipients, with its id and a text', async (t) => {
  const { url, mails } = await mailServer(t, {})
  const { fault, answer } = await sendTo(url, login)
  assert.deepEqual([fault, answer], [null, '250 queued as 42'])
  assert.equal(mails.length, 1)
  assert.match(mails[0]!, /^user=berth secure=false to=ops@example\.org,second@example\.org\n/)
  for (const part of [
    /^Message-ID: <message1@example\.org>\r$/m,
    /^Subject: Berth: test message\r$/m,
    /^Auto-Submitted: auto-generated\r$/m,
  ]) {
    assert.match(mails[0]!, part)
  }
})

test('a refused login is a fault with the code of the server', async (t) => {
  const { url, mails } = await mailServer(t, {})
  const { fault } = await sendTo(url, { ...login, secret: 'wrong' })
  assert.deepEqual([fault, mails], [{ reason: 'LoginRefused', code: 535 }, []])
})

test('a refused recipient is a fault with the code of the server', async (t) => {
  const onRcptTo: SMTPServerOptions['onRcptTo'] = (_address, _session, callback) =>
    callback(Object.assign(new Error('mailbox full'), { responseCode: 452 }))
  const { url } = await mailServer(t, { onRcptTo })
  assert.deepEqual((await sendTo(url)).fault, { reason: 'MailRefused', code: 452, recipients: settings.recipients })
})

test('a refused content is told apart from a refused sender', async (t) => {
  const refuse = (_: unknown, __: unknown, callback: (error: Error) => void) =>
    callback(Object.assign(new Error('no'), { responseCode: 554 }))
  const content = await mailServer(t, {
    onData: (stream, ...rest) => stream.resume().on('end', () => refuse(0, ...rest)),
  })
  assert.deepEqual((await sendTo(content.url)).fault, { reason: 'MailRefused', code: 554, isContent: true })
  const sender = await mailServer(t, { onMailFrom: refuse })
  assert.deepEqual((await sendTo(sender.url)).fault, { reason: 'MailRefused', code: 554 })
})

test('a server with a certificate that no authority signed gets no mail', async (t) => {
  const { url, mails } = await mailServer(t, { secure: true, cert: certificateData, key: privateKey })
  assert.deepEqual([(await sendTo(url, login)).fault, mails], [{ reason: 'TlsUnavailable' }, []])
})

test('a mail goes by TLS to a server whose certificate an authority of the machine signed', async (t) => {
  const before = getCACertificates('default')
  const authority = makeCertificate({ names: [], ca: true })
  const { chain, key } = makeCertificate({ names: ['127.0.0.1'], by: authority })
  setDefaultCACertificates([...before, authority.chain])
  t.after(() => setDefaultCACertificates(before))
  const { url, mails } = await mailServer(t, { secure: true, cert: chain, key })
  assert.deepEqual([(await sendTo(url, login)).fault, mails.length], [null, 1])
})

test('nothing is sent to a link-local address', async () => {
  for (const url of ['smtp://169.254.169.254:25', 'smtps://[fe80::1]']) {
    assert.equal((await sendTo(url)).fault?.reason, 'AddressRefused', url)
  }
})

test('a port without a server is a fault without the URL', async () => {
  assert.deepEqual((await sendTo('smtp://127.0.0.1:9')).fault, { reason: 'NoAnswer', code: 'ECONNREFUSED' })
  const request = { type: 'http', url: 'http://127.0.0.1:9/secret', headers: {}, body: '' } as const
  assert.deepEqual((await send(request, egress, timeoutMs)).fault, { reason: 'NoAnswer', code: 'ECONNREFUSED' })
})

test('an attempt ends when Berth stops', async (t) => {
  const silent = createServer(() => undefined).listen(0, '127.0.0.1')
  t.after(() => silent.close())
  await once(silent, 'listening')
  const { port } = silent.address() as AddressInfo
  const stopping = new AbortController()
  const mail = mailOf({ ...settings, url: `smtp://127.0.0.1:${port}` }, message)
  const [attempt] = await Promise.all([
    send(mail, egress, timeoutMs, stopping.signal),
    once(silent, 'connection').then(() => stopping.abort()),
  ])
  assert.notEqual(attempt.fault, null)
})

test('a receiver that accepts a message and does not end its answer has accepted it', async (t) => {
  const receiver = createHttpServer((_, response) => void response.writeHead(200).write('ok')).listen(0, '127.0.0.1')
  t.after(() => {
    receiver.closeAllConnections()
    receiver.close()
  })
  await once(receiver, 'listening')
  const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`
  const request = { type: 'http', url, headers: {}, body: '' } as const
  assert.deepEqual(await send(request, egress, 500), { fault: null, retryAfterMs: null, answer: 'ok', acceptedBy: [] })
})
