import assert from 'node:assert/strict'
import { test } from 'node:test'
import { entryOf, matching, withRecent } from './palette-entries.ts'

const entries = [
  entryOf('Databases', 'screen', '/databases'),
  entryOf('shop/old-orders', 'PostgreSQL, up', '/databases/1'),
  entryOf('shop/orders', 'PostgreSQL, down', '/databases/2'),
]
const found = (query: string, recent: string[] = []) => matching(entries, query, recent).map(({ href }) => href)

test('finds entries by all words, also by kind and state', () => {
  assert.deepEqual(found('shop postgresql'), ['/databases/1', '/databases/2'])
  assert.deepEqual(found('orders down'), ['/databases/2'])
  assert.deepEqual(found('nothing'), [])
})

test('names that begin with the word come first', () => {
  assert.deepEqual(found('orders'), ['/databases/2', '/databases/1'])
})

test('recent entries come first while nothing is typed; what was removed is left out', () => {
  assert.deepEqual(found('', ['/databases/2', '/databases/9']), [
    '/databases/2',
    '/databases',
    ...['/databases/1', '/databases/2'],
  ])
  assert.equal(matching(entries, '', ['/databases/2'])[0]!.group, 'PostgreSQL, down · recent')
})

test('keeps the last six addresses, each once', () => {
  assert.deepEqual(withRecent(['/a', '/b'], '/b'), ['/b', '/a'])
  assert.equal(withRecent(['/1', '/2', '/3', '/4', '/5', '/6'], '/7').length, 6)
})
