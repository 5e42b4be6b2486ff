import assert from 'node:assert/strict'
import { test } from 'node:test'
import { memoryEngine } from '../../test/engine/memory/engine.ts'
import { bytesFrom, freeBytesFrom, viewOf } from './view.ts'

const cases: [printed: string, bytes: number | null][] = [
  ['48\t/data\n', 49_152],
  ['0\t/data', 0],
  ['104857600 /data\n', 107_374_182_400],
  ['', null],
  ['du: /data: No such file', null],
  ['\t48', null],
  ['12K\t/data', null],
]

for (const [printed, bytes] of cases) {
  test(`parses the du output ${JSON.stringify(printed)} as ${bytes}`, () => assert.equal(bytesFrom(printed), bytes))
}

const header = 'Filesystem 1024-blocks Used Available Capacity Mounted on\n'
const freeCases: [printed: string, bytes: number | null][] = [
  [`${header}/dev/sda1 1000 400 600 40% /data\n`, 614_400],
  [`${header}a name with spaces 1000 1000 0 100% /a b\n`, 0],
  [header, null],
  ['', null],
]
for (const [printed, bytes] of freeCases) {
  test(`parses the df output ${JSON.stringify(printed)} as ${bytes}`, () => assert.equal(freeBytesFrom(printed), bytes))
}

test('exposes only methods that change nothing', () => {
  assert.deepEqual(Object.keys(viewOf(memoryEngine('mine'))), [
    'services',
    'tasks',
    'foundSpec',
    'image',
    'ask',
    'logs',
    'stats',
    'usedBytes',
    'freeBytes',
    'nodes',
    'volumeUse',
    'ownVolumes',
    'volumeMark',
    'joinParameters',
  ])
})
