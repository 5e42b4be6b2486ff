/** The part of the engine suite about images: their metadata, and references by id. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { EngineFailure } from '../../src/engine/engine.ts'
import { createRunning, runJob, specOf } from './engine-fixture.ts'
import type { EngineFixture } from './engine-fixture.ts'

export function imageTests(fixture: () => EngineFixture): void {
  test('returns the architecture of a present image, and null for a missing one', async () => {
    const { engine, image } = fixture()
    const metadata = await engine.image(image)
    assert.match(metadata?.architecture ?? '', /^(amd64|arm64)$/)
    assert.ok(Array.isArray(metadata?.env))
    assert.ok([...metadata.start.entrypoint, ...metadata.start.command].length > 0)
    assert.equal(await engine.image('no-such-image:1'), null)
  })

  test('returns an image by its id, and starts a service and a job from the id', async (t) => {
    const { engine, image } = fixture()
    const { id } = (await engine.image(image))!
    assert.match(id, /^sha256:[0-9a-f]{64}$/)
    assert.equal((await engine.image(id))!.id, id)
    await createRunning(t, fixture(), specOf(fixture(), { image: id }))
    const job = await runJob(t, fixture(), { image: id })
    job.stdout.resume()
    assert.equal((await job.ended).exitCode, 0)
  })

  test('fails with a message to pull an image that no registry has', async () => {
    await assert.rejects(
      fixture().engine.pullImage('no-such-image:1', new AbortController().signal),
      (error: unknown) => error instanceof EngineFailure && error.message !== '',
    )
  })
}
