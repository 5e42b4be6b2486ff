/** Tests of the fields that `berth create` and `berth set` take: credentials, variables, command and label. */
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { until } from '../engine/until.ts'
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

test('places a new database by a label of the node', async () => {
  await cli.ok('create', 'postgres', 'labelled', '--project', 'shop', '--label', 'disk=ssd', '--no-deploy')
  assert.equal((await record('labelled')).nodeLabel, 'disk=ssd')
  await cli.ok('set', 'labelled', '--label', 'none')
  assert.equal((await record('labelled')).nodeLabel, null)
})

test('sets who may connect to the port, and shows what is enforced of it', async () => {
  const shown = async () => /^sources\s+(.*)$/m.exec(await cli.ok('show', 'limited'))?.[1]
  const words = 'create redis limited --project shop --allow-from 203.0.113.7 --allow-from 198.51.100.0/24'
  await cli.ok(...words.split(' '), '--no-deploy')
  assert.deepEqual((await record('limited')).allowedSources, ['203.0.113.7/32', '198.51.100.0/24'])
  assert.equal(await shown(), undefined, 'nobody connects to a database without a port')
  await cli.ok('set', 'limited', '--port', '26379', '--no-deploy')
  assert.equal(await shown(), '203.0.113.7/32, 198.51.100.0/24; not enforced')
  await cli.ok('deploy', 'limited')
  assert.match((await shown()) ?? '', /^203\.0\.113\.7\/32, 198\.51\.100\.0\/24; enforced for \d+ s$/)
  assert.match(
    await cli.ok('show', 'limited'),
    /^certificate\tends in \d+ d; (?:not served yet|served for \d+ s); for shop-limited/m,
  )
  const [gateway] = cli.engine.gateways.values()
  Object.assign(gateway!, { refused: 9, refusedSources: ['203.0.113.9 86390000 3', '203.0.113.8 86390000 1'] })
  await until('the refused sources', async () => {
    cli.berth.app.wake('sources')
    return /; refused attempts: 9; in the last 24 hours: 203\.0\.113\.9 \(3\), 203\.0\.113\.8 \(1\)$/.test(
      (await shown()) ?? '',
    )
  })
  const everyone = await cli.ok('set', 'limited', '--allow-from', 'everyone')
  assert.equal(everyone, 'Changed shop/limited. Its port accepts connections from everyone.\n')
  assert.deepEqual((await record('limited')).allowedSources, [])
  assert.match((await shown()) ?? '', /^open to everyone(;|$)/)
  const ofProject = await cli.ok('set', 'limited', '--allow-from', 'project')
  assert.match(ofProject, /Its port accepts connections from everyone \(the list of the project\)\.$/m)
  assert.equal((await record('limited')).allowedSources, null)
  assert.match((await shown()) ?? '', /^open to everyone \(the list of the project\)/)
  const networks = Array.from({ length: 12 }, (_, n) => ['--allow-from', `10.0.${n}.0/24`]).flat()
  await cli.ok('set', 'limited', ...networks)
  assert.match((await shown()) ?? '', /10\.0\.9\.0\/24 and 2 more \(--json\); /)
})

test('a change that needs no deploy does not deploy an earlier change', async () => {
  await cli.ok('create', 'redis', 'waiting', '--project', 'shop')
  await cli.ok('set', 'waiting', '--memory', '256MiB', '--no-deploy')
  const { lastDeployedAt } = await record('waiting')
  const changed = await cli.ok('set', 'waiting', '--allow-from', '203.0.113.7/24', '--description', 'sessions')
  const sources = 'A published port will accept connections from 203.0.113.0/24.'
  assert.equal(changed, `Changed shop/waiting. ${sources} Deploy the change: berth deploy shop/waiting\n`)
  assert.deepEqual((await record('waiting')).lastDeployedAt, lastDeployedAt)
  assert.equal(await cli.ok('set', 'waiting', '--cpu', '1'), 'shop/waiting is up again.\n')
  assert.notEqual((await record('waiting')).lastDeployedAt, lastDeployedAt)
})

test('a change back to the deployed value after a failed deploy is deployed', async () => {
  await cli.ok('create', 'postgres', 'mended', '--project', 'shop', '--image', 'postgres:17')
  const failed = await cli.command(['set', 'mended', '--image', 'no-such-image:1'])
  assert.deepEqual([failed.status, (await record('mended')).applicationStatus], [1, 'error'], failed.stderr)
  const kept = await cli.ok('set', 'mended', '--image', 'postgres:17', '--no-deploy')
  assert.equal(kept, 'Changed shop/mended. Deploy the change: berth deploy shop/mended\n')
  assert.equal((await record('mended')).pendingChanges, false)
  assert.equal(await cli.ok('set', 'mended', '--description', 'orders'), 'Changed shop/mended.\n')
  assert.equal(await cli.ok('set', 'mended', '--image', 'postgres:17'), 'shop/mended is up.\n')
  assert.equal((await record('mended')).applicationStatus, 'done')
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

test('sets TLS and the names in the certificate, and shows the certificate', async () => {
  const words = 'create postgres verified --project shop --tls require --tls-name db.example.org --tls-name 192.0.2.7'
  await cli.ok(...words.split(' '), '--no-deploy')
  const { tls, tlsNames } = await record('verified')
  assert.deepEqual([tls, tlsNames], ['require', ['db.example.org', '192.0.2.7']])
  await cli.ok('set', 'verified', '--tls', 'allow', '--tls-name', 'none')
  assert.deepEqual((await record('verified')).tlsNames, [])
  assert.match(await cli.ok('show', 'verified'), /^tls\sallow$/m)
  await cli.ok('set', 'verified', '--tls', 'off')
  assert.match(await cli.ok('show', 'verified'), /^tls\soff$/m)
})

test('prints the URL with which a client verifies the server, and says if there is none', async () => {
  await cli.ok('set', 'verified', '--tls', 'require')
  const url = await cli.ok('env', 'verified', '--url', '--verified')
  assert.match(url, /sslmode=verify-full&sslrootcert=ca\.pem$/m)
  assert.doesNotMatch(await cli.ok('env', 'verified', '--url'), /sslmode/)
  const all = JSON.parse(await cli.ok('env', 'verified', '--json')) as Record<string, unknown>
  assert.deepEqual([all.verifiedInternalUrl, all.verifiedExternalUrl], [url.trimEnd(), null])
  await cli.ok('set', 'verified', '--tls', 'off')
  const { status, stderr } = await cli.command(['env', 'verified', '--verified'])
  assert.deepEqual([status, /shop\/verified has no TLS/.test(stderr)], [1, true], stderr)
})

test('refuses options that do not fit, and changes nothing', async () => {
  const before = await record('orders')
  const refusals: [args: string, text: RegExp][] = [
    ['create redis x --project shop --user ann', /--user cannot be used: databases of the kind redis/],
    ['create mongo x --project shop --database-name sales', /--database-name cannot be used/],
    ['create postgres x --project shop --ask-root-password', /--ask-root-password cannot be used/],
    ['create postgres x --project new --ask-password', /Without a terminal, set BERTH_DATABASE_PASSWORD/],
    ['set orders --env TZ', /Write NAME=value/],
    ['set orders --tls maybe', /allow, require/],
    ['set orders --tls-name none --tls-name a.example', /cannot be combined/],
    ['set orders --allow-from everyone --allow-from 10.0.0.0/8', /--allow-from everyone cannot be combined/],
    ['set orders --allow-from 10.0.0.0/8 --allow-from project', /--allow-from project cannot be combined/],
    ['set orders --allow-from localhost', /must be an address or a network/],
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
