import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Database } from '../../../client/client.ts'
import { comparison, type DatabaseFilter, isShown, stateCounts, wordsOf } from './database-filter.ts'

const orders = {
  databaseId: 'd1',
  databaseType: 'postgres',
  name: 'orders',
  appName: 'shop-orders',
  projectId: 'p1',
  projectName: 'Shop',
  dockerImage: 'postgres:17',
  applicationStatus: 'done',
  containerState: 'running',
  pendingChanges: true,
  node: 'web-1',
  createdAt: '2026-01-01T00:00:00.000Z',
} as Database
const cache: Database = {
  ...orders,
  databaseType: 'redis',
  name: 'cache',
  applicationStatus: 'error',
  node: null,
  createdAt: '2026-01-02T00:00:00.000Z',
}
const none: DatabaseFilter = { search: '', kind: '', state: '', node: '', project: '' }

const filters: [Partial<DatabaseFilter>, boolean][] = [
  [{}, true],
  [{ search: 'shop/ord' }, true],
  [{ search: 'SHOP web-1 :17' }, true],
  [{ search: 'shop billing' }, false],
  [{ kind: 'postgres' }, true],
  [{ kind: 'redis' }, false],
  [{ state: 'up' }, true],
  [{ state: 'down' }, false],
  [{ state: 'changed' }, true],
  [{ state: 'unknown' }, false],
  [{ node: 'web-1' }, true],
  [{ node: 'web-2' }, false],
  [{ project: 'p2' }, false],
]

for (const [filter, expected] of filters) {
  test(`a database is ${expected ? '' : 'not '}shown with ${JSON.stringify(filter)}`, () => {
    assert.equal(isShown(orders, { ...none, ...filter }, wordsOf(filter.search ?? '')), expected)
  })
}

test('orders databases by state, kind, node and age', () => {
  const namesBy = (order: string) => [orders, cache].toSorted(comparison(order)!).map(({ name }) => name)
  assert.deepEqual(namesBy('state'), ['cache', 'orders'])
  assert.deepEqual(namesBy('kind'), ['orders', 'cache'])
  assert.deepEqual(namesBy('node'), ['orders', 'cache'])
  assert.deepEqual(namesBy('newest'), ['cache', 'orders'])
  assert.equal(comparison(''), null)
})

test('counts the databases of each state, the worst first', () => {
  assert.deepEqual(stateCounts([orders, orders, cache]), [
    { state: 'down', count: 1 },
    { state: 'up', count: 2 },
  ])
})
