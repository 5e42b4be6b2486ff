/** Destinations of the kind sftp: their fields, their host key, and a dump, a check, a restore and retention on them. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Input } from '../fixtures/test-berth.ts'
import { until } from '../engine/until.ts'
import { type MemorySftp, memorySftp } from './memory-sftp.ts'
import { openShop, row, type Shop } from './restores.ts'

const mask = '********'
let shop: Shop
let server: MemorySftp
before(async () => {
  shop = await openShop()
  server = await memorySftp()
})
after(async () => {
  await shop[Symbol.asyncDispose]()
  await server[Symbol.asyncDispose]()
})

/** The fields of a destination on the test server. */
const fields = (more: Input = {}): Input => ({
  name: 'sftp',
  kind: 'sftp',
  endpoint: `127.0.0.1:${server.settings.port}`,
  bucket: '/backups',
  accessKey: 'berth',
  secretAccessKey: server.settings.secret,
  region: '',
  hostKey: server.settings.hostKey,
  ...more,
})

interface Refused extends Input {
  message: string
  issues: { path: string; message: string }[]
}

async function refusedField(name: string, input: Input, status = 400): Promise<Refused> {
  const answer = await shop.testBerth.call(name, input)
  const body = answer.body as Refused
  assert.equal(answer.status, status, JSON.stringify(body))
  return body
}

const create = (more: Input = {}) => shop.testBerth.ok<Input>('destination.create', fields(more))

test('answers what was stored, and masks the password', async () => {
  const created = await create()
  const { destinationId, createdAt } = created
  assert.deepEqual(created, { ...fields(), secretAccessKey: mask, destinationId, createdAt })
  assert.deepEqual(await shop.testBerth.ok('destination.one', { destinationId }), created)
  // A client that does not know the kind keeps it, and the host key.
  const { kind: _, hostKey: __, ...known } = created as Input
  const renamed = await shop.testBerth.ok('destination.update', { ...known, name: 'renamed' })
  assert.deepEqual(renamed, { ...created, name: 'renamed' })
})

test('a stored password is not sent to another server', async () => {
  const { createdAt: _, ...created } = await create()
  for (const other of [{ endpoint: '127.0.0.1:2222' }, { kind: 's3', hostKey: null }]) {
    const changed = { ...created, ...other }
    const isS3 = 'kind' in other
    const input = isS3 ? { ...changed, bucket: 'backups', endpoint: 'https://s3.example.org' } : changed
    for (const name of ['destination.update', 'destination.testConnection']) {
      const { issues } = await refusedField(name, input)
      assert.deepEqual(
        issues.map(({ path }) => path),
        ['secretAccessKey'],
      )
    }
  }
})

const invalid: Record<string, unknown[]> = {
  endpoint: ['', 'https://host', 'user@host', 'host/path', 'host:0', 'host:99999', 'a b', 'sftp://u:p@host', '-host'],
  bucket: ['', 'relative', '/a/../b', '/a//b', '/a/', '/./a', '/a\0b'],
  accessKey: ['', 'a b', 'a:b', 'a\nb', 'x'.repeat(256)],
  secretAccessKey: ['', 'two\nlines', 'x'.repeat(1001)],
  region: ['eu'],
  hostKey: ['', 'MD5:aa', 'SHA256:short', `SHA256:${'a'.repeat(44)}`],
}

test('names each field that SFTP does not accept', async () => {
  for (const [field, values] of Object.entries(invalid)) {
    for (const value of values) {
      const { issues } = await refusedField('destination.create', fields({ [field]: value }))
      assert.deepEqual([...new Set(issues.map(({ path }) => path))], [field], `${field} = ${JSON.stringify(value)}`)
    }
  }
  const { issues } = await refusedField('destination.create', fields({ endpoint: '169.254.169.254' }))
  assert.deepEqual([issues[0]?.path, /metadata/.test(issues[0]!.message)], ['endpoint', true])
  for (const endpoint of ['backup.example.org', '[::1]:2222', '::1', 'sftp://10.0.0.7:22', '10.0.0.7']) {
    await create({ endpoint })
  }
})

test('without a host key, nothing is stored, and the test answers the key that the server shows', async () => {
  const logins = server.logins.length
  for (const hostKey of [undefined, null]) {
    assert.equal((await refusedField('destination.create', fields({ hostKey }))).issues[0]?.path, 'hostKey')
    const { issues, message } = await refusedField('destination.testConnection', fields({ hostKey }))
    assert.deepEqual([issues[0]?.path, message.includes(server.settings.hostKey!)], ['hostKey', true])
    const report = await shop.testBerth.ok<Input>('destination.testConnection', fields({ hostKey, report: true }))
    assert.equal(report.hostKey, server.settings.hostKey)
    assert.deepEqual(
      (report.checks as { check: string; result: string }[]).find(({ result }) => result === 'failed')?.check,
      'connect',
    )
  }
  assert.equal(server.logins.length, logins, 'the password was not sent')
})

test('the test writes, reads, lists and deletes an object, and names the field at fault', async () => {
  const { message, hostKey } = await shop.testBerth.ok<Input>('destination.testConnection', fields({ report: true }))
  assert.deepEqual([message, hostKey], ['Wrote a probe object, read it back, listed it and deleted it', undefined])
  const cases: [more: Input, path: string, status: number][] = [
    [{ secretAccessKey: 'a-wrong-password' }, 'secretAccessKey', 400],
    [{ bucket: '/none' }, 'bucket', 400],
    [{ hostKey: `SHA256:${'a'.repeat(43)}` }, 'hostKey', 400],
    [{ endpoint: '127.0.0.1:9' }, 'endpoint', 502],
  ]
  for (const [more, path, status] of cases) {
    const { issues } = await refusedField('destination.testConnection', fields(more), status)
    assert.deepEqual(
      issues.map((issue) => issue.path),
      [path],
    )
  }
  assert.deepEqual([...server.files], [])
})

test('dumps are checked, listed, downloaded, restored and expired as on S3', async () => {
  const { destinationId } = await create()
  const backupId = await shop.backup('nightly', { destinationId, keepLatest: 1 })
  const first = await shop.dump(backupId)
  assert.deepEqual([first.status, first.reason], ['done', null])
  const path = `/backups/${first.key}`
  assert.deepEqual([...server.files.keys()].sort(), [path, `${path}.json`])
  const files = await shop.testBerth.ok<{ key: string }[]>('backup.files', { destinationId })
  assert.deepEqual(
    files.map(({ key }) => key),
    [first.key, `${first.key}.json`],
  )
  const url = await refusedField('backup.url', { runId: first.runId }, 412)
  assert.match(url.message, /backup\.download/)
  shop.data.text = row(7)
  const restore = await shop.restore({ destinationId, key: first.key })
  assert.deepEqual([(await shop.waitForEnd(restore.runId)).reason, shop.data.text], [null, row(1)])
  const second = await shop.dump(backupId)
  assert.equal(second.status, 'done')
  await until('the deletion of the expired dump', () => Promise.resolve(server.files.has(path) ? null : true))
  assert.ok(server.files.has(`/backups/${second.key}`))
})

test('a dump to a server with another host key fails, and says so', async () => {
  const { destinationId } = await create()
  const backupId = await shop.backup('weekly', { destinationId })
  server.changeHostKey()
  const { status, reason } = await shop.dump(backupId)
  assert.deepEqual([status, /host key SHA256:.* but the destination has SHA256:/.test(reason ?? '')], ['error', true])
})
