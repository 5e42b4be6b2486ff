/** Which server loads which dump of Redis and Valkey, and the scratch server of a drill. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { redisBackup } from './backup.ts'

const servers: [from: string, to: string, loads: boolean][] = [
  ['Redis 6.2.14', 'Redis 6.2', true],
  ['Redis 7.2.4', 'Redis 7.0', false],
  ['Redis 7.2.4', 'Redis 7.2', true],
  ['Redis 7.2.4', 'Redis 8.0', true],
  ['Redis 8.0.2', 'Redis 7.4', false],
  ['Redis 7.2.4', 'Valkey 7.2', true],
  ['Redis 7.2.4', 'Valkey 9.1', true],
  ['Redis 7.4.0', 'Valkey 9.1', false],
  ['Valkey 8.1.0', 'Redis 7.2', true],
  ['Valkey 8.1.0', 'Redis 7.0', false],
  ['Valkey 9.0.0', 'Redis 8.2', false],
  ['Valkey 9.1.2', 'Valkey 9.1', true],
  ['Valkey 9.1.2', 'Valkey 9.0', false],
]

const parts = (server: string) => server.split(' ') as [string, string]

for (const [dumped, server, expected] of servers) {
  test(`a dump of ${dumped} ${expected ? 'is loaded' : 'is refused'} by ${server}`, () => {
    const [[product, version], [toProduct, toVersion]] = [parts(dumped), parts(server)]
    assert.equal(redisBackup.loads!({ product, version }, { product: toProduct, version: toVersion }), expected)
    assert.equal(redisBackup.loads!({ product, version }, { product: toProduct, version: null }), true)
  })
}

test('a scratch server has as many databases as the dump', () => {
  const contents = (...names: string[]) => ({
    tables: Object.fromEntries(names.map((name) => [name, { rows: 1, checksum: '' }])),
    objects: {},
    roles: null,
    database: null,
  })
  assert.deepEqual(redisBackup.scratchServerArgs!(contents()), ['--databases', '16'])
  assert.deepEqual(redisBackup.scratchServerArgs!(contents('0 set', '99 list')), ['--databases', '100'])
})
