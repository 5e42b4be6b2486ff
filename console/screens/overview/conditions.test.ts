import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Condition, inOrder, remedyOf } from './conditions.ts'

const databaseOf = (backupId: string) => (backupId === 'b1' ? 'd1' : undefined)

const cases: [Condition['subjectKind'], string, string | null][] = [
  ['database', 'd2', '/databases/d2/state'],
  ['backup', 'b1', '/databases/d1/backups'],
  ['backup', 'b2', null],
  ['node', 'n1', '/nodes'],
  ['hostName', 'shop.example.org', '/certificates'],
  ['installation', 'installation', '/state'],
]

for (const [subjectKind, subjectId, href] of cases) {
  test(`a condition of the ${subjectKind} ${subjectId} leads to ${href ?? 'no screen'}`, () => {
    assert.equal(remedyOf({ name: 'DatabaseDown', subjectKind, subjectId }, databaseOf)?.href ?? null, href)
  })
}

test('a lost account leads to the action that makes it again', () => {
  const condition = { name: 'DatabaseRightsLost', subjectKind: 'database', subjectId: 'd2' } as const
  assert.equal(remedyOf(condition, databaseOf)?.href, '/databases/d2/danger')
})

test('orders critical conditions first, and newer ones before older ones', () => {
  const conditions = [
    { severity: 'warning', since: '3' },
    { severity: 'critical', since: '1' },
    { severity: 'critical', since: '2' },
  ] as const
  assert.deepEqual(
    inOrder(conditions).map(({ since }) => since),
    ['2', '1', '3'],
  )
})
