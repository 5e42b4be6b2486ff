/** Files that cannot be written to a volume in time. */
import assert from 'node:assert/strict'
import { PassThrough } from 'node:stream'
import { test } from 'node:test'
import { engineFailure } from '../../../test/engine/engine-failure.ts'
import type { JobEnd } from '../job.ts'
import { JobStopped } from '../job.ts'
import { writeFiles } from './volumes.ts'

const request = { volume: 'v', nodeId: 'n1', image: 'i:1', owner: 'x', labels: {}, files: [], recordId: 'r' }

const stops: [title: string, stop: (end: PromiseWithResolvers<JobEnd>) => Promise<void>][] = [
  ['ends', async (end) => end.reject(new JobStopped('The job was stopped'))],
  ['cannot be stopped', () => Promise.reject(new Error('the disk hangs'))],
  ['does not end', () => new Promise(() => undefined)],
]
for (const [title, stop] of stops) {
  test(`fails after a minute if the files are not written and the job ${title}`, async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] })
    const end = Promise.withResolvers<JobEnd>()
    end.promise.catch(() => undefined)
    let stopCount = 0
    const job = {
      stdout: new PassThrough(),
      stderr: null,
      stdin: null,
      ended: end.promise,
      resize: async () => undefined,
      stop: () => {
        stopCount++
        return stop(end)
      },
    }
    const started = Promise.withResolvers<void>()
    const runJob = async () => {
      setImmediate(started.resolve)
      return job
    }
    const written = writeFiles({ runJob }, request, new AbortController().signal)
    const failed = assert.rejects(
      written,
      engineFailure('failed', /^Cannot write files to the volume v: .* 60 seconds$/),
    )
    await started.promise
    t.mock.timers.tick(60_000)
    await failed
    assert.equal(stopCount, 1)
  })
}
