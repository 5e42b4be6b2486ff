import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ApiStats } from '../transport/api.ts'
import { usageFrom } from './stats.ts'

const sample = (changes: Partial<ApiStats>): ApiStats => ({
  read: '2030-01-01T00:00:02.000000000Z',
  preread: '2030-01-01T00:00:01.000000000Z',
  cpu_stats: { cpu_usage: { total_usage: 2_500_000_000 } },
  precpu_stats: { cpu_usage: { total_usage: 1_000_000_000 } },
  memory_stats: { usage: 1000 },
  ...changes,
})
const noTime = '0001-01-01T00:00:00Z'

const cases: [title: string, ApiStats, ReturnType<typeof usageFrom>][] = [
  ['divides the CPU time by the elapsed time', sample({}), { cpuCores: 1.5, memoryBytes: 1000 }],
  ['divides by two elapsed seconds', sample({ read: '2030-01-01T00:00:03.0Z' }), { cpuCores: 0.75, memoryBytes: 1000 }],
  [
    'reports no CPU use for a container that restarted between the samples',
    sample({ cpu_stats: { cpu_usage: { total_usage: 1 } } }),
    { cpuCores: 0, memoryBytes: 1000 },
  ],
  [
    'subtracts the page cache of cgroup v1',
    sample({ memory_stats: { usage: 1000, stats: { total_inactive_file: 300, inactive_file: 1 } } }),
    { cpuCores: 1.5, memoryBytes: 700 },
  ],
  [
    'subtracts the page cache of cgroup v2',
    sample({ memory_stats: { usage: 1000, stats: { inactive_file: 400 } } }),
    { cpuCores: 1.5, memoryBytes: 600 },
  ],
  [
    'reports no memory use if the page cache exceeds it',
    sample({ memory_stats: { usage: 1000, stats: { inactive_file: 4000 } } }),
    { cpuCores: 1.5, memoryBytes: 0 },
  ],
  ['returns null for an ended container', sample({ read: noTime, preread: noTime, memory_stats: {} }), null],
  ['returns null for a single sample', sample({ preread: noTime }), null],
  ['returns null without a measurement of memory', sample({ memory_stats: {} }), null],
]

for (const [title, stats, usage] of cases) test(title, () => assert.deepEqual(usageFrom(stats), usage))
