/** Tests of rotated passwords, and of the credentials that `berth env` prints. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { startCommandLine } from './cli-fixture.ts'

const cli = await startCommandLine()
after(() => cli[Symbol.asyncDispose]())

test('rotating a stopped database changes the server with the next deploy, not with a start', async () => {
  await cli.ok('create', 'mysql', 'books', '--project', 'shop')
  await cli.ok('stop', 'books')
  const old = (await cli.ok('env', 'books', '--url', '--inside')).trim()
  const rotated = await cli.command(['rotate', 'books'])
  assert.deepEqual(rotated, {
    status: 0,
    stdout: 'shop/books is stopped. Its next deploy sets the new passwords: berth deploy shop/books\n',
    stderr: 'Until then its server keeps the old passwords, also after berth start shop/books.\n',
  })
  await cli.ok('start', 'books')
  assert.equal((await cli.ok('env', 'books', '--url', '--inside')).trim(), old)
  assert.match(await cli.ok('show', 'books'), /^changes\s+not deployed yet: berth deploy shop\/books$/m)
  const password = new URL(old).password
  cli.engine.answer = (_, { env = {} }) => {
    const isRefused = Object.values(env).includes(password)
    return { exitCode: isRefused ? 1 : 0, stdout: '', stderr: isRefused ? 'ERROR 1045 (28000): Access denied' : '' }
  }
  assert.match(await cli.ok('deploy', 'books'), /is up/)
  assert.notEqual((await cli.ok('env', 'books', '--url', '--inside')).trim(), old)
  assert.doesNotMatch(await cli.ok('show', 'books'), /^changes/m)
})

test('env prints the parts of the address', async () => {
  const words = 'create postgres wiki --project shop --user ann --database-name pages --ask-password --port 15440'
  const created = await cli.command(words.split(' '), { ...cli.env, BERTH_DATABASE_PASSWORD: 'p+w/d=0.' })
  assert.equal(created.status, 0, created.stderr)
  for (const [part, value] of Object.entries({ user: 'ann', password: 'p+w/d=0.', database: 'pages', port: '15440' })) {
    const { stdout, stderr } = await cli.command(['env', 'wiki', `--${part}`])
    assert.deepEqual([stdout, stderr], [`${value}\n`, ''], part)
  }
  assert.equal(await cli.ok('env', 'wiki', '--inside', '--host'), 'shop-wiki\n')
  const all = JSON.parse(await cli.ok('env', 'wiki', '--inside', '--json'))
  const { url, internalUrl, externalUrl, verifiedInternalUrl, verifiedExternalUrl, ...parts } = all
  const expected = { host: 'shop-wiki', port: '5432', user: 'ann', password: 'p+w/d=0.', database: 'pages' }
  assert.deepEqual(parts, { ...expected, rootPassword: null })
  assert.deepEqual([url, new URL(externalUrl).port], [internalUrl, '15440'])
  for (const verified of [verifiedInternalUrl, verifiedExternalUrl]) assert.match(verified, /sslmode=verify-full/)
  assert.match(await cli.ok('env', 'books', '--root-password'), /^[\w-]{24}\n$/)
  const rootless = await cli.command(['env', 'wiki', '--root-password'])
  assert.deepEqual([rootless.status, /shop\/wiki has no root password/.test(rootless.stderr)], [1, true])
  const two = await cli.command(['env', 'wiki', '--user', '--password'])
  assert.deepEqual([two.status, /--json prints all parts/.test(two.stderr)], [2, true])
})

test('env refuses a token that may not read passwords, and names the scope', async () => {
  for (const scope of ['read', 'deploy']) {
    const token = (await cli.ok('token', 'create', scope, '--scope', scope)).trim()
    const env = { ...cli.env, BERTH_TOKEN: token }
    for (const more of [[], ['--url'], ['--json'], ['--password']]) {
      const { status, stdout, stderr } = await cli.command(['env', 'wiki', ...more], env)
      assert.deepEqual([status, stdout], [4, ''])
      assert.match(
        stderr,
        /^error: This token may not read the password of shop\/wiki\n.*berth token create NAME --scope admin/,
      )
    }
    assert.equal((await cli.command(['env', 'wiki', '--user'], env)).stdout, 'ann\n')
  }
})

test('logs says that a database is stopped', async () => {
  await cli.ok('stop', 'wiki')
  const { status, stderr } = await cli.command(['logs', 'wiki'])
  assert.equal(status, 0)
  assert.equal(stderr, 'shop/wiki is stopped. The log of its last run may be gone. Start it: berth start shop/wiki\n')
})
