/** The part of the engine suite about images: their metadata, and their ids as names. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { EngineFailure } from '../../src/engine/engine.ts'
import { createRunning, runJob, specOf } from './bench.ts'
import type { Bench } from './bench.ts'

export function imageTests(bench: () => Bench): void {
  test('returns the architecture of a present image, and null for a missing one', async () => {
    const { engine, image } = bench()
    const found = await engine.image(image)
    assert.match(found?.architecture ?? '', /^(amd64|arm64)$/)
    assert.ok(Array.isArray(found?.env))
    assert.equal(await engine.image('no-such-image:1'), null)
  })

  test('finds an image by its id, and starts a service and a job from the id', async (t) => {
    const { engine, image } = bench()
    const { id } = (await engine.image(image))!
    assert.match(id, /^sha256:[0-9a-f]{64}$/)
    assert.equal((await engine.image(id))!.id, id)
    await createRunning(t, bench(), specOf(bench(), { image: id }))
    const job = await runJob(t, bench(), { image: id })
    job.stdout.resume()
    assert.equal((await job.ended).exitCode, 0)
  })

  test('refuses to pull an image that no registry has, with the reason', async () => {
    await assert.rejects(
      bench().engine.pullImage('no-such-image:1', new AbortController().signal),
      (error: unknown) => error instanceof EngineFailure && error.message !== '',
    )
  })
}
