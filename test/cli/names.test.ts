/** Tests of names that collide or need quotes, and of sizes. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { shellLine } from '../../shared/shell-word.ts'
import { splitShellWords } from '../../src/lib/text/shell-words.ts'
import { startCommandLine } from './cli-fixture.ts'

const cli = await startCommandLine()
after(() => cli[Symbol.asyncDispose]())

test('quotes the name of a database in a hint', async () => {
  const output = await cli.ok('create', 'postgres', 'bad name!', '--project', 'shop', '--no-deploy')
  assert.equal(output, "Created shop/bad name!. Start it: berth deploy 'shop/bad name!'\n")
})

test('a name that begins with a dash follows two dashes', async () => {
  const name = '-o tmp'
  for (const line of [shellLine`project create ${name}`, shellLine`project rename ${name} ${'-p'}`]) {
    await cli.ok(...splitShellWords(line))
  }
  assert.match(await cli.ok('project', 'ls'), /^-p\b/m)
  await cli.ok(...splitShellWords(shellLine`project rm ${'-p'}${['--yes']}`))
})

test('lists databases of one name with their appNames, which all commands take', async () => {
  const { projectId } = (JSON.parse(await cli.ok('project', 'ls', '--json')) as { projectId: string }[])[0]!
  await cli.ok('create', 'redis', 'twin', '--project', 'shop', '--no-deploy')
  await cli.ok(
    'api',
    'redis.create',
    '--name',
    'twin',
    '--projectId',
    projectId,
    '--appName',
    'twin-2',
    '--databasePassword',
    '',
  )
  assert.match(
    await cli.ok('ls', '--search', 'twin'),
    /^shop\/twin \(shop-twin\)\tredis.*\nshop\/twin \(twin-2\)\tredis/,
  )
  const { status, stderr } = await cli.command(['show', 'shop/twin'])
  assert.deepEqual([status, /\nUse a name in parentheses, such as shop-twin\n$/.test(stderr)], [2, true])
  assert.match(await cli.ok('show', 'twin-2'), /^name\s+shop\/twin$/m)
})

test('takes sizes of the memory as a file of berth apply does', async () => {
  await cli.ok('create', 'redis', 'sized', '--project', 'shop', '--memory', '512MB', '--no-deploy')
  const sizes = { '1GiB': 1024, '1.5 GiB': 1536, '256 MiB': 256, '300': 300, none: null }
  const limit = async () => JSON.parse(await cli.ok('show', 'sized', '--json')).memoryLimit
  assert.equal(await limit(), 512)
  for (const [text, expected] of Object.entries(sizes)) {
    await cli.ok('set', 'sized', '--memory', text)
    assert.equal(await limit(), expected, text)
  }
})

test('says that a database without a volume has no data', async () => {
  const asked = await cli.command(['rm', 'twin-2'])
  assert.match(asked.stderr, /This removes shop\/twin\. It has no data, because it was never deployed\./)
  assert.equal(await cli.ok('rm', 'twin-2', '-y', '--delete-data'), 'Removed shop/twin.\n')
})
