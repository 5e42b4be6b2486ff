/** What the samplers of the kinds read from the answers of servers. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { kindNamed } from './index.ts'
import { answerEnd, type ServerFigures } from './sampler.ts'

const lines = (text: string) => text.split('\n')

const answers: [title: string, kind: string, lines: string[], expected: ServerFigures][] = [
  [
    'PostgreSQL with all figures',
    'postgres',
    ['7|100|123456|9000|1000|16777216|12.345'],
    {
      connections: 7,
      connectionsAllowed: 100,
      transactions: 123456,
      cacheHits: 9000,
      cacheMisses: 1000,
      replicationSlotBytes: 16777216,
      oldestTransactionSeconds: 12.345,
    },
  ],
  [
    'PostgreSQL without a replication slot',
    'postgres',
    ['0|100|1|0|0||0'],
    {
      connections: 0,
      connectionsAllowed: 100,
      transactions: 1,
      cacheHits: 0,
      cacheMisses: 0,
      oldestTransactionSeconds: 0,
    },
  ],
  ['PostgreSQL that answers an error', 'postgres', [], {}],
  ['text in place of numbers', 'postgres', ["'; drop|NaN|0x10|1e3|--|Infinity|-"], {}],
  [
    'MySQL',
    'mysql',
    lines(
      'Handler_commit\t40\nHandler_rollback\t2\nInnodb_buffer_pool_read_requests\t1000\nInnodb_buffer_pool_reads\t10\n' +
        'Threads_connected\t3\nmax_connections\t151',
    ),
    { connections: 2, connectionsAllowed: 151, transactions: 42, cacheHits: 990, cacheMisses: 10 },
  ],
  ['MariaDB without InnoDB', 'mariadb', lines('Handler_commit\t40\nThreads_connected\t1'), { connections: 0 }],
  [
    'Redis 8',
    'redis',
    lines(
      'OK\n# Clients\r\nconnected_clients:5\r\nmaxclients:10000\r\n# Stats\r\ntotal_commands_processed:77\r\n' +
        'keyspace_hits:8\r\nkeyspace_misses:2\r\nmaxclients\n10000',
    ),
    { connections: 4, connectionsAllowed: 10000, transactions: 77, cacheHits: 8, cacheMisses: 2 },
  ],
  [
    'an older Redis, which tells the limit only as a setting',
    'redis',
    lines('connected_clients:1\r\nmaxclients\n4000'),
    { connections: 0, connectionsAllowed: 4000 },
  ],
  [
    'MongoDB',
    'mongo',
    lines('connections 6\navailable 94\noperations 500\ncacheRequests 300\ncacheReads 30'),
    { connections: 6, connectionsAllowed: 100, transactions: 500, cacheHits: 270, cacheMisses: 30 },
  ],
  ['MongoDB without a cache', 'mongo', lines('connections 6\navailable NaN\ncacheRequests NaN'), { connections: 6 }],
]
for (const [title, kind, answer, expected] of answers) {
  test(`reads ${title}`, () => assert.deepEqual(kindNamed(kind).sampler!.figures(answer), expected))
}

test('each question ends with a statement that prints the end, on a line of its own', () => {
  for (const name of ['postgres', 'mysql', 'mariadb', 'redis']) {
    for (const version of ['9', '18', null]) {
      const question = kindNamed(name).sampler!.question!(version)
      assert.match(question.trimEnd().split('\n').at(-1)!, new RegExp(answerEnd), name)
      assert.ok(question.endsWith('\n'))
      assert.doesNotMatch(question, /\{\{|--/)
    }
  }
})

test('PostgreSQL 9 gets the names of its own functions', () => {
  const { question } = kindNamed('postgres').sampler!
  assert.match(question!('9'), /pg_xlog_location_diff\(pg_current_xlog_location\(\)/)
  assert.match(question!('17'), /pg_wal_lsn_diff\(pg_current_wal_lsn\(\)/)
})

test('PostgreSQL counts the connections of clients, and not the workers of autovacuum', () => {
  const { question } = kindNamed('postgres').sampler!
  assert.match(
    question!('17'),
    /^SELECT \(SELECT count\(\*\) FROM pg_stat_activity WHERE backend_type = 'client backend'/,
  )
  assert.doesNotMatch(question!('17'), /numbackends/)
})
