/** Tests of the command line against a Berth with the in-memory engine. */
import assert from 'node:assert/strict'
import { statSync } from 'node:fs'
import { after, test } from 'node:test'
import { contextsPath } from '../../cli/contexts.ts'
import { startCommandLine } from './cli-fixture.ts'

const cli = await startCommandLine()
after(() => cli[Symbol.asyncDispose]())

test('signs in, keeps the session for its owner only, and signs out', async () => {
  const env = { BERTH_PASSWORD: 'correct horse battery' }
  const { token } = await cli.berth.admin()
  const { body } = await cli.berth.call<{ id: string; token: string }>(
    'user.invite',
    { email: 'eve@example.org' },
    token,
  )
  await cli.berth.call('auth.createUser', { ...body, password: env.BERTH_PASSWORD }, body.token)
  const login = await cli.command(['login', cli.url, '--email', 'eve@example.org', '--name', 'home'], env)
  assert.deepEqual([login.status, login.stdout], [0, `Signed in to ${cli.url} as eve@example.org.\n`])
  assert.equal(statSync(contextsPath({ XDG_CONFIG_HOME: cli.folder })).mode & 0o777, 0o600)
  assert.equal((await cli.command(['ls'], {})).status, 0)
  assert.match((await cli.command(['context'], {})).stdout, /\* {2}home +http.*eve@example\.org/)
  assert.equal((await cli.command(['logout'], {})).status, 0)
  assert.deepEqual((await cli.command(['ls'], {})).status, 4)
})

test('creates a database, deploys it and shows how to connect', async () => {
  const output = await cli.ok('create', 'postgres', 'orders', '--project', 'shop', '--port', '15432')
  assert.match(output, /^shop\/orders is up\.\nConnect with: berth env shop\/orders\n$/)
  assert.match(
    await cli.ok('ls'),
    /^NAME +KIND +STATUS +IMAGE +NODE +PORT\nshop\/orders +postgres +up +postgres:\d+ +\S+ +15432\n$/,
  )
  assert.match(await cli.ok('env', 'orders', '--url'), /^postgresql:\/\/orders:[\w-]{24}@.*:15432\/orders\n$/)
})

test('finds a database by the beginning of its name, and suggests a near name for a wrong one', async () => {
  assert.match(await cli.ok('show', 'shop/ord'), /status +up/)
  const wrong = await cli.command(['show', 'shop/ordres'])
  assert.deepEqual([wrong.status, /Did you mean shop\/orders/.test(wrong.stderr)], [3, true])
})

test('stops, starts and reloads a database', async () => {
  assert.match(await cli.ok('stop', 'orders'), /^shop\/orders is stopped\.$/m)
  assert.match(await cli.ok('ls'), /stopped/)
  assert.match(await cli.ok('start', 'orders'), /is up\.$/m)
  assert.match(await cli.ok('reload', 'orders'), /is up again\.$/m)
})

test('removes a database only when the person confirms it', async () => {
  await cli.ok('create', 'redis', 'cache', '--project', 'shop', '--no-deploy')
  const refused = await cli.command(['rm', 'cache'])
  assert.deepEqual([refused.status, /Confirm it with --yes/.test(refused.stderr)], [2, true])
  assert.match(await cli.ok('rm', 'cache', '--yes'), /^Removed shop\/cache\.$/m)
})

test('prints JSON with --json', async () => {
  const [database] = JSON.parse(await cli.ok('ls', '--json')) as { name: string }[]
  assert.equal(database?.name, 'orders')
})

test('calls any operation, with fields as options', async () => {
  const created = JSON.parse(await cli.ok('api', 'project.create', '--name', 'blog')) as { projectId: string }
  const one = JSON.parse(await cli.ok('api', 'project.one', '--projectId', created.projectId)) as { name: string }
  assert.equal(one.name, 'blog')
})

test('tells what to do when the token has ended, and when the server is away', async () => {
  const ended = await cli.command(['ls'], { BERTH_URL: cli.url, BERTH_TOKEN: 'berth_sess_ended' })
  assert.deepEqual([ended.status, ended.stderr.includes(`Sign in again: berth login ${cli.url}`)], [4, true])
  const begunAt = performance.now()
  const unreachable = await cli.command(['ls'], { BERTH_URL: 'http://127.0.0.1:9', BERTH_TOKEN: 'x' })
  assert.deepEqual([unreachable.status, /does not answer/.test(unreachable.stderr)], [5, true])
  assert.ok(performance.now() - begunAt < 5000, 'the person learns of it within 5 s')
})

test('refuses a URL without TLS beyond this machine, unknown commands and wrong values', async () => {
  const plain = await cli.command(['login', 'http://192.0.2.1'], {})
  assert.deepEqual([plain.status, /--insecure/.test(plain.stderr)], [2, true])
  const unknown = await cli.command(['deplyo', 'orders'])
  assert.deepEqual([unknown.status, /Did you mean deploy\?/.test(unknown.stderr)], [2, true])
  assert.equal((await cli.command(['deploy', 'orders', '--wait', 'long'])).status, 2)
})

test('tells that the work goes on when the person stops waiting', async () => {
  const interrupt = new AbortController()
  const deploying = cli.command(['deploy', 'orders'], { BERTH_URL: cli.url, BERTH_TOKEN: cli.token }, interrupt.signal)
  interrupt.abort()
  const { status, stderr } = await deploying
  assert.equal(status, 130, stderr)
})

test('completes commands, options and the names of databases', async () => {
  assert.equal(await cli.ok('__complete', '--', 'de'), 'deploy\ndestination\n')
  assert.match(await cli.ok('__complete', '--', 'deploy', ''), /^shop\/orders$/m)
  assert.match(await cli.ok('__complete', '--', 'create', 'post'), /^postgres$/m)
  assert.match(await cli.ok('__complete', '--', 'deploy', 'shop/orders', '--w'), /^--wait$/m)
  assert.match(await cli.ok('completion', 'bash'), /complete -F _berth berth/)
})
