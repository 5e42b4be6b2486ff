/** Signing in at a Berth whose certificate comes from its own authority. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { type AddressInfo, connect } from 'node:net'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { createServer } from 'node:tls'
import { contextsPath } from '../../cli/connection/contexts.ts'
import { issueCertificate, trustBundle } from '../../src/authority/issue.ts'
import { ensureOwnCertificate, readOwnCertificate } from '../../src/authority/own-certificate.ts'
import { switchSigning } from '../../src/authority/queries.ts'
import { mainPath, startCommandLine, startProcess } from './cli-fixture.ts'

const resources = new AsyncDisposableStack()
after(() => resources.disposeAsync())
const cli = resources.use(await startCommandLine())
const { app } = cli.berth
const path = contextsPath({ XDG_CONFIG_HOME: cli.folder })
const account = { email: 'eve@example.org', password: 'correct horse battery' }
const env = { BERTH_PASSWORD: account.password }
const invitation = (await cli.berth.call<{ id: string; token: string }>('user.invite', { email: account.email })).body
await cli.berth.call('auth.createUser', { ...invitation, password: account.password }, invitation.token)

/** Starts a TLS server that passes connections on to Berth. */
async function startTls({ chain, key }: { chain: string; key: string }) {
  const server = createServer({ cert: chain, key }, (socket) => {
    const berth = connect(Number(new URL(cli.url).port), '127.0.0.1')
    socket.on('error', () => berth.destroy()).pipe(berth)
    berth.on('error', () => socket.destroy()).pipe(socket)
  })
  server.on('tlsClientError', () => undefined)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  resources.defer(() => void server.close())
  return `https://localhost:${(server.address() as AddressInfo).port}`
}

const own = async () => {
  await ensureOwnCertificate(app, 'localhost')
  return (await readOwnCertificate(app))!
}
const url = await startTls(await own())
const fingerprint = async () => {
  const { body } = await cli.berth.call<{ certificates: { fingerprint256: string }[] }>('installation.ca')
  return body.certificates.at(-1)!.fingerprint256
}
/** Runs a command in a process of its own: each process trusts the authorities of its context alone. */
const run = (args: string[]) =>
  startProcess('node', [mainPath, ...args], { XDG_CONFIG_HOME: cli.folder, BERTH_URL: '', ...env }).ended
const login = (at: string, ...options: string[]) =>
  run(['login', at, '--email', account.email, '--name', 'work', ...options])
const forget = () => rmSync(path, { force: true })

test('without a terminal, an unknown authority is not trusted, and the error says what to do', async () => {
  const { status, stderr } = await login(url)
  assert.deepEqual([status, /does not know\n.*--ca FILE.*--fingerprint/.test(stderr)], [2, true], stderr)
})

test('trusts the authority with this fingerprint, and only this one', async () => {
  const wrong = await login(url, '--fingerprint', 'ab'.repeat(32))
  assert.deepEqual([wrong.status, /another authority: its fingerprint is [0-9A-F:]{95}/.test(wrong.stderr)], [4, true])
  assert.equal((await login(url, '--fingerprint', 'abc')).status, 2)
  const right = await login(url, '--fingerprint', (await fingerprint()).replaceAll(':', '').toLowerCase())
  assert.equal(right.status, 0, right.stderr)
  const { contexts } = JSON.parse(readFileSync(path, 'utf8')) as { contexts: { work: { caFile: string } } }
  const { caFile } = contexts.work
  assert.equal(readFileSync(caFile, 'utf8'), await trustBundle(app.db, 'installation'))
  assert.equal(statSync(caFile).mode & 0o777, 0o600)
  const listed = await run(['project', 'ls'])
  assert.equal(listed.status, 0, listed.stderr)
})

test('the next sign-in at this URL trusts the same authority', async () => {
  const { status, stderr } = await login(url)
  assert.equal(status, 0, stderr)
})

test('--ca names the certificate of the authority', async () => {
  forget()
  const file = join(cli.folder, 'ca.pem')
  writeFileSync(file, await trustBundle(app.db, 'installation'))
  const { status, stderr } = await login(url, '--ca', file)
  assert.equal(status, 0, stderr)
})

test('trusts no certificate of another name, and none without its authority', async () => {
  forget()
  const request = { commonName: 'Berth', use: 'server', dnsNames: ['b.example'], validDays: 9 } as const
  const { certificatePem, keyPem } = await issueCertificate(app, 'installation', request)
  const bundle = await trustBundle(app.db, 'installation')
  const misnamed = await startTls({ chain: certificatePem + bundle, key: keyPem })
  const refused = await login(misnamed, '--fingerprint', await fingerprint())
  assert.deepEqual([refused.status, /does not verify: .*ALTNAME/.test(refused.stderr)], [5, true], refused.stderr)
  const alone = await startTls({ chain: certificatePem, key: keyPem })
  const lonely = await login(alone, '--fingerprint', await fingerprint())
  assert.deepEqual([lonely.status, /--ca FILE/.test(lonely.stderr)], [5, true], lonely.stderr)
})

test('a pipeline names the file in BERTH_CA', async () => {
  const file = join(cli.folder, 'pipeline.pem')
  writeFileSync(file, await trustBundle(app.db, 'installation'))
  const list = (more: NodeJS.ProcessEnv) =>
    startProcess('node', [mainPath, 'project', 'ls'], { BERTH_URL: url, BERTH_TOKEN: cli.token, ...more }).ended
  const trusted = await list({ BERTH_CA: file })
  assert.equal(trusted.status, 0, trusted.stderr)
  const unknown = await list({ BERTH_CA: '' })
  assert.deepEqual([unknown.status, /does not know.*BERTH_CA/.test(unknown.stderr)], [5, true], unknown.stderr)
})

test('a sign-in during a rotation trusts both authorities, so that its end breaks nothing', async () => {
  forget()
  await cli.berth.call('installation.rotateAuthority', { authority: 'installation' })
  const { body } = await cli.berth.call<{ certificates: { fingerprint256: string }[] }>('installation.ca')
  assert.equal((await login(url, '--fingerprint', body.certificates[0]!.fingerprint256)).status, 0)
  await app.transact((tx) => switchSigning(tx, 'installation'))
  const next = await startTls(await own())
  const contexts = readFileSync(path, 'utf8').replaceAll(url, next)
  writeFileSync(path, contexts)
  const listed = await run(['project', 'ls'])
  assert.equal(listed.status, 0, listed.stderr)
})
