/**
 * The short form of `./berth test fuzz`: calls every operation with random input and checks each response against
 * openapi.json. The seed is fixed, so failures can be repeated.
 */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { compareData } from '../fixtures/compare-data.ts'

const run = promisify(execFile)
const program = fileURLToPath(new URL('../fuzz/main.ts', import.meta.url))

interface Failure {
  /** The exit status, or the name of an error. */
  code: number | string
  stdout: string
  stderr: string
}

test('every response to a random request matches openapi.json', async (t) => {
  const argv = ['--disable-warning=ExperimentalWarning', program, '--short', '--seed', '1']
  const { code, stdout, stderr } = await run(process.execPath, argv, { maxBuffer: 64 * 1024 * 1024 }).then(
    (output) => ({ ...output, code: 0 }),
    (failure: Failure) => failure,
  )
  // main.ts explains the exit status.
  await compareData('the answers to random requests', () => assert.notEqual(code, 2, `${stderr}\n${stdout}`))
  assert.equal(code, 0, `${stderr}\n${stdout}`)
  const [, summary = ''] = /\n(\d+ requests in [\s\S]*)$/.exec(stdout) ?? []
  assert.notEqual(summary, '')
  t.diagnostic(summary)
})
