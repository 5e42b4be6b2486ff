/** One run: a Berth, schemathesis against it, and what came of it. */
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
import { type Finding, findingsIn } from './verdicts.ts'

/** `examples`: the most that are made up for an operation in each phase. */
export interface Asked {
  phases: string
  examples: number
  seed: number
}

export interface Run extends Served {
  findings: Finding[]
  /** All checks of schemathesis hold. */
  isConformant: boolean
  seconds: number
}

const python = fileURLToPath(new URL('../../node_modules/.cache/berth-fuzz/bin/python', import.meta.url))

/** Seconds. Longer than any call takes: seldom one waits as the description's example does, for up to a minute. */
const requestTimeout = '80'

export async function runOnce({ phases, examples, seed }: Asked): Promise<Run> {
  if (!existsSync(python)) throw new Error(`${python} is not there: ./berth test fuzz puts it there`)
  const began = performance.now()
  const folder = mkdtempSync(join(tmpdir(), 'berth-fuzz-'))
  const berth = fork(fileURLToPath(new URL('berth.ts', import.meta.url)))
  try {
    const place = await answerOf<Samples>(berth)
    const settings = join(folder, 'schemathesis.toml')
    const events = join(folder, 'events.ndjson')
    writeFileSync(settings, settingsOf(operations, place))
    const argv = [
      '-m',
      'schemathesis.cli',
      '--config-file',
      settings,
      'run',
      `${place.url}/openapi.json`,
      '--header',
      `Authorization: Bearer ${place.token}`,
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
    // It keeps what it found before in the folder where it is started.
    const program = spawn('setpriv', ['--pdeathsig', 'KILL', python, ...argv], { cwd: folder, stdio: 'inherit' })
    const [code] = (await once(program, 'exit')) as [number | null]
    // 1: a check failed. All else is no verdict.
    if (code !== 0 && code !== 1) throw new Error(`schemathesis ended with ${code}`)
    berth.send('end')
    const served = await answerOf<Served>(berth)
    const calls = await callsOf(events)
    // A few never reach an operation. Were its file of another shape, none would be found in it.
    if (calls.length < served.requests.length * 0.9) {
      throw new Error(`Of ${served.requests.length} requests schemathesis told ${calls.length}`)
    }
    const findings = findingsIn(calls, operations, new Set(place.kept))
    return { ...served, findings, isConformant: code === 0, seconds: (performance.now() - began) / 1000 }
  } finally {
    if (berth.connected) berth.disconnect()
    rmSync(folder, { recursive: true, force: true })
  }
}

function answerOf<T>(child: ChildProcess): Promise<T> {
  return new Promise((resolve, reject) => {
    const died = () => reject(new Error('The Berth that is fuzzed ended too soon'))
    child.once('exit', died)
    child.once('message', (answer) => {
      child.off('exit', died)
      resolve(answer as T)
    })
  })
}
