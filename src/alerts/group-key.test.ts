/** The causes of conditions. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ConditionReason } from '../conditions/reason.ts'
import type { ConditionName, SubjectKind } from '../conditions/table.ts'
import { toJson } from '../lib/json.ts'
import { groupKey } from './group-key.ts'

const nodes = new Map([['web-2', 'node2']])
const destinations = new Map([['backup1', 'bucket1']])
const storage = { reason: 'StorageFailed', fault: 'unreachable', detail: 'no route' } as const
const failed = (cause: object | null) =>
  ({ reason: 'RunFailed', runId: 'run1', at: '2030-01-01T00:00:00.000Z', cause }) as ConditionReason
const down = (cause: object | null) => ({ reason: 'DatabaseDown', cause }) as ConditionReason

const cases: [
  title: string,
  name: ConditionName,
  kind: SubjectKind,
  id: string,
  reason: ConditionReason,
  key: string,
][] = [
  ['a node', 'NodeDown', 'node', 'node2', { reason: 'NodeNotReady', state: 'down' }, 'node node2'],
  [
    'a database on a lost node',
    'DatabaseDown',
    'database',
    'db1',
    down({ reason: 'NodeDown', node: 'web-2' }),
    'node node2',
  ],
  [
    'a database on a node that is gone',
    'DatabaseDown',
    'database',
    'db1',
    down({ reason: 'NodeMissing', node: 'x' }),
    'node x',
  ],
  ['a database alone', 'DatabaseDown', 'database', 'db1', down(null), 'down database db1'],
  [
    'another cause',
    'DatabaseDown',
    'database',
    'db1',
    down({ reason: 'TaskExited', exitCode: 1 }),
    'down database db1',
  ],
  ['a destination', 'DestinationUnreachable', 'destination', 'bucket1', { ...storage, at: '' }, 'destination bucket1'],
  ['a backup without its storage', 'BackupFailed', 'backup', 'backup1', failed(storage), 'destination bucket1'],
  ['a backup that failed otherwise', 'BackupFailed', 'backup', 'backup1', failed(null), 'BackupFailed backup backup1'],
  ['a removed backup', 'BackupFailed', 'backup', 'backup2', failed(storage), 'BackupFailed backup backup2'],
]
for (const [title, name, subjectKind, subjectId, reason, key] of cases) {
  test(`the cause of ${title} is ${key}`, () => {
    const row = { name, subjectKind, subjectId, subjectName: 'x', reason: toJson(reason) }
    assert.equal(groupKey(row, nodes, destinations), key)
  })
}
