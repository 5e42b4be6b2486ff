/** Tests of signing in, of contexts and of the file that keeps them. */
import assert from 'node:assert/strict'
import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { after, test } from 'node:test'
import { contextsPath } from '../../cli/connection/contexts.ts'
import { installationToken } from '../fixtures/harness.ts'
import { startCommandLine } from './cli-fixture.ts'

const cli = await startCommandLine()
after(() => cli[Symbol.asyncDispose]())
const env = { BERTH_PASSWORD: 'correct horse battery' }
const path = contextsPath({ XDG_CONFIG_HOME: cli.folder })

test('an invited person creates the account, and the session is kept for its owner only', async () => {
  const invited = JSON.parse(await cli.ok('user', 'invite', 'eve@example.org', '--json')) as {
    id: string
    token: string
  }
  const again = await cli.ok('user', 'invite', 'bob@example.org')
  assert.match(again, new RegExp(`^  berth login ${cli.url} --invitation \\S+$`, 'm'))
  await cli.ok('user', 'rm', 'bob@example.org', '-y')
  assert.match(await cli.ok('user', 'ls'), /^eve@example\.org\s+user\s+-\s+invited, ends in \d+ d$/m)
  const login = await cli.command(['login', cli.url, '--invitation', invited.id, '--name', 'first'], {
    ...env,
    BERTH_INVITATION_TOKEN: invited.token,
  })
  assert.deepEqual([login.status, login.stdout], [0, `Signed in to ${cli.url} as eve@example.org.\n`], login.stderr)
  assert.deepEqual([statSync(path).mode & 0o777, statSync(dirname(path)).mode & 0o777], [0o600, 0o700])
  assert.equal((await cli.command(['ls'], {})).status, 0)
})

test('signs in again under another name, and chooses between contexts', async () => {
  const second = await cli.command(['login', cli.url, '--email', 'eve@example.org', '--name', 'work'], env)
  assert.equal(second.status, 0, second.stderr)
  assert.match((await cli.command(['context', 'ls'], {})).stdout, /^\s+first\s.*\n\*\s+work\s+http.*eve@example\.org$/m)
  assert.equal((await cli.command(['context', 'use', 'first'], {})).status, 0)
  const wrong = await cli.command(['ls', '--context', 'wrok'], {})
  assert.deepEqual([wrong.status, /There is no context 'wrok'\. Did you mean work\?/.test(wrong.stderr)], [3, true])
  assert.equal((await cli.command(['logout'], {})).status, 0)
  assert.equal((await cli.command(['ls'], {})).status, 4)
  assert.equal((await cli.command(['ls', '--context', 'work'], {})).status, 0)
  assert.equal((await cli.command(['context', 'rm', 'work'], {})).status, 0)
  const { devices, ...rest } = JSON.parse(readFileSync(path, 'utf8')) as { devices: Record<string, string> }
  assert.deepEqual(rest, { current: null, contexts: {} })
  assert.match(devices[cli.url]!, /^berth_dev_/, 'the device stays known after a sign-out')
})

test('a session that has ended says how to sign in again', async () => {
  await cli.command(['login', cli.url, '--email', 'eve@example.org', '--name', 'first'], env)
  const { contexts } = JSON.parse(readFileSync(path, 'utf8')) as { contexts: { first: { token: string } } }
  await cli.berth.call('auth.logout', {}, contexts.first.token)
  const { status, stderr } = await cli.command(['ls'], {})
  assert.equal(status, 4)
  assert.match(stderr, new RegExp(`Your session at ${cli.url} has ended\nSign in again: berth login ${cli.url}\n`))
})

test('refuses a wrong password, a URL without TLS beyond this machine, and what is no URL', async () => {
  const wrong = await cli.command(['login', cli.url, '--email', 'eve@example.org'], { BERTH_PASSWORD: 'another one' })
  assert.deepEqual([wrong.status, /Sign in again/.test(wrong.stderr)], [4, false])
  const plain = await cli.command(['login', 'http://192.0.2.1'], {})
  assert.deepEqual([plain.status, /--insecure/.test(plain.stderr)], [2, true])
  for (const url of ['ftp://example.org', 'http://', '::']) {
    const refused = await cli.command(['login', url], {})
    assert.deepEqual([refused.status, /is no URL/.test(refused.stderr)], [2, true])
  }
  const asked = await cli.command(['login', cli.url, '--email', 'eve@example.org'], {})
  assert.deepEqual([asked.status, /Without a terminal, set BERTH_PASSWORD/.test(asked.stderr)], [2, true])
  const nameless = await cli.command(['login', cli.url], {})
  assert.deepEqual([nameless.status, /Without a terminal, give --email ADDRESS/.test(nameless.stderr)], [2, true])
})

test('a URL that is not that of Berth is told before any question', async () => {
  const path = await cli.command(['login', `${cli.url}/docs`], {})
  const text = `error: Berth is not at ${cli.url}/docs, but at ${cli.url}\nType: berth login ${cli.url}\n`
  assert.deepEqual([path.status, path.stderr], [2, text])
  const closed = await cli.command(['login', 'http://127.0.0.1:9'], {})
  assert.deepEqual([closed.status, /no program listens there\nIs Berth running there\?/.test(closed.stderr)], [5, true])
})

test('a damaged file of contexts is told', async () => {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, '{"current": ')
  const { status, stderr } = await cli.command(['ls'], {})
  assert.deepEqual([status, /contexts\.json is damaged/.test(stderr)], [2, true])
})

test('the first person who signs in becomes the administrator', async () => {
  await using fresh = await startCommandLine()
  await fresh.berth.app.transact((tx) => tx.deleteFrom('token').execute())
  await fresh.berth.app.transact((tx) => tx.deleteFrom('account').execute())
  const tokenFile = join(fresh.folder, 'token')
  writeFileSync(tokenFile, `${installationToken}\n`)
  const args = ['login', fresh.url, '--email', 'first@example.org', '--token-file', tokenFile]
  const { status, stdout, stderr } = await fresh.command(args, env)
  assert.deepEqual([status, stdout], [0, `Signed in to ${fresh.url} as first@example.org.\n`], stderr)
  assert.match(stderr, /^This Berth has no account yet\. Choose the e-mail address and password/)
  assert.match((await fresh.command(['user', 'ls'], {})).stdout, /^first@example\.org\s+admin/m)
})
