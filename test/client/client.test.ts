/** Calls of the typed client and their errors, against a Berth that listens on a port. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { createClient } from '../../client/client.ts'
import { codeAt } from '../../src/lib/crypto/totp.ts'
import { freePort } from '../fixtures/free-port.ts'
import { startBerth } from '../fixtures/harness.ts'
import { refusal, webServer } from './refusal.ts'

const berth = await startBerth()
after(() => berth.close())
const url = await berth.listen()
const { token } = await berth.admin()
const client = createClient({ url, token })

const settings = { databaseName: 'o', databaseUser: 'o', databasePassword: 'a-good-password' }

test('calls an operation and answers its record', async () => {
  const project = await client.project.create({ name: 'shop' })
  assert.equal((await client.project.one({ projectId: project.projectId })).name, 'shop')
})

test('calls an operation by its name', async () => {
  const { projectId } = await client.call('project.create', { name: 'by name' })
  const name: string = 'project.one'
  assert.equal(((await client.call(name, { projectId })) as { name: string }).name, 'by name')
})

test('waits for the end of the work, and tells whether it has ended', async () => {
  const { projectId } = await client.project.create({ name: 'wait' })
  const { postgresId } = await client.postgres.create({ name: 'o', appName: 'o', projectId, ...settings })
  const pending: (string | null)[] = []
  const deployed = await client.postgres.deploy(
    { postgresId },
    { wait: 60, onHeaders: (headers) => void pending.push(headers.get('berth-pending')) },
  )
  assert.deepEqual([deployed.applicationStatus, pending], ['done', [null]])
})

test('throws a refusal with its code, issues and the id of the request', async () => {
  const error = await refusal(client.project.create({ name: '' }))
  assert.deepEqual(
    [error.name, error.code, error.status, error.issues],
    ['BerthError', 'BAD_REQUEST', 400, [{ path: 'name', message: 'must not be empty' }]],
  )
  const logged = berth.logged.find(({ fields }) => fields.requestId === error.requestId)
  assert.equal(logged?.fields.op, 'project.create')
})

test('gives the records of all pages', async () => {
  for (let i = 0; i < 5; i++) await client.project.create({ name: `page ${i}` })
  const names: string[] = []
  for await (const { name } of client.project.all.each({ limit: 2 })) names.push(name)
  assert.deepEqual(
    names,
    (await client.project.all()).map(({ name }) => name),
  )
  assert.ok(names.length >= 5)
})

test('asks a function for the token before each request', async () => {
  const tokens = [token, 'berth_sess_expired', token]
  const asking = createClient({ url, token: async () => tokens.shift()! })
  await asking.project.all()
  assert.equal((await refusal(asking.project.all())).code, 'UNAUTHORIZED')
  await asking.project.all()
  assert.deepEqual(tokens, [])
})

test('passes the error of the function for the token on', async () => {
  const failing = createClient({ url, token: () => Promise.reject(new Error('no token today')) })
  await assert.rejects(failing.project.all(), /^Error: no token today$/)
})

test('keeps a path of the URL, and sends further headers', async (t) => {
  const received: unknown[] = []
  const proxied = await webServer(t, ({ url, headers }, response) => {
    received.push(url, headers['x-team'], headers.authorization)
    response.writeHead(200, { 'content-type': 'application/json' }).end('[]')
  })
  const behindProxy = createClient({ url: `${proxied}/berth`, token })
  await behindProxy.project.all({ limit: 1 }, { headers: { 'X-Team': 'shop', Authorization: 'Bearer other' } })
  assert.deepEqual(received, ['/berth/api/project.all?limit=1', 'shop', 'Bearer other'])
})

test('refuses a URL that is none', () => {
  assert.throws(() => createClient({ url: 'berth' }), TypeError)
})

test('reports a server that is away', async () => {
  const port = await freePort()
  for (const host of ['127.0.0.1', 'localhost']) {
    const unreachable = createClient({ url: `http://${host}:${port}`, token, retries: 0 })
    const { code, status, message } = await refusal(unreachable.project.all())
    assert.deepEqual([code, status], ['CONNECTION_LOST', 0])
    assert.match(message, new RegExp(`^http://${host}:${port} does not answer: .*ECONNREFUSED`))
  }
})

test('reports a server that is not Berth', async (t) => {
  const answers = [
    [404, 'text/html', '<html>', 'answers HTTP 404, but not as Berth does'],
    [200, 'text/html', '<html>It works!</html>', 'answers HTTP 200, but not as Berth does'],
    [400, 'application/json', '{"error":"bad"}', 'answers HTTP 400, but not as Berth does'],
    [301, 'text/html', '', 'redirects to https://berth.example.org/'],
  ] as const
  for (const [status, type, body, message] of answers) {
    const headers = { 'content-type': type, ...(status === 301 ? { location: 'https://berth.example.org/' } : {}) }
    const other = await webServer(t, (_request, response) => response.writeHead(status, headers).end(body))
    const notBerth = createClient({ url: other, token })
    const error = await refusal(notBerth.project.create({ name: 'a' }))
    assert.deepEqual([error.code, error.status], ['NOT_BERTH', status])
    assert.equal(error.message, `${other}/ ${message}. Is the URL right?`)
    assert.equal((await refusal(notBerth.events().next())).code, 'NOT_BERTH')
  }
})

test('asks for a code only if a call needs one, again after a wrong one, and throws the refusal without one', async () => {
  const { testCodes, asked } = await confirmingClient()
  const settings = await testCodes('abcdef', 'right').installation.updateSettings({ confirmDangerousCalls: true })
  assert.deepEqual([settings.confirmDangerousCalls, asked], [true, ['ConfirmationMissing', 'ConfirmationWrong']])
  asked.length = 0
  const error = await refusal(testCodes(null).installation.updateSettings({ confirmDangerousCalls: false }))
  assert.deepEqual([error.reason, asked], ['ConfirmationMissing', ['ConfirmationMissing']])
  assert.equal(
    (await refusal(client.installation.updateSettings({ confirmDangerousCalls: false }))).reason,
    error.reason,
  )
  asked.length = 0
  await testCodes().installation.settings()
  assert.deepEqual(asked, [])
})

/** Turns on a second factor. The code `right` of a client stands for a code of the app. */
async function confirmingClient() {
  const { secret } = await client.auth.generate2FASecret()
  const { recoveryCodes } = await client.auth.verify2FASetup({ secret, pin: codeAt(secret, new Date()) })
  const asked: (string | null)[] = []
  const testCodes = (...codes: (string | null)[]) =>
    createClient({
      url,
      token,
      confirmationCode: async ({ reason }) => {
        asked.push(reason)
        const code = codes.shift() ?? null
        return code === 'right' ? recoveryCodes.shift()! : code
      },
    })
  return { testCodes, asked }
}
