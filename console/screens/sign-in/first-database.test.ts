import assert from 'node:assert/strict'
import { test } from 'node:test'
import { correctionOf, createInput, hostNameOf } from './first-database.ts'

test('a host name has only what host names have', () => {
  const cases: [project: string, name: string, result: string][] = [
    ['shop', 'orders', 'shop-orders'],
    ['My Shop', 'Orders (new)', 'my-shop-orders-new'],
    ['Größe', 'a_b', 'gr-e-a_b'],
    ['x'.repeat(70), 'orders', 'x'.repeat(63)],
  ]
  for (const [project, name, result] of cases) assert.equal(hostNameOf(project, name), result)
})

test('each kind gets the fields that it needs', () => {
  const first = { project: 'shop', name: 'My Orders', image: 'x:1', externalPort: null }
  const common = {
    name: 'My Orders',
    appName: 'shop-my-orders',
    projectId: 'p',
    dockerImage: 'x:1',
    databasePassword: '',
  }
  const named = { databaseName: 'my_orders', databaseUser: 'my_orders' }
  assert.deepEqual(createInput({ ...first, kind: 'postgres' }, 'p'), { ...common, ...named })
  assert.deepEqual(createInput({ ...first, kind: 'mysql' }, 'p'), { ...common, ...named, databaseRootPassword: '' })
  assert.deepEqual(createInput({ ...first, kind: 'mongo' }, 'p'), { ...common, databaseUser: 'my_orders' })
  assert.deepEqual(createInput({ ...first, kind: 'redis', externalPort: 6379 }, 'p'), { ...common, externalPort: 6379 })
})

test('a name that begins with a digit becomes one that SQL takes', () => {
  const first = { kind: 'postgres' as const, project: 'p', name: '1st', image: 'x', externalPort: null }
  assert.equal((createInput(first, 'p') as { databaseName: string }).databaseName, 'db_1st')
})

test('a correction has only what differs', () => {
  const record = { dockerImage: 'postgres:17', externalPort: 5432 }
  const cases: [correction: { dockerImage: string; externalPort: string }, result: object][] = [
    [{ dockerImage: ' postgres:17', externalPort: '5432' }, {}],
    [
      { dockerImage: 'postgres:18', externalPort: '5433 ' },
      { dockerImage: 'postgres:18', externalPort: 5433 },
    ],
    [{ dockerImage: 'postgres:17', externalPort: '' }, { externalPort: null }],
    [{ dockerImage: 'postgres:17', externalPort: 'x' }, { externalPort: 'x' }],
  ]
  for (const [correction, result] of cases) assert.deepEqual(correctionOf(correction, record), result)
})
