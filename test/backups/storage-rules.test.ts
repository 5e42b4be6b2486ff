/** Objects and backups on storages that have the rules of several providers. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openBucket } from '../../src/lib/s3/s3.ts'
import { startBerth } from '../fixtures/harness.ts'
import { memoryBucket, type Rules } from './memory-bucket.ts'
import { openShop, type Run } from './restores.ts'
import { until } from '../engine/until.ts'

const MiB = 1024 ** 2

const profiles: Record<string, Rules> = {
  'equal parts': { equalParts: true },
  'checksums required': { checksumRequired: true },
  'checksums refused': { checksumRefused: true },
  versions: { versions: true },
  'versions that the key may not delete': { versions: true, versionsRefused: true },
  'requests refused with 429': { busyWith: 429 },
  'requests refused with 503': { busyWith: 503 },
}

async function* bytesOf(sizeBytes: number) {
  for (let left = sizeBytes; left > 0; left -= MiB) yield Buffer.alloc(Math.min(left, MiB), left & 255)
}

for (const [name, rules] of Object.entries(profiles)) {
  test(`writes, reads, lists, uploads and removes objects: ${name}`, async () => {
    await using storage = await memoryBucket(rules)
    using bucket = openBucket(storage.settings, { waitMs: 1 })
    await bucket.put('a/small', Buffer.from('text'))
    const { signal } = new AbortController()
    for (const sizeBytes of [0, 11 * MiB, 40 * MiB + 5]) {
      assert.deepEqual(await bucket.upload('a/large', bytesOf(sizeBytes), { signal }), { sizeBytes })
      const read = Buffer.concat(await Array.fromAsync(bucket.get('a/large')))
      assert.ok(read.equals(Buffer.concat(await Array.fromAsync(bytesOf(sizeBytes)))))
    }
    assert.deepEqual(
      (await bucket.list('a/', 10)).objects.map(({ key }) => key),
      ['a/large', 'a/small'],
    )
    assert.equal(await bucket.remove(['a/small', 'a/none']), rules.versionsRefused === true ? 'hidden' : 'gone')
    assert.equal(await bucket.head('a/small'), null)
    assert.deepEqual([...storage.uploads], [])
    if (rules.versions === true && rules.versionsRefused !== true) assert.deepEqual(storage.versions.get('a/small'), [])
  })
}

test('an upload that needs more parts than the storage allows is aborted, and fits with larger parts', async () => {
  await using storage = await memoryBucket({ equalParts: true, maxParts: 3 })
  using bucket = openBucket(storage.settings, { maxParts: 3 })
  const { signal } = new AbortController()
  const sizeBytes = 34 * MiB
  await assert.rejects(bucket.upload('large', bytesOf(sizeBytes), { signal }), {
    name: 'UploadOutgrown',
    sentBytes: 33 * MiB,
  })
  assert.deepEqual([[...storage.uploads], [...storage.objects]], [[], []])
  await bucket.upload('large', bytesOf(sizeBytes), { signal, expectedBytes: sizeBytes })
  assert.equal(storage.objects.get('large')?.length, sizeBytes)
})

test('a locked object is kept until its lock ends, and the others are removed', async () => {
  const lockedUntil = new Date(Date.now() + 3600_000)
  await using storage = await memoryBucket({ versions: true })
  using bucket = openBucket(storage.settings)
  await bucket.put('locked', Buffer.from('1'))
  storage.rules.lockedUntil = lockedUntil
  await assert.rejects(bucket.remove(['locked']), { name: 'ObjectLocked', until: lockedUntil })
  assert.ok(storage.objects.has('locked'))
  storage.rules.lockedUntil = new Date(Date.now() - 1)
  assert.equal(await bucket.remove(['locked']), 'gone')
  assert.deepEqual([...storage.objects], [])
})

test('the test of a destination says what its bucket keeps', async () => {
  const until = new Date(Date.now() + 3600_000)
  const cases: [rules: Rules, message: RegExp][] = [
    [{ versions: true }, /deleted it$/],
    [{ versions: true, versionsRefused: true }, /s3:DeleteObjectVersion.*lifecycle rule/],
    [{ versions: true, lockedUntil: until }, new RegExp(`locks its objects.*until ${until.toISOString()}`)],
  ]
  const berth = await startBerth()
  for (const [rules, expected] of cases) {
    await using storage = await memoryBucket(rules)
    const { status, body } = await berth.call('destination.testConnection', { name: 'test', ...storage.settings })
    assert.deepEqual([status, body.message], [200, (expected.exec(String(body.message)) ?? assert.fail()).input])
  }
  await berth.close()
})

test('retention deletes the versions of expired dumps, and waits for the end of their locks', async () => {
  await using shop = await openShop()
  const { rules, versions, objects } = shop.bucket
  rules.versions = true
  const backupId = await shop.backup('nightly', { keepLatest: 1 })
  const expired = () => shop.testBerth.app.db.selectFrom('expiredObject').selectAll().execute()
  const left = () => [...versions].filter(([, all]) => all.length > 0).length
  const untilLeft = (count: number) =>
    until(`${count} objects`, () => Promise.resolve(left() === count && objects.size === count ? true : null))
  for (let count = 0; count < 3; count++) {
    await shop.dump(backupId)
    // The dump and its manifest.
    await untilLeft(2)
  }
  rules.lockedUntil = new Date('2031-01-01')
  await shop.dump(backupId)
  const waiting = await until('the refused deletion', async () => {
    const [object] = await expired()
    return object === undefined || object.dueAt === object.since ? null : object
  })
  assert.deepEqual([left(), Date.parse(waiting.dueAt) - Date.parse(waiting.since) > 3500_000], [4, true])
  const [run] = await shop.testBerth.ok<Run[]>('backup.runs', { backupId })
  assert.deepEqual([run!.status, run!.reason], ['done', null], 'a locked dump is not a failure')
  rules.lockedUntil = new Date(0)
  shop.testBerth.pass(3601_000)
  await untilLeft(2)
  await until('the end of the record', async () => ((await expired()).length === 0 ? true : null))
})
