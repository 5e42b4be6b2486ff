/** Tests of the commands for rights by project: members, invitations and tokens with projects. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { startCommandLine } from './cli-fixture.ts'

const cli = await startCommandLine()
after(() => cli[Symbol.asyncDispose]())
await cli.ok('project', 'create', 'shop')
await cli.ok('project', 'create', 'blog')
const { email, token } = await cli.berth.user()
const asUser = { BERTH_URL: cli.url, BERTH_TOKEN: token }

test('lists, adds, changes and removes members', async () => {
  const none = await cli.command(['project', 'members', 'shop'])
  assert.match(none.stderr, /shop has no members/)
  const added = await cli.ok('project', 'add-member', 'shop', email, '--role', 'viewer')
  assert.equal(added, `${email} is viewer of shop.\n`)
  assert.match(await cli.ok('project', 'members', 'shop'), new RegExp(`^${email}\tviewer\t`, 'm'))
  assert.equal(await cli.ok('project', 'set-role', 'shop', email, '--role', 'owner'), `${email} is owner of shop.\n`)
  assert.equal(await cli.ok('project', 'rm-member', 'shop', email), `${email} is no member of shop any more.\n`)
  const gone = await cli.command(['project', 'rm-member', 'shop', email])
  assert.deepEqual([gone.status, /There is no member/.test(gone.stderr)], [3, true])
})

test('names the roles, and needs one', async () => {
  const wrong = await cli.command(['project', 'add-member', 'shop', email, '--role', 'develper'])
  assert.deepEqual([wrong.status, /Did you mean developer\?/.test(wrong.stderr)], [2, true])
  assert.equal((await cli.command(['project', 'add-member', 'shop', email])).status, 2)
})

test('takes back the reach of all projects, and gives it again', async () => {
  await cli.ok('project', 'add-member', 'blog', email, '--role', 'viewer')
  const taken = await cli.ok('user', 'reach', email, 'projects')
  assert.equal(taken, `${email} reaches only the 1 project of which it is a member.\n`)
  const { stdout } = await cli.command(['project', 'ls'], asUser)
  assert.deepEqual(/^blog\t/m.test(stdout) && !/^shop\t/m.test(stdout), true, stdout)
  const refused = await cli.command(['project', 'rename', 'blog', 'log'], asUser)
  assert.equal(refused.status, 4, refused.stderr)
  assert.equal(await cli.ok('user', 'reach', email, 'all'), `${email} reaches all projects.\n`)
  assert.equal((await cli.command(['user', 'reach', email, 'none'])).status, 2)
})

test('tells a viewer which role the password and a tunnel need, and a token which scope', async () => {
  await cli.ok('create', 'redis', 'cache', '--project', 'blog')
  await cli.ok('user', 'reach', email, 'projects')
  for (const command of ['env cache', 'env cache --url', 'tunnel cache']) {
    const refused = await cli.command(command.split(' '), asUser)
    assert.equal(refused.status, 4, refused.stderr)
    assert.match(refused.stderr, /needs the role developer in the project blog, and yours is viewer\n/, command)
    assert.match(refused.stderr, /berth project set-role blog EMAIL --role developer\n$/, command)
  }
  await cli.ok('user', 'reach', email, 'all')
  const reader = (await cli.ok('token', 'create', 'reader', '--scope', 'read')).trim()
  const refused = await cli.command(['tunnel', 'cache'], { ...asUser, BERTH_TOKEN: reader })
  assert.match(refused.stderr, /^error: This token may not open sessions\n.*berth token create NAME --scope admin/)
})

test('invites a person to some projects', async () => {
  const invite = [
    'user',
    'invite',
    'eve@example.org',
    '--json',
    '--project',
    'shop:developer',
    '--project',
    'blog:viewer',
  ]
  const { projects } = JSON.parse(await cli.ok(...invite)) as { projects: { role: string }[] }
  assert.deepEqual(
    projects.map(({ role }) => role),
    ['developer', 'viewer'],
  )
  assert.match(await cli.ok('user', 'ls'), /^eve@example\.org\tuser\t2\t/m)
  for (const wrong of ['shop', 'shop:develper', ':viewer']) {
    const { status, stderr } = await cli.command(['user', 'invite', 'dan@example.org', '--project', wrong])
    assert.deepEqual([status, /must be a project and a role, like shop:developer/.test(stderr)], [2, true], stderr)
  }
  assert.equal((await cli.command(['user', 'invite', 'dan@example.org', '--project', 'nowhere:viewer'])).status, 3)
})

test('creates a token for one project', async () => {
  const created = await cli.ok('token', 'create', 'ci', '--scope', 'read', '--project', 'shop')
  const env = { BERTH_URL: cli.url, BERTH_TOKEN: created.trim() }
  const { stdout } = await cli.command(['project', 'ls'], env)
  assert.deepEqual(/^shop\t/m.test(stdout) && !/^blog\t/m.test(stdout), true, stdout)
  assert.match(await cli.ok('token', 'ls'), /^ci\tread\t1\t/m)
})
