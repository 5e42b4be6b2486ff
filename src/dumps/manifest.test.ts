/** The keys of objects, and the parsing of manifests. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { folderOf, keyOf, type Manifest, manifestKeyOf, readManifest } from './manifest.ts'

const keyParts = {
  prefix: 'nightly',
  appName: 'shop-db',
  database: 'shop',
  runId: 'r1',
  extension: 'dump.zst',
  at: new Date('2026-11-22T03:00:00.123Z'),
}

const keys: [what: string, parts: Partial<typeof keyParts>, key: string][] = [
  ['plain names', {}, 'nightly/shop-db/shop/20261122T030000Z-r1.dump.zst'],
  [
    'a prefix with leading, trailing and double slashes',
    { prefix: '/a//b/' },
    'a/b/shop-db/shop/20261122T030000Z-r1.dump.zst',
  ],
  ['a prefix that is only a slash', { prefix: '/' }, 'shop-db/shop/20261122T030000Z-r1.dump.zst'],
  [
    'a database name that is a path',
    { database: '../../etc' },
    'nightly/shop-db/..%2F..%2Fetc/20261122T030000Z-r1.dump.zst',
  ],
  [
    'a database name with special characters',
    { database: 'a b\'"$(x)é' },
    'nightly/shop-db/a%20b%27%22%24%28x%29%C3%A9/20261122T030000Z-r1.dump.zst',
  ],
]
for (const [what, parts, key] of keys) {
  test(`returns the key for ${what}`, () => assert.equal(keyOf({ ...keyParts, ...parts }), key))
}

const prefixes = ['', '/', 'nightly', '/a//b/', 'prod (eu)', "team's", ' a / b ', '*!', 'é/+&=?#', '..', '%28']
for (const prefix of prefixes) {
  test(`returns the folder of the keys with the prefix ${JSON.stringify(prefix)}`, () => {
    assert.equal(keyOf({ ...keyParts, prefix }), `${folderOf(prefix)}shop-db/shop/20261122T030000Z-r1.dump.zst`)
  })
}

const manifest: Manifest = {
  format: 1,
  kind: 'postgres',
  appName: 'shop-db',
  image: 'postgres:15',
  serverVersion: '15',
  settings: { databaseName: 'shop' },
  server: null,
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

test('reads a valid manifest, and returns its key', () => {
  assert.deepEqual(readManifest(JSON.stringify(manifest)), manifest)
  assert.equal(manifestKeyOf('a/b.zst'), 'a/b.zst.json')
})

test('returns null for a text that is not a manifest', () => {
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
