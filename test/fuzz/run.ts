/** Runs schemathesis against a new Berth, and collects requests, rule violations and defects. */
import { type ChildProcess, fork, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { operations } from '../../src/operations.ts'
import type { Samples, Served } from './berth.ts'
import { callsOf } from './calls.ts'
import { settingsOf } from './settings.ts'
import { type Finding, findingsIn } from './rules.ts'

/** `examples`: the maximum number of generated inputs for an operation in each phase. */
export interface RunOptions {
  phases: string
  examples: number
  seed: number
}

export interface Run extends Served {
  findings: Finding[]
  /** Whether all checks of schemathesis passed. */
  isConformant: boolean
  seconds: number
}

const python = fileURLToPath(new URL('../../node_modules/.cache/berth-fuzz/bin/python', import.meta.url))

/** In seconds. Longer than any call takes. A few calls wait for up to a minute, as in the example of `Prefer`. */
const requestTimeout = '80'

export async function runOnce({ phases, examples, seed }: RunOptions): Promise<Run> {
  if (!existsSync(python)) throw new Error(`${python} is missing. ./berth test fuzz installs it`)
  const began = performance.now()
  const folder = mkdtempSync(join(tmpdir(), 'berth-fuzz-'))
  const berth = fork(fileURLToPath(new URL('berth.ts', import.meta.url)))
  try {
    const samples = await answerOf<Samples>(berth)
    const settings = join(folder, 'schemathesis.toml')
    const events = join(folder, 'events.ndjson')
    writeFileSync(settings, settingsOf(operations, samples))
    const argv = [
      '-m',
      'schemathesis.cli',
      '--config-file',
      settings,
      'run',
      `${samples.url}/openapi.json`,
      '--header',
      `Authorization: Bearer ${samples.token}`,
      '--workers',
      '1',
      '--seed',
      String(seed),
      '--phases',
      phases,
      '--max-examples',
      String(examples),
      '--continue-on-failure',
      '--no-color',
      '--request-timeout',
      requestTimeout,
      '--generation-database',
      'none',
      '--warnings',
      'off',
      '--output-sanitize',
      'false',
      '--report',
      'ndjson',
      '--report-ndjson-path',
      events,
    ]
    // schemathesis stores former results in its working directory.
    const program = spawn('setpriv', ['--pdeathsig', 'KILL', python, ...argv], { cwd: folder, stdio: 'inherit' })
    const [code] = (await once(program, 'exit')) as [number | null]
    // 1: a check failed. Any other code means that the checks did not run to their end.
    if (code !== 0 && code !== 1) throw new Error(`schemathesis ended with ${code}`)
    berth.send('end')
    const served = await answerOf<Served>(berth)
    const calls = await callsOf(events)
    // A few requests never reach an operation. If the format of the file changes, almost no calls are found in it.
    if (calls.length < served.requests.length * 0.9) {
      throw new Error(`schemathesis reported only ${calls.length} of ${served.requests.length} requests`)
    }
    const findings = findingsIn(calls, operations, new Set(samples.kept))
    return { ...served, findings, isConformant: code === 0, seconds: (performance.now() - began) / 1000 }
  } finally {
    if (berth.connected) berth.disconnect()
    rmSync(folder, { recursive: true, force: true })
  }
}

function answerOf<T>(child: ChildProcess): Promise<T> {
  return new Promise((resolve, reject) => {
    const died = () => reject(new Error('The process of the fuzzed Berth ended too early'))
    child.once('exit', died)
    child.once('message', (answer) => {
      child.off('exit', died)
      resolve(answer as T)
    })
  })
}
