/** Tests of `berth apply` and `berth export` against a Berth with the in-memory engine. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { text } from 'node:stream/consumers'
import { after, test } from 'node:test'
import { certificateData, privateKey } from '../../fixtures/long-lived-certificate.ts'
import { fileText, secrets, startInstallation } from './fixture.ts'

const shop = await startInstallation()
after(() => shop[Symbol.asyncDispose]())

const documentation = readFileSync('docs/apply.md', 'utf8')

const all = async (operation: string) => (await shop.berth.call<Record<string, unknown>[]>(operation)).body
const idle = 'Nothing to do.\n'

test('prints a plan with --plan and changes nothing', async () => {
  const { status, stdout } = await shop.apply(fileText(), ['--plan'])
  assert.equal(status, 0)
  assert.match(stdout, /^\+ create destination offsite$/m)
  assert.match(stdout, /^\+ create database shop\/orders\n {4}kind: postgres\n {4}image: postgres:17$/m)
  assert.match(stdout, /^15 steps: 13 to create, 2 to deploy\.$/m)
  assert.deepEqual(await all('project.all'), [])
  assert.equal((await shop.apply(fileText(), ['--plan', '--exit-code'])).status, 7)
})

test('asks before it changes anything, and needs --yes without a terminal', async () => {
  const { status, stderr } = await shop.apply(fileText(), [])
  assert.deepEqual([status, /Confirm the plan with --yes/.test(stderr)], [2, true])
  assert.deepEqual(await all('project.all'), [])
})

test('names all missing variables at once, before anything is done', async () => {
  const { status, stderr } = await shop.apply(fileText(), ['--yes'], {
    ...secrets,
    SHOP_CACHE_PASSWORD: '',
    WEB_ALICE_PASSWORD: undefined,
  })
  assert.equal(status, 2)
  assert.match(stderr, /not set or empty: SHOP_CACHE_PASSWORD, WEB_ALICE_PASSWORD$/m)
  assert.deepEqual(await all('project.all'), [])
})

test('applies a file, and a second run plans nothing', async () => {
  const { status, stdout, stderr } = await shop.apply(fileText())
  assert.equal(status, 0, stderr)
  assert.match(stdout, /^done deploy database shop\/orders$/m)
  assert.match(stdout, /Everything is as the file says\.\n$/)
  const databases = await all('database.all')
  assert.deepEqual(
    databases.map(({ name, applicationStatus, externalPort }) => [name, applicationStatus, externalPort]),
    [
      ['orders', 'done', 15_432],
      ['users', 'idle', null],
      ['cache', 'done', null],
    ],
  )
  assert.equal((await shop.apply(fileText())).stdout, idle)
  assert.equal((await shop.apply(fileText(), ['--plan', '--exit-code'])).status, 0)
})

test('changes what differs, says what restarts, and leaves records that are not in the file', async () => {
  await shop.ok('create', 'redis', 'extra', '--project', 'shop', '--no-deploy')
  const text = fileText()
    .replace('memory: 512 MiB', 'memory: 1 GiB')
    .replace('keepLatest: 7', 'keepLatest: 14')
    .replace('state: stopped', 'state: running')
  const { status, stdout, stderr } = await shop.apply(text)
  assert.equal(status, 0, stderr)
  assert.match(
    stdout,
    /^~ change database shop\/orders\n {4}memory: 512 MiB → 1 GiB\n! deploy database shop\/orders \(restarts/m,
  )
  assert.match(stdout, /^> deploy database shop\/users$/m)
  assert.match(stdout, /^ {4}keepLatest: 7 → 14$/m)
  assert.match(stdout, /^Not in the file, and left as they are:\n {2}database shop\/extra$/m)
  assert.match((await shop.apply(text)).stdout, /Nothing to do\.\n$/)
  assert.equal((await shop.apply(fileText())).status, 0)
  assert.equal((await shop.command(['rm', 'extra', '--yes'])).status, 0)
})

test('plans with a token that can only read', async () => {
  const created = JSON.parse(await shop.ok('token', 'create', 'ci', '--scope', 'read', '--json')) as { token: string }
  const { stdout, stderr } = await shop.apply(fileText(), ['--plan'], { ...secrets, BERTH_TOKEN: created.token })
  assert.equal(stdout, idle, stderr)
})

test('changes a password that is given by a reference', async () => {
  const changed = { ...secrets, SHOP_USERS_PASSWORD: 'another-password-of-users' }
  const { status, stdout, stderr } = await shop.apply(fileText(), ['--yes'], changed)
  assert.equal(status, 0, stderr)
  assert.match(stdout, /^~ change database shop\/users\n {4}password: changes\n1 step: 1 to change\.$/m)
  const [users] = (await all('database.all')).filter(({ name }) => name === 'users')
  const record = await shop.berth.call('mysql.one', { mysqlId: users!.databaseId })
  assert.equal(record.body.databasePassword, changed.SHOP_USERS_PASSWORD)
  assert.equal((await shop.apply(fileText(), ['--yes'], changed)).stdout, idle)
  assert.equal((await shop.apply(fileText())).status, 0)
})

test('sends secrets that Berth does not show only when they are asked for', async () => {
  const changed = { ...secrets, WEB_ALICE_PASSWORD: 'another-password-of-alice' }
  assert.equal((await shop.apply(fileText(), ['--yes'], changed)).stdout, idle)
  const { stdout } = await shop.apply(fileText(), ['--yes', '--resend-secrets'], changed)
  assert.match(stdout, /^2 steps: 2 to change\.$/m)
})

test('never prints a secret, whatever happens', async () => {
  const texts = [fileText(), fileText('-new', 25_432), `${fileText()}\n  wrong: [`, fileText().replace('AKIA', 'a b')]
  const options = [['--plan'], ['--plan', '--json'], ['--yes', '--resend-secrets'], ['--yes', '--json']]
  const values = Object.values(secrets)
  for (const text of texts) {
    for (const args of options) {
      const { stdout, stderr } = await shop.apply(text, args)
      for (const value of values) assert.ok(!`${stdout}${stderr}`.includes(value), `${args.join(' ')} prints ${value}`)
    }
  }
  const exported = await shop.ok('export', 'all')
  for (const value of values) assert.ok(!exported.includes(value), `export prints ${value}`)
  await shop.berth.call('project.remove', { projectId: await projectId('shop-new'), cascade: true })
})

const projectId = async (name: string) => (await all('project.all')).find((each) => each.name === name)?.projectId

test('prints the plan as JSON', async () => {
  const { stdout } = await shop.apply(fileText().replace('@daily', '@hourly'), ['--plan', '--json'])
  assert.deepEqual(JSON.parse(stdout), {
    steps: [
      {
        action: 'change',
        subject: 'backup of shop/orders to offsite/shop-orders',
        operation: 'backup.update',
        isRestart: false,
        changes: [{ field: 'schedule', from: '@daily', to: '@hourly', isSecret: false }],
      },
    ],
    notInFile: [],
  })
})

test('stops at the first failure, says what remains, and goes on when it is run again', async () => {
  const blog = (port: number) => `berth: 1
projects:
  blog:
    databases:
      first: {kind: redis, image: redis:8, state: stopped}
      second: {kind: redis, image: redis:8, port: ${port}, state: stopped}
      third: {kind: redis, image: redis:8, state: stopped}`
  const { status, stderr } = await shop.apply(blog(15_432))
  assert.equal(status, 1)
  assert.match(
    stderr,
    /^2 of 4 steps are done\. These remain:\n {2}create database blog\/second\n {2}create database blog\/third$/m,
  )
  assert.match(stderr, /error: .*15432/)
  assert.match((await shop.apply(blog(15_433), ['--plan'])).stdout, /^2 steps: 2 to create\.$/m)
  assert.equal((await shop.apply(blog(15_440))).status, 0)
  assert.equal((await shop.apply(blog(15_440))).stdout, idle)
})

test('creates a record again that was removed after an earlier run', async () => {
  const text = 'berth: 1\nprojects: {short: {databases: {cache: {kind: redis, image: redis:8, state: stopped}}}}'
  for (let i = 0; i < 3; i++) {
    assert.equal((await shop.apply(text)).status, 0)
    assert.equal((await shop.apply(text)).stdout, idle)
    const input = { projectId: await projectId('short'), cascade: true }
    await shop.berth.call('project.remove', input, undefined, { prefer: 'wait=30' })
  }
})

test('creates a record again that was renamed after an earlier run', async () => {
  const text = `berth: 1
projects: {short: }
applications: {short: {redirects: [{regex: ^http://a, replacement: https://a.example}]}}`
  const own = async () => (await all('redirects.all')).filter(({ applicationId }) => applicationId === 'short')
  assert.equal((await shop.apply(text)).status, 0)
  const [{ redirectId } = {}] = await own()
  const changed = { redirectId, regex: '^http://b', replacement: 'https://a.example', permanent: false }
  await shop.berth.call('redirects.update', changed)
  await shop.berth.call('project.update', { projectId: await projectId('short'), name: 'long' })
  assert.match((await shop.apply(text)).stdout, /^2 steps: 2 to create\.$/m)
  assert.match((await shop.apply(text)).stdout, /Nothing to do\.\n$/)
  assert.deepEqual(
    (await own()).map(({ regex }) => regex),
    ['^http://b', '^http://a'],
  )
  for (const name of ['short', 'long']) await shop.berth.call('project.remove', { projectId: await projectId(name) })
})

test('creates no record twice when two runs happen at once', async () => {
  const text = fileText('-twice', 35_432)
  await Promise.all([1, 2, 3].map(() => shop.apply(text)))
  const { status, stderr } = await shop.apply(text)
  assert.equal(status, 0, stderr)
  assert.equal((await shop.apply(text)).stdout, idle)
  const records = [...(await all('project.all')), ...(await all('destination.all'))]
  assert.equal(records.filter(({ name }) => String(name).endsWith('-twice')).length, 2)
  assert.equal((await all('redirects.all')).filter(({ applicationId }) => applicationId === 'web-twice').length, 2)
  await shop.berth.call('project.remove', { projectId: await projectId('shop-twice'), cascade: true })
})

test('refuses a name that is ambiguous, and does nothing', async () => {
  for (let i = 0; i < 2; i++) await shop.berth.call('project.create', { name: 'double' })
  const { status, stderr } = await shop.apply('berth: 1\nprojects: {double: , other: }')
  assert.deepEqual([status, /project double: 2 records have this name/.test(stderr)], [1, true])
  assert.equal(await projectId('other'), undefined)
  const exported = await shop.command(['export', 'all'])
  assert.deepEqual([exported.status, /Two records are called project double/.test(exported.stderr)], [1, true])
  for (let i = 0; i < 2; i++) await shop.berth.call('project.remove', { projectId: await projectId('double') })
})

test('uploads a certificate, and replaces it when it differs', async () => {
  const text = 'berth: 1\ncertificates: {sweep: {certificate: "${env:PEM}", privateKey: "${env:KEY}"}}'
  for (const each of [text, text.replace('KEY}"', 'KEY}", autoRenew: true')]) {
    const { status, stderr } = await shop.apply(each, ['--yes'], { PEM: certificateData, KEY: privateKey })
    assert.equal(status, 0, stderr)
    assert.equal((await shop.apply(each, ['--yes'], { PEM: certificateData, KEY: privateKey })).stdout, idle)
    assert.equal((await all('certificates.all')).length, 1)
  }
})

test('exports a project that applies without a change', async () => {
  const exported = await shop.ok('export', 'project', 'shop')
  assert.match(
    exported,
    /^# {3}SHOP_ORDERS_PASSWORD +the password of shop\/orders \(berth env shop\/orders --password\)$/m,
  )
  assert.equal((await shop.apply(exported)).stdout, idle)
  const unknown = await shop.command(['export', 'project', 'shoop'])
  assert.deepEqual([unknown.status, /There is no project 'shoop'/.test(unknown.stderr)], [3, true])
})

test('reads the file from standard input', async () => {
  const args = ['--disable-warning=ExperimentalWarning', 'cli/main.ts', 'apply', '-f', '-', '--plan']
  const env = { ...process.env, ...shop.access, ...secrets, XDG_CONFIG_HOME: shop.folder }
  const child = spawn(process.execPath, args, { env, stdio: ['pipe', 'pipe', 'inherit'] })
  child.stdin.end(fileText())
  assert.equal(await text(child.stdout), idle)
})

test('exports everything: applied to an empty installation, it gives the same export', async () => {
  await using other = await startInstallation()
  const exported = await shop.ok('export', 'all')
  assert.match(exported, /^certificates:\n {2}sweep:$/m)
  const names = [...exported.matchAll(/\$\{env:(\w+)\}/g)].map(([, name]) => [name, 'any-password'])
  const env = {
    ...Object.fromEntries(names),
    ...secrets,
    SWEEP_CERTIFICATE: certificateData,
    SWEEP_PRIVATE_KEY: privateKey,
  }
  const { status, stderr } = await other.apply(exported, ['--yes'], env)
  assert.equal(status, 0, stderr)
  assert.equal(await other.ok('export', 'all'), exported)
  assert.equal((await other.apply(exported, ['--yes'], env)).stdout, idle)
})

test('applies the example of the documentation', async () => {
  await using other = await startInstallation()
  const [, example] = /```yaml\n([\s\S]*?)```/.exec(documentation)!
  const variables = [...documentation.matchAll(/([A-Z0-9_]+)=(\S+)/g)].map(([, name, value]) => [name, value])
  const env = Object.fromEntries(variables)
  const { status, stderr } = await other.apply(example!, ['--yes'], env)
  assert.equal(status, 0, stderr)
  assert.equal((await other.apply(example!, ['--yes'], env)).stdout, idle)
})
