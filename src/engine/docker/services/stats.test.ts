import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ApiStats } from '../transport/api.ts'
import { usageFrom } from './stats.ts'

const sample = (more: Partial<ApiStats>): ApiStats => ({
  read: '2030-01-01T00:00:02.000000000Z',
  preread: '2030-01-01T00:00:01.000000000Z',
  cpu_stats: { cpu_usage: { total_usage: 2_500_000_000 } },
  precpu_stats: { cpu_usage: { total_usage: 1_000_000_000 } },
  memory_stats: { usage: 1000 },
  ...more,
})
const noTime = '0001-01-01T00:00:00Z'

const table: [what: string, ApiStats, ReturnType<typeof usageFrom>][] = [
  ['time used by time passed', sample({}), { cpuCores: 1.5, memoryBytes: 1000 }],
  ['in two seconds', sample({ read: '2030-01-01T00:00:03.0Z' }), { cpuCores: 0.75, memoryBytes: 1000 }],
  [
    'a container that started again',
    sample({ cpu_stats: { cpu_usage: { total_usage: 1 } } }),
    { cpuCores: 0, memoryBytes: 1000 },
  ],
  [
    'the first version of control groups',
    sample({ memory_stats: { usage: 1000, stats: { total_inactive_file: 300, inactive_file: 1 } } }),
    { cpuCores: 1.5, memoryBytes: 700 },
  ],
  [
    'the second',
    sample({ memory_stats: { usage: 1000, stats: { inactive_file: 400 } } }),
    { cpuCores: 1.5, memoryBytes: 600 },
  ],
  [
    'more cache than is used',
    sample({ memory_stats: { usage: 1000, stats: { inactive_file: 4000 } } }),
    { cpuCores: 1.5, memoryBytes: 0 },
  ],
  ['a container that ended', sample({ read: noTime, preread: noTime, memory_stats: {} }), null],
  ['one sample alone', sample({ preread: noTime }), null],
  ['no memory measured', sample({ memory_stats: {} }), null],
]

for (const [what, it, usage] of table) test(what, () => assert.deepEqual(usageFrom(it), usage))
