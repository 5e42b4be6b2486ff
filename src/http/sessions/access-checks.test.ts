import assert from 'node:assert/strict'
import { once } from 'node:events'
import { test } from 'node:test'
import { type Code, Refusal } from '../../errors.ts'
import type { SessionFailure } from '../../sessions/failure.ts'
import { checkRepeatedly } from './access-checks.ts'

const never = () => new Promise<void>(() => undefined)
const refusal = (code: Code) => new Refusal(code, 'refused')

/**
 * Runs one check after the other, and the last one forever.
 * @returns the code of the end, the number of checks and the errors that were told
 */
async function endOf(checks: readonly (Error | 'passes' | 'hangs')[]) {
  const errors: unknown[] = []
  let count = 0
  const check = async () => {
    const result = checks[Math.min(count++, checks.length - 1)]!
    if (result === 'hangs') return never()
    if (result !== 'passes') throw result
  }
  const { ended, stop } = checkRepeatedly(check, (error) => errors.push(error), { periodMs: 2, maxFailures: 3 })
  await once(ended, 'abort')
  stop()
  return { code: (ended.reason as SessionFailure).failure.code, count, errors }
}

for (const code of ['UNAUTHORIZED', 'FORBIDDEN', 'CONFLICT'] as const) {
  test(`a refusal with ${code} is the end of the access`, async () => {
    assert.deepEqual(await endOf(['passes', refusal(code)]), { code: 'AccessEnded', count: 2, errors: [] })
  })
}

test('a check that fails is repeated, and only several failures in a row end the session', async () => {
  const [busy, full] = [new Error('database is locked'), refusal('SERVICE_UNAVAILABLE')]
  assert.deepEqual(await endOf([busy, full, 'passes', full, busy, 'passes', refusal('FORBIDDEN')]), {
    code: 'AccessEnded',
    count: 7,
    errors: [busy, full],
  })
  assert.deepEqual(await endOf(['passes', busy]), { code: 'AccessUnknown', count: 4, errors: [busy] })
})

test('a check that does not end counts as failed, and no other one begins meanwhile', async () => {
  assert.deepEqual(await endOf(['passes', 'hangs']), { code: 'AccessUnknown', count: 2, errors: [] })
})
