/** The part of the engine suite about files that Berth writes to volumes. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { VolumeFiles } from '../../src/engine/volumes/volume-files.ts'
import { engineFailure } from './engine-failure.ts'
import { createRunning, removeAndWait, specOf } from './engine-fixture.ts'
import type { EngineFixture } from './engine-fixture.ts'
import { until } from './until.ts'

const { signal } = new AbortController()

export function fileTests(fixture: () => EngineFixture): void {
  const requestOf = (content: string, changes: Partial<VolumeFiles> = {}): VolumeFiles => ({
    volume: specOf(fixture()).name,
    nodeId: fixture().nodeId,
    image: fixture().image,
    owner: 'no-such-user daemon',
    labels: { 'berth.test': 'files' },
    files: ['a', 'b'].map((name) => ({ name, content: `${content}\n`, mode: 0o600 })),
    recordId: 'a record',
    ...changes,
  })

  test('refuses to write files to a node that is unknown, or with an image that is missing', async () => {
    const { engine } = fixture()
    await assert.rejects(engine.writeFiles(requestOf('x', { nodeId: 'other' }), signal), engineFailure('nodeMissing'))
    await assert.rejects(
      engine.writeFiles(requestOf('x', { image: 'no-such-image:1' }), signal),
      engineFailure('missing'),
    )
    const hidden = [{ name: '../a', content: '', mode: 0o600 }]
    await assert.rejects(engine.writeFiles(requestOf('x', { files: hidden }), signal), engineFailure('rejected'))
  })

  test('creates a volume with files, which a service can read and a removal takes away', async (t) => {
    const { engine, nodeId } = fixture()
    const request = requestOf('one')
    await engine.writeFiles(request, signal)
    assert.equal(await engine.hasVolume(request.volume, nodeId), true)
    const mount = {
      type: 'volume',
      path: '/tls',
      name: request.volume,
      sizeBytes: 0,
      labels: {},
      isReadOnly: true,
    } as const
    const task = await createRunning(t, fixture(), specOf(fixture(), { mounts: [mount] }))
    await assert.rejects(engine.removeVolume(request.volume, nodeId), engineFailure('conflict'))
    await removeAndWait(engine, task.serviceName)
    const remove = () => engine.removeVolume(request.volume, nodeId)
    await until('the volume to be free', () =>
      remove().then(
        () => true,
        () => false,
      ),
    )
    assert.equal(await engine.hasVolume(request.volume, nodeId), false)
  })
}
