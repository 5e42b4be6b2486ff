/** Until when a condition is muted. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { MuteTable } from '../../store/schema.ts'
import { mutedUntil } from './mutes.ts'

const mute = (changes: Partial<MuteTable>): MuteTable => ({
  id: 'm',
  subjectKind: 'database',
  subjectId: 'db1',
  condition: null,
  until: '2030-01-02T00:00:00.000Z',
  createdAt: '2030-01-01T00:00:00.000Z',
  ...changes,
})
const later = '2030-01-03T00:00:00.000Z'

const table: [title: string, mutes: MuteTable[], expected: string | null][] = [
  ['nothing is muted', [], null],
  ['its record is muted', [mute({})], mute({}).until],
  ['it is muted', [mute({ condition: 'DatabaseDown' })], mute({}).until],
  ['another condition is muted', [mute({ condition: 'DatabaseDrifted' })], null],
  ['another record is muted', [mute({ subjectId: 'db2' })], null],
  ['a record of another kind with its id is muted', [mute({ subjectKind: 'node' })], null],
  ['it is muted, and its record for longer', [mute({ condition: 'DatabaseDown' }), mute({ until: later })], later],
]
for (const [title, mutes, expected] of table) {
  test(`${title}: ${expected}`, () => {
    const condition = { subjectKind: 'database', subjectId: 'db1', name: 'DatabaseDown' } as const
    assert.equal(mutedUntil(mutes, condition), expected)
  })
}
