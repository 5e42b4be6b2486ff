/** Conditions that samples show: when they begin, change and end, and when they stay as they are. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { DatabaseValues, NodeValues } from '../samples/sample.ts'
import type { ConditionTable, Severity } from './table.ts'
import { isUnmeasured, namedDatabases, type Past, usageFindings } from './usage.ts'

const now = new Date('2030-01-01T00:00:00.000Z')
const databases = [{ id: 'db1', name: 'orders', projectId: 'p1' }]
const nodes = [{ id: 'n1', name: 'web-1', projectId: null }]

const latestOf = (database: DatabaseValues, node: NodeValues = {}, at = now) => ({
  at,
  databases: new Map([['db1', database]]),
  nodes: new Map([['n1', node]]),
})

const nodeNames: ReadonlySet<string> = new Set(['DiskFilling', 'ClockOff'])
const noPast: Past = { dayMaxBytes: new Map(), idle: new Map() }

const present = (name: string, subjectId: string, severity: Severity = 'warning') =>
  ({ id: 'c', name, subjectId, subjectKind: subjectId === 'db1' ? 'database' : 'node', severity }) as ConditionTable

const found = (latest: ReturnType<typeof latestOf> | null, rows: ConditionTable[] = [], dayMaxBytes = 0) =>
  usageFindings(
    { latest, databases, nodes, past: { ...noPast, dayMaxBytes: new Map([['db1', dayMaxBytes]]) } },
    rows,
    now,
  ).map(({ name, severity }) => `${name} ${severity}`)

const disk = (part: number): NodeValues => ({ diskBytes: 1000, diskUsedBytes: part * 1000 })
const memory = (part: number): DatabaseValues => ({ memoryLimitBytes: 1000, memoryBytes: part * 1000 })
const connected = (connections: number): DatabaseValues => ({ connections, connectionsAllowed: 100 })

const disks: [part: number, before: Severity | null, expected: string[]][] = [
  [0.79, null, []],
  [0.8, null, ['DiskFilling warning']],
  [0.76, 'warning', ['DiskFilling warning']],
  [0.74, 'warning', []],
  [0.76, null, []],
  [0.9, 'warning', ['DiskFilling critical']],
  [0.86, 'critical', ['DiskFilling critical']],
  [0.86, 'warning', ['DiskFilling warning']],
  [0.84, 'critical', ['DiskFilling warning']],
  [1, null, ['DiskFilling critical']],
]
for (const [part, before, expected] of disks) {
  test(`a disk of which ${part * 100} % is used, after ${before ?? 'no condition'}: ${expected[0] ?? 'none'}`, () => {
    const rows = before === null ? [] : [present('DiskFilling', 'n1', before)]
    assert.deepEqual(found(latestOf({}, disk(part)), rows), expected)
  })
}

test('memory near its limit is a warning, and without a limit there is none', () => {
  assert.deepEqual(found(latestOf(memory(0.89))), [])
  assert.deepEqual(found(latestOf(memory(0.95))), ['MemoryNearLimit warning'])
  assert.deepEqual(found(latestOf(memory(0.86)), [present('MemoryNearLimit', 'db1')]), ['MemoryNearLimit warning'])
  assert.deepEqual(found(latestOf({ memoryBytes: 1e12 })), [])
})

const mebibyte = 2 ** 20
const sizes: [now: number, dayMax: number, isPresent: boolean, isFound: boolean][] = [
  [499, 1000, false, true],
  [501, 1000, false, false],
  [599, 1000, true, true],
  [601, 1000, true, false],
  [100, 255, false, false],
  [1000, 1000, false, false],
]
for (const [size, before, isPresent, isFound] of sizes) {
  test(`${size} of ${before} MiB of data, ${isPresent ? 'with' : 'without'} a condition: ${isFound}`, () => {
    const rows = isPresent ? [present('DataShrunk', 'db1')] : []
    const expected = isFound ? ['DataShrunk warning'] : []
    assert.deepEqual(found(latestOf({ volumeBytes: size * mebibyte }), rows, before * mebibyte), expected)
  })
}

test('an idle database is a warning', () => {
  const idle = { hours: 6, perSecond: 40.4 }
  const past = { ...noPast, idle: new Map([['db1', idle]]) }
  assert.deepEqual(namedDatabases(latestOf({ up: 1 }), past, []), ['db1'])
  const [finding] = usageFindings({ latest: latestOf({ up: 1 }), databases, nodes, past }, [], now)
  assert.deepEqual(
    [finding!.name, finding!.severity, finding!.reason],
    ['NoTransactions', 'warning', { reason: 'Idle', hours: 6, perSecond: 40 }],
  )
})

test('connections near their limit are a warning, then critical', () => {
  assert.deepEqual(found(latestOf(connected(79))), [])
  assert.deepEqual(found(latestOf(connected(80))), ['ConnectionsNearLimit warning'])
  assert.deepEqual(found(latestOf(connected(95))), ['ConnectionsNearLimit critical'])
  assert.deepEqual(found(latestOf({ connections: 5, connectionsAllowed: 0 })), [])
})

test('a clock that is off in either direction is a warning', () => {
  const clock = (clockOffsetSeconds: number) => found(latestOf({}, { clockOffsetSeconds }))
  assert.deepEqual([clock(4.9), clock(-4.9)], [[], []])
  assert.deepEqual([clock(5), clock(-7200)], [['ClockOff warning'], ['ClockOff warning']])
})

test('the reasons have steps of five per cent, so that they change seldom', () => {
  const reasonAt = (part: number) =>
    usageFindings({ latest: latestOf(memory(part)), databases, nodes, past: noPast }, [], now)[0]!.reason
  assert.deepEqual(reasonAt(0.939), { reason: 'MemoryUsed', percent: 90, limitBytes: 1000 })
  assert.deepEqual(reasonAt(0.91), reasonAt(0.939))
})

test('conditions stay as they are before the first samples, with old samples, and while a database is not measured', () => {
  const row = present('MemoryNearLimit', 'db1')
  const facts = { databases, nodes, past: noPast }
  const old = latestOf(memory(0.1), {}, new Date(now.getTime() - 600_000))
  assert.deepEqual([found(null, [row]), found(old, [row])], [[], []])
  assert.ok(isUnmeasured({ ...facts, latest: null }, row, now))
  assert.ok(isUnmeasured({ ...facts, latest: old }, row, now))
  assert.ok(isUnmeasured({ ...facts, latest: { ...latestOf({}), databases: new Map() } }, row, now))
  assert.ok(!isUnmeasured({ ...facts, latest: latestOf(memory(0.1)) }, row, now))
  const stopped = { ...facts, latest: { ...latestOf({}), databases: new Map() }, databases: [] }
  assert.ok(!isUnmeasured(stopped, row, now))
  assert.ok(!isUnmeasured({ ...facts, latest: null }, present('DatabaseDown', 'db1'), now))
})

type Known = [database: DatabaseValues | null, node: NodeValues | null, past: Partial<Past>]
const kept: [title: string, name: string, values: Known, isKept: boolean][] = [
  ['a node that is not measured', 'DiskFilling', [null, null, {}], true],
  ['a node whose disk is not measured', 'DiskFilling', [null, { clockOffsetSeconds: 0 }, {}], true],
  ['a disk that is measured', 'DiskFilling', [null, disk(0.1), {}], false],
  ['a node that is not measured', 'ClockOff', [null, null, {}], true],
  ["Berth's own node, whose clock is not compared", 'ClockOff', [null, disk(0.1), {}], false],
  ['a server that does not answer', 'ConnectionsNearLimit', [{ up: 0, memoryBytes: 1 }, null, {}], true],
  ['connections that are measured', 'ConnectionsNearLimit', [connected(1), null, {}], false],
  ['a server that is down', 'MemoryNearLimit', [{ up: 0 }, null, {}], true],
  ['memory without a limit any more', 'MemoryNearLimit', [{ memoryBytes: 1 }, null, {}], false],
  ['data that is not counted yet', 'DataShrunk', [{ up: 1 }, null, { dayMaxBytes: new Map([['db1', 1e9]]) }], true],
  ['data without a known past', 'DataShrunk', [{ volumeBytes: 1e9 }, null, {}], true],
  ['data that is counted', 'DataShrunk', [{ volumeBytes: 1e9 }, null, { dayMaxBytes: new Map([['db1', 1e9]]) }], false],
  ['a day without data', 'DataShrunk', [{ up: 1 }, null, { dayMaxBytes: new Map([['db1', 0]]) }], false],
  ['a database without a known past', 'NoTransactions', [{ up: 1 }, null, {}], true],
  ['a database that is not idle', 'NoTransactions', [{ up: 1 }, null, { idle: new Map([['db1', null]]) }], false],
]
for (const [title, name, [database, node, past], isKept] of kept) {
  test(`${title}: ${name} ${isKept ? 'stays as it is' : 'ends'}`, () => {
    const row = present(name, nodeNames.has(name) ? 'n1' : 'db1')
    const latest = {
      at: now,
      databases: new Map(database === null ? [] : [['db1', database]]),
      nodes: new Map(node === null ? [] : [['n1', node]]),
    }
    const facts = { latest, databases, nodes, past: { ...noPast, ...past } }
    assert.deepEqual(usageFindings(facts, [row], now), [])
    assert.equal(isUnmeasured(facts, row, now), isKept)
    assert.ok(!isUnmeasured({ ...facts, databases: [], nodes: [] }, row, now), 'stopped or removed')
    assert.ok(!isUnmeasured({ ...facts, databases: [], nodes: [], latest: null }, row, now), 'without samples')
  })
}

test('only databases near a limit or with a condition need their names', () => {
  assert.deepEqual(namedDatabases(latestOf(connected(10)), noPast, []), [])
  assert.deepEqual(namedDatabases(latestOf(connected(70)), noPast, []), ['db1'])
  assert.deepEqual(namedDatabases(null, noPast, [present('MemoryNearLimit', 'db1'), present('DiskFilling', 'n1')]), [
    'db1',
  ])
})
