import assert from 'node:assert/strict'
import { test } from 'node:test'
import { memoryEngine } from '../../test/engine/memory/engine.ts'
import { bytesFrom, viewOf } from './view.ts'

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
    'nodes',
    'volumeUse',
    'joinParameters',
  ])
})
