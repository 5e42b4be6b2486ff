import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Condition, inOrder, remedyOf } from './conditions.ts'

const databaseOf = (backupId: string) => (backupId === 'b1' ? 'd1' : undefined)

const cases: [Condition['subjectKind'], string, string | null][] = [
  ['database', 'd2', '/databases/d2/state'],
  ['backup', 'b1', '/databases/d1/backups'],
  ['backup', 'b2', null],
  ['node', 'n1', '/nodes'],
  ['port', 'o1', '/applications'],
  ['hostName', 'shop.example.org', '/certificates'],
  ['installation', 'installation', '/state'],
]

for (const [subjectKind, subjectId, href] of cases) {
  test(`a condition of the ${subjectKind} ${subjectId} leads to ${href ?? 'no screen'}`, () => {
    assert.equal(remedyOf({ subjectKind, subjectId }, databaseOf)?.href ?? null, href)
  })
}

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
