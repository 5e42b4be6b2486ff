/**
 * The short form of `./berth test fuzz`: calls every operation with random input and checks each response against
 * openapi.json. The seed is fixed, so failures can be repeated.
 */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const run = promisify(execFile)
const program = fileURLToPath(new URL('../fuzz/main.ts', import.meta.url))

test('every response to a random request matches openapi.json', async (t) => {
  const argv = ['--disable-warning=ExperimentalWarning', program, '--short', '--seed', '1']
  const { stdout } = await run(process.execPath, argv, { maxBuffer: 64 * 1024 * 1024 }).catch(
    ({ stdout, stderr }: { stdout: string; stderr: string }) => assert.fail(`${stderr}\n${stdout}`),
  )
  const [, summary = ''] = /\n(\d+ requests in [\s\S]*)$/.exec(stdout) ?? []
  assert.notEqual(summary, '')
  t.diagnostic(summary)
})
