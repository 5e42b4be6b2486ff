/** A repeated program in a real shell. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { test } from 'node:test'
import { temporaryFolder } from '../../test/fixtures/folder.ts'
import type { Exec } from '../engine/exec.ts'
import { repeated } from './repeated.ts'

const run = ({ argv, env, stdin = '' }: Exec) => {
  const [program, ...rest] = argv
  return new Promise<{ exitCode: number; stdout: string; stderr: string }>((resolve) =>
    execFile(program!, rest, { env: { PATH: process.env.PATH, ...env } }, (error, stdout, stderr) =>
      resolve({ exitCode: error === null ? 0 : Number(error.code), stdout, stderr }),
    ).stdin!.end(stdin),
  )
}

const inShell = (script: string, env: Record<string, string> = {}, stdin?: string): Exec => ({
  argv: ['sh', '-c', script, 'sh', "an 'argument'"],
  env,
  ...(stdin === undefined ? {} : { stdin }),
})

test('runs with its arguments and the same input until it succeeds, and prints nothing', async (t) => {
  const env = { RUNS: join(temporaryFolder(t), 'runs'), INPUT: "select 'a';\n\n" }
  const script = `cat >"$RUNS.input"; printf '%s' "$1" >>"$RUNS"; echo text; echo error >&2
    printf '%s' "$INPUT" | cmp -s - "$RUNS.input" && [ "$(cat "$RUNS")" = "an 'argument'an 'argument'" ]`
  const outcome = await run(repeated(inShell(script, env, env.INPUT), 60))
  assert.deepEqual(outcome, { exitCode: 0, stdout: '', stderr: '' })
})

test('ends like its last run when the time has passed, with the errors of that run only', async (t) => {
  const env = { RUNS: join(temporaryFolder(t), 'runs') }
  const script = 'echo >>"$RUNS"; echo "error $(wc -l <"$RUNS")" >&2; exit 3'
  assert.deepEqual(await run(repeated(inShell(script, env), 0)), { exitCode: 3, stdout: '', stderr: 'error 1\n' })
})
