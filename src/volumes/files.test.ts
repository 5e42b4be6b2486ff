import assert from 'node:assert/strict'
import { test } from 'node:test'
import { memoryEngine } from '../../test/engine/memory/engine.ts'
import type { VolumeFiles } from '../engine/volumes/volume-files.ts'
import { writeVolumeFiles } from './files.ts'

const files: VolumeFiles = {
  volume: 'v',
  nodeId: 'node1',
  image: 'i:1',
  owner: 'postgres',
  labels: {},
  files: [{ name: 'a', content: 'one', mode: 0o600 }],
  recordId: 'r',
}
const { signal } = new AbortController()

test('writes the files, and skips the write while the volume has them', async () => {
  const engine = memoryEngine('mine')
  const first = await writeVolumeFiles({ engine }, files, null, signal)
  assert.equal(await writeVolumeFiles({ engine }, { ...files, labels: { a: 'b' } }, first, signal), first)
  assert.equal(engine.calls.writeFiles, 1)
  assert.deepEqual(engine.files.get('v'), files)
})

const changes: [name: string, change: Partial<VolumeFiles>][] = [
  ['content', { files: [{ name: 'a', content: 'two', mode: 0o600 }] }],
  ['mode', { files: [{ name: 'a', content: 'one', mode: 0o644 }] }],
  ['image', { image: 'i:2' }],
  ['owner', { owner: 'redis' }],
  ['volume', { volume: 'w' }],
]
for (const [name, change] of changes) {
  test(`writes the files again after a change of the ${name}`, async () => {
    const engine = memoryEngine('mine')
    const first = await writeVolumeFiles({ engine }, files, null, signal)
    assert.notEqual(await writeVolumeFiles({ engine }, { ...files, ...change }, first, signal), first)
    assert.equal(engine.calls.writeFiles, 2)
  })
}

test('writes the files again if the volume was lost, or if it is unknown what was written', async () => {
  const engine = memoryEngine('mine')
  const digest = await writeVolumeFiles({ engine }, files, null, signal)
  engine.loseVolume('v')
  await writeVolumeFiles({ engine }, files, digest, signal)
  await writeVolumeFiles({ engine }, files, null, signal)
  assert.equal(engine.calls.writeFiles, 3)
})

test('fails if the node cannot be used', async () => {
  const engine = memoryEngine('mine')
  await assert.rejects(writeVolumeFiles({ engine }, { ...files, nodeId: 'gone' }, null, signal), /not in the swarm/)
  assert.equal(engine.files.size, 0)
})
