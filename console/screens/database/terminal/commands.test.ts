import assert from 'node:assert/strict'
import { test } from 'node:test'
import { terminalCommands } from './commands.ts'

test('each product has a session, a tunnel and, if it has dumps, a dump', () => {
  const commands = (kind: 'postgres' | 'mongo' | 'redis') =>
    terminalCommands(kind, 'shop/orders').map(({ command }) => command)
  assert.deepEqual(commands('postgres'), [
    'berth psql shop/orders',
    'berth tunnel shop/orders',
    'berth dump shop/orders --output database.dump',
  ])
  assert.deepEqual(commands('mongo'), [
    'berth mongosh shop/orders',
    'berth tunnel shop/orders',
    'berth dump shop/orders --database DATABASE --output database.archive',
  ])
  assert.deepEqual(commands('redis'), ['berth redis-cli shop/orders', 'berth tunnel shop/orders'])
})
