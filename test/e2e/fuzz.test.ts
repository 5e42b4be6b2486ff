/**
 * The short form of `./berth test fuzz`: every operation asked at random, each answer held to openapi.json. Always with
 * the same seed: what fails here fails again.
 */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const run = promisify(execFile)
const program = fileURLToPath(new URL('../fuzz/main.ts', import.meta.url))

test('whatever it is asked, it answers as it is described', async (t) => {
  const argv = ['--disable-warning=ExperimentalWarning', program, '--short', '--seed', '1']
  const { stdout } = await run(process.execPath, argv, { maxBuffer: 64 * 1024 * 1024 }).catch(
    ({ stdout, stderr }: { stdout: string; stderr: string }) => assert.fail(`${stderr}\n${stdout}`),
  )
  const [, summary = ''] = /\n(\d+ requests in [\s\S]*)$/.exec(stdout) ?? []
  assert.notEqual(summary, '')
  t.diagnostic(summary)
})
