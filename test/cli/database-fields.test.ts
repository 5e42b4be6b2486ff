/** Tests of the fields that `berth create` and `berth set` take: credentials, variables, command and label. */
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { startCommandLine } from './cli-fixture.ts'

const cli = await startCommandLine()
after(() => cli[Symbol.asyncDispose]())

const record = async (name: string) => JSON.parse(await cli.ok('show', name, '--json')) as Record<string, unknown>

test('creates a database with credentials, variables and a command of its own', async () => {
  const file = join(cli.folder, 'variables')
  writeFileSync(file, '# of the server\nTZ=UTC\n')
  const words = 'create mysql orders --project shop --no-deploy --user ann --database-name sales --ask-password'
  const secrets = { BERTH_DATABASE_PASSWORD: 'a-password', BERTH_DATABASE_ROOT_PASSWORD: 'a-root-password' }
  const created = await cli.command(
    [...words.split(' '), '--ask-root-password', '--env-file', file, '--command', '--max-connections=50'],
    { ...cli.env, ...secrets },
  )
  assert.equal(created.status, 0, created.stderr)
  const { databaseUser, databaseName, databasePassword, databaseRootPassword, env, command } = await record('orders')
  assert.deepEqual([databaseUser, databaseName], ['ann', 'sales'])
  assert.deepEqual([databasePassword, databaseRootPassword], ['a-password', 'a-root-password'])
  assert.deepEqual([env, command], ['# of the server\nTZ=UTC\n', '--max-connections=50'])
})

test('changes single variables and keeps the others', async () => {
  await cli.ok('set', 'orders', '--env', 'LANG=C', '--env', 'MOTTO=it is "so"', '--unset', 'TZ')
  assert.equal((await record('orders')).env, `LANG=C\nMOTTO='it is "so"'`)
  await cli.ok('set', 'orders', '--unset', 'LANG', '--unset', 'MOTTO', '--command', 'none')
  const { env, command } = await record('orders')
  assert.deepEqual([env, command], [null, null])
})

test('reads files with a byte order mark, and in UTF-16, and refuses other bytes', async () => {
  const file = join(cli.folder, 'from-windows')
  const lines = '\ufeffMOTTO=größer\r\nTZ=\tUTC\r\n'
  for (const bytes of [Buffer.from(lines), Buffer.from(lines, 'utf16le'), Buffer.from(lines, 'utf16le').swap16()]) {
    writeFileSync(file, bytes)
    await cli.ok('set', 'orders', '--env-file', file, '--env', 'LANG=C')
    assert.equal((await record('orders')).env, `MOTTO='größer'\nTZ=UTC\nLANG=C`)
  }
  writeFileSync(file, Buffer.from('MOTTO=größer', 'latin1'))
  const { status, stderr } = await cli.command(['set', 'orders', '--env-file', file])
  assert.deepEqual([status, /is not text in UTF-8 or UTF-16\. Save it as UTF-8/.test(stderr)], [2, true], stderr)
  await cli.ok('set', 'orders', '--unset', 'MOTTO', '--unset', 'TZ', '--unset', 'LANG')
})

test('places a new database by a label of the node', async () => {
  await cli.ok('create', 'postgres', 'labelled', '--project', 'shop', '--label', 'disk=ssd', '--no-deploy')
  assert.equal((await record('labelled')).nodeLabel, 'disk=ssd')
  await cli.ok('set', 'labelled', '--label', 'none')
  assert.equal((await record('labelled')).nodeLabel, null)
})

test('stores the password that the server accepts after somebody has changed it there', async () => {
  await cli.ok('create', 'postgres', 'changed', '--project', 'shop')
  cli.engine.answer = (_, { env = {} }) => {
    const isAccepted = Object.values(env).includes('set-by-hand')
    return { exitCode: isAccepted ? 0 : 2, stdout: '', stderr: isAccepted ? '' : 'password authentication failed' }
  }
  const mended = await cli.command(['set', 'changed', '--ask-password'], {
    ...cli.env,
    BERTH_DATABASE_PASSWORD: 'set-by-hand',
  })
  assert.deepEqual([mended.status, mended.stdout], [0, 'shop/changed is up again.\n'], mended.stderr)
  assert.match(await cli.ok('env', 'changed', '--url', '--inside'), /:set-by-hand@/)
})

test('refuses options that do not fit, and changes nothing', async () => {
  const before = await record('orders')
  const refusals: [args: string, text: RegExp][] = [
    ['create redis x --project shop --user ann', /--user cannot be used: databases of the kind redis/],
    ['create mongo x --project shop --database-name sales', /--database-name cannot be used/],
    ['create postgres x --project shop --ask-root-password', /--ask-root-password cannot be used/],
    ['create postgres x --project new --ask-password', /Without a terminal, set BERTH_DATABASE_PASSWORD/],
    ['set orders --env TZ', /Write NAME=value/],
    ['set orders --unset TZ', /there is no variable TZ/],
    ['set orders --env-file /does/not/exist', /cannot be read/],
  ]
  for (const [args, text] of refusals) {
    const { status, stderr } = await cli.command(args.split(' '))
    assert.deepEqual([status, text.test(stderr)], [2, true], stderr)
  }
  assert.deepEqual(await record('orders'), before)
  assert.doesNotMatch(await cli.ok('project', 'ls'), /^new\s/m)
})
