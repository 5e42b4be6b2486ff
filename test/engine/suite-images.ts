/** The part of the engine suite about images: what is known of one, and that its id is as good a name as its tag. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { EngineFailure } from '../../src/engine/engine.ts'
import { createRunning, runJob, specOf } from './bench.ts'
import type { Bench } from './bench.ts'

export function imageTests(bench: () => Bench): void {
  test('an image that is there is known by its architecture, one that is not is null', async () => {
    const { engine, image } = bench()
    const found = await engine.image(image)
    assert.match(found?.architecture ?? '', /^(amd64|arm64)$/)
    assert.ok(Array.isArray(found?.env))
    assert.equal(await engine.image('no-such-image:1'), null)
  })

  test('an image has an id, by which it is found, and a service and a job start from it', async (t) => {
    const { engine, image } = bench()
    const { id } = (await engine.image(image))!
    assert.match(id, /^sha256:[0-9a-f]{64}$/)
    assert.equal((await engine.image(id))!.id, id)
    await createRunning(t, bench(), specOf(bench(), { image: id }))
    const job = await runJob(t, bench(), { image: id })
    job.stdout.resume()
    assert.equal((await job.ended).exitCode, 0)
  })

  test('an image that no registry has cannot be pulled, and the words tell why', async () => {
    await assert.rejects(
      bench().engine.pullImage('no-such-image:1', new AbortController().signal),
      (error: unknown) => error instanceof EngineFailure && error.message !== '',
    )
  })
}
