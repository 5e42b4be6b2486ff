/** Keys sort by time and are safe wherever they go; a manifest is taken only whole. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { folderOf, keyOf, type Manifest, manifestKeyOf, readManifest } from './manifest.ts'

const named = {
  prefix: 'nightly',
  appName: 'shop-db',
  database: 'shop',
  runId: 'r1',
  extension: 'dump.zst',
  at: new Date('2026-11-22T03:00:00.123Z'),
}

const keys: [what: string, given: Partial<typeof named>, key: string][] = [
  ['plain names', {}, 'nightly/shop-db/shop/20261122T030000Z-r1.dump.zst'],
  ['slashes around and twice in a prefix', { prefix: '/a//b/' }, 'a/b/shop-db/shop/20261122T030000Z-r1.dump.zst'],
  ['a prefix of a slash alone', { prefix: '/' }, 'shop-db/shop/20261122T030000Z-r1.dump.zst'],
  ['a path as a database', { database: '../../etc' }, 'nightly/shop-db/..%2F..%2Fetc/20261122T030000Z-r1.dump.zst'],
  [
    'whatever a name may be',
    { database: 'a b\'"$(x)é' },
    'nightly/shop-db/a%20b%27%22%24%28x%29%C3%A9/20261122T030000Z-r1.dump.zst',
  ],
]
for (const [what, given, key] of keys) {
  test(`the key of ${what}`, () => assert.equal(keyOf({ ...named, ...given }), key))
}

const prefixes = ['', '/', 'nightly', '/a//b/', 'prod (eu)', "team's", ' a / b ', '*!', 'é/+&=?#', '..', '%28']
for (const prefix of prefixes) {
  test(`the keys with the prefix ${JSON.stringify(prefix)} lie in the folder that is listed`, () => {
    assert.equal(keyOf({ ...named, prefix }), `${folderOf(prefix)}shop-db/shop/20261122T030000Z-r1.dump.zst`)
  })
}

const manifest: Manifest = {
  format: 1,
  kind: 'postgres',
  appName: 'shop-db',
  image: 'postgres:15',
  serverVersion: '15',
  settings: { databaseName: 'shop' },
  database: 'shop',
  runId: 'r1',
  startedAt: '2026-11-22T03:00:00.000Z',
  finishedAt: '2026-11-22T03:00:01.000Z',
  sizeBytes: 10,
  sha256: 'a'.repeat(64),
  rawBytes: 20,
  encryptedFor: null,
  contents: { tables: { t: { rows: 1, checksum: 'x' } }, objects: {}, roles: null, database: null },
}

test('a manifest comes back as it was written', () => {
  assert.deepEqual(readManifest(JSON.stringify(manifest)), manifest)
  assert.equal(manifestKeyOf('a/b.zst'), 'a/b.zst.json')
})

test('what is no manifest is none', () => {
  const texts = [
    '',
    'null',
    '[]',
    '{',
    JSON.stringify({ ...manifest, format: 2 }),
    JSON.stringify({ ...manifest, sha256: 'x' }),
    JSON.stringify({ ...manifest, kind: undefined }),
  ]
  for (const text of texts) assert.equal(readManifest(text), null, text)
})
