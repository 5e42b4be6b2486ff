import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { test } from 'node:test'
import { nodeProgram, nodeUsageFrom, ownUsage } from './node-usage.ts'

const output = `1893456000
Filesystem     1024-blocks     Used Available Capacity Mounted on
overlay          103081248 61848748  36007500      64% /
MemTotal:        8000000 kB
MemFree:          500000 kB
MemAvailable:    6000000 kB
0.52 0.40 0.30 2/345 6789
`

test('reads disk, memory, load and clock of a node', () => {
  assert.deepEqual(nodeUsageFrom(output, 1_893_456_000_500), {
    diskBytes: (61848748 + 36007500) * 1024,
    diskUsedBytes: 61848748 * 1024,
    memoryBytes: 8000000 * 1024,
    memoryUsedBytes: 2000000 * 1024,
    load1: 0.52,
    clockOffsetSeconds: 0,
  })
  assert.equal(nodeUsageFrom(output, 1_893_455_990_500).clockOffsetSeconds, 10)
  assert.equal(nodeUsageFrom(output, 1_893_456_090_500).clockOffsetSeconds, -90)
})

test('leaves out what it cannot read', () => {
  assert.deepEqual(nodeUsageFrom('', 0), {})
  assert.deepEqual(nodeUsageFrom('MemTotal: 1 kB\ndate: bad\noverlay x y z 64% /', 0), {})
})

test('measures this machine by the program for other nodes and by its own functions, with nearly equal results', async () => {
  const { stdout } = spawnSync(nodeProgram.argv[0]!, nodeProgram.argv.slice(1), { encoding: 'utf8' })
  const other = nodeUsageFrom(stdout, Date.now())
  const own = await ownUsage('/')
  assert.ok(Math.abs(other.clockOffsetSeconds!) < 3, stdout)
  assert.equal(other.memoryBytes, own.memoryBytes)
  assert.ok(Math.abs(other.diskBytes! - own.diskBytes!) < 0.01 * own.diskBytes!, stdout)
  assert.ok(own.diskUsedBytes! > 0 && own.diskUsedBytes! < own.diskBytes!)
  assert.ok(own.memoryUsedBytes! > 0 && own.memoryUsedBytes! < own.memoryBytes!)
})
