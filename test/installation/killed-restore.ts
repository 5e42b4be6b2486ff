/** A restore of Berth's own state that is killed after one of its steps. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import type { PlacementStep } from '../../src/installation/state/replace.ts'
import { bareEnv } from '../fixtures/bare-env.ts'

/** Restores the state in a separate process, which kills itself after the step. */
export async function killedAt(
  step: PlacementStep,
  folder: string,
  env: Record<string, string>,
  path: string,
): Promise<void> {
  const from = (module: string) => JSON.stringify(new URL(`../../src/${module}.ts`, import.meta.url))
  const program = `
    import { createReadStream, createWriteStream } from 'node:fs'
    import { pipeline } from 'node:stream/promises'
    import { storeOf } from ${from('installation/state/state')}
    import { openState } from ${from('installation/state/file')}
    import { parseConfig } from ${from('config')}
    import { endInterrupted } from ${from('installation/state/interrupted')}
    import { placeStore } from ${from('installation/state/replace')}
    const config = parseConfig(process.env)
    const store = storeOf(await openState(createReadStream(${JSON.stringify(path)})), config)
    const write = (path) => pipeline(store, createWriteStream(path))
    await placeStore(config, { replaces: true, isExact: false, now: new Date(), write, endInterrupted,
      reached: (step) => { if (step === '${step}') process.kill(process.pid, 'SIGKILL') } })`
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
    env: bareEnv({ BERTH_DATA: folder, ...env }),
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  assert.deepEqual(await once(child, 'exit'), [null, 'SIGKILL'])
}
