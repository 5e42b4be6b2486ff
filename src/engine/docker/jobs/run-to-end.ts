/** Runs a short job to its end and returns its outcome. */
import { randomBytes } from 'node:crypto'
import type { Exec } from '../../exec.ts'
import type { Engine, Outcome } from '../../engine.ts'
import type { Job } from '../../job.ts'
import { firstBytes, timedOut } from './exec.ts'

/**
 * Returns the outcome of the program in a job of its own, with exit code 124 after `timeoutMs`. The job is removed in
 * each case.
 */
export async function runToEnd(
  jobs: Pick<Engine, 'runJob'>,
  job: Pick<Job, 'recordId' | 'image' | 'folder'>,
  { argv, env, stdin }: Exec,
  timeoutMs: number,
): Promise<Outcome> {
  const name = `berth-run-${randomBytes(8).toString('hex')}`
  const running = await jobs.runJob(
    { ...job, name, argv, env, stdin: stdin !== undefined },
    new AbortController().signal,
  )
  const stdout = firstBytes()
  running.stdout.on('data', stdout.add)
  running.stdin?.end(stdin)
  const timeout = Promise.withResolvers<null>()
  const timer = setTimeout(() => timeout.resolve(null), timeoutMs)
  try {
    const end = await Promise.race([running.ended, timeout.promise])
    if (end !== null) {
      const stderr = end.lastLines === '' ? '' : `${end.lastLines}\n`
      return { exitCode: end.exitCode, stdout: stdout.text(), stderr }
    }
    await running.stop()
    return timedOut({ stdout: stdout.text(), stderr: '' }, timeoutMs)
  } finally {
    clearTimeout(timer)
  }
}
