import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Reach } from '../api/reach/reach.ts'
import { changesRights, isReadable, readableEvents } from './filter.ts'
import type { EventTable } from './table.ts'

const event = (more: Partial<EventTable>): EventTable => ({
  seq: 1,
  at: '2030-01-01T00:00:00.000Z',
  kind: 'project',
  recordId: 'record',
  change: 'changed',
  projectId: null,
  adminOnly: 0,
  data: '{}',
  ...more,
})
const shop: Reach = new Map([['shop', 'viewer']])
const all = { rol: 'user', accountId: 'ada', reach: 'all' } as const
const admin = { ...all, rol: 'admin' } as const
const member = { ...all, reach: shop } as const

const cases: [string, Partial<EventTable>, { admin: boolean; all: boolean; member: boolean }][] = [
  ['a project in reach', { projectId: 'shop' }, { admin: true, all: true, member: true }],
  ['another project', { projectId: 'bakery' }, { admin: true, all: true, member: false }],
  ['no project', { kind: 'registry' }, { admin: true, all: true, member: false }],
  ['a destination', { kind: 'destination' }, { admin: true, all: true, member: true }],
  ['a node', { kind: 'node', adminOnly: 1 }, { admin: true, all: false, member: false }],
  ['the own account', { kind: 'account', adminOnly: 1, recordId: 'ada' }, { admin: true, all: true, member: true }],
  ['another account', { kind: 'account', adminOnly: 1, recordId: 'bob' }, { admin: true, all: false, member: false }],
  ['for administrators only', { projectId: 'shop', adminOnly: 1 }, { admin: true, all: false, member: false }],
]

for (const [about, fields, expected] of cases) {
  test(`who may read an event about ${about}`, () => {
    const readers = { admin, all, member }
    for (const [name, reader] of Object.entries(readers)) {
      assert.equal(isReadable(event(fields), reader), expected[name as keyof typeof readers], name)
    }
  })
}

test('changes of the own account and of its memberships may change the rights, but not those of administrators', () => {
  const changing = (recordId: string, reader: typeof admin | typeof all | typeof member) =>
    (['account', 'member', 'project'] as const).filter((kind) => changesRights(event({ kind, recordId }), reader))
  assert.deepEqual(changing('ada', member), ['account', 'member'])
  assert.deepEqual(changing('ada', all), ['account'])
  for (const [id, reader] of [['ada', admin] as const, ['bob', member] as const])
    assert.deepEqual(changing(id, reader), [])
})

test('a database that leaves the reach is removed for the reader, without its fields', () => {
  const moved = event({ kind: 'database', projectId: 'shop', data: '{"name":"secret","projectId":"bakery"}' })
  const stays = { ...moved, data: '{"name":"orders","projectId":"shop"}' }
  assert.deepEqual(readableEvents([moved, stays], member), [{ ...moved, change: 'removed', data: '{}' }, stays])
  assert.deepEqual(readableEvents([moved], all), [moved])
})
