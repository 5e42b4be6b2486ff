import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  createCommand,
  createInput,
  type NewDatabaseValues,
  suggestedAppName,
  suggestedDatabaseName,
} from './new-input.ts'

const empty: NewDatabaseValues = {
  ...{ kind: 'postgres', projectId: '', projectName: '', name: 'orders', appName: '', dockerImage: 'postgres:17' },
  ...{ registryId: '', databaseName: '', databaseUser: '', databasePassword: '', databaseRootPassword: '' },
  ...{ externalPort: '', node: '', nodeLabel: '', memoryReservation: '', memoryLimit: '', cpuReservation: '' },
  ...{ cpuLimit: '', startTimeout: '', command: '', env: '', description: '' },
}

const appNames: [string, string, string][] = [
  ['shop', 'orders', 'shop-orders'],
  ['My Shop', 'Orders (new)', 'my-shop-orders-new'],
  ['', 'orders', 'orders'],
  ['é', 'ü', ''],
  ['a'.repeat(62), 'b', 'a'.repeat(62)],
]
for (const [project, name, expected] of appNames) {
  test(`suggests the host name "${expected}" for "${project}" and "${name}"`, () => {
    assert.equal(suggestedAppName(project, name), expected)
  })
}

test('suggests names of databases that need no quotes', () => {
  assert.deepEqual(['orders', 'My orders', '7 days', '__x__'].map(suggestedDatabaseName), [
    ...['orders', 'my_orders', 'days', 'x'],
  ])
})

test('leaves out what is empty, and lets Berth make random passwords', () => {
  assert.deepEqual(createInput(empty, 'p1', 'shop'), {
    ...{ name: 'orders', appName: 'shop-orders', projectId: 'p1', dockerImage: 'postgres:17' },
    ...{ databaseName: 'orders', databaseUser: 'orders', databasePassword: '' },
  })
})

test('sends only the credentials that the kind has', () => {
  const { databaseName, databaseUser, databasePassword } = createInput(
    { ...empty, kind: 'redis', databaseUser: 'ada' },
    'p1',
    'shop',
  ) as Record<string, string>
  assert.deepEqual([databaseName, databaseUser, databasePassword], [undefined, undefined, ''])
})

test('sends numbers as numbers, and leaves it to Berth to refuse other texts', () => {
  const input: Record<string, unknown> = createInput({ ...empty, memoryLimit: '512', cpuLimit: 'two' }, 'p1', 'shop')
  assert.deepEqual([input.memoryLimit, input.cpuLimit], [512, 'two'])
})

test('shows a command only if the command line has all options', () => {
  assert.equal(
    createCommand({ ...empty, externalPort: '15432' }, 'my shop'),
    "berth create postgres orders --project 'my shop' --image postgres:17 --port 15432",
  )
  assert.equal(createCommand({ ...empty, nodeLabel: 'disk=ssd' }, 'shop'), null)
})
