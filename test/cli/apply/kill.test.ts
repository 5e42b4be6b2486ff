/** Kills `berth apply` at random instants. A run after the kill has to lead to the state of an undisturbed run. */
import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { test } from 'node:test'
import { createClient } from '../../../client/client.ts'
import { exportText } from '../../../cli/apply/export.ts'
import { readState, type State } from '../../../cli/apply/state.ts'
import { randomFrom } from '../../crash/random.ts'
import { compareData } from '../../fixtures/compare-data.ts'
import { fileText, secrets, startInstallation } from './fixture.ts'

const kills = 20
/** The steps of an undisturbed run. */
const stepCount = 14
const seed = Number(process.env.BERTH_CRASH_SEED ?? 21)

test(`a run that is killed at one of ${kills} instants and repeated ends as an undisturbed run (seed ${seed})`, async (t) => {
  await using shop = await startInstallation()
  const client = createClient({ url: shop.url, token: shop.token })
  const random = randomFrom(seed, 'apply')
  const portOf = (run: number) => 20_000 + run * 10

  function start(run: number): ChildProcess {
    const path = shop.fileWith(fileText(`-${run}`, portOf(run)))
    const args = ['--disable-warning=ExperimentalWarning', 'cli/main.ts', 'apply', '-f', path, '--yes']
    const cache = { NODE_COMPILE_CACHE: join(shop.folder, 'cache') }
    const env = { ...process.env, ...shop.access, ...secrets, ...cache, XDG_CONFIG_HOME: shop.folder }
    return spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'ignore'] })
  }

  /** Resolves when the process prints the plan, immediately before its first step. */
  const planned = (run: ChildProcess) => Promise.race([once(run.stdout!, 'data'), once(run, 'exit')])

  async function durationOf(run: number): Promise<number> {
    const whole = start(run)
    const end = once(whole, 'exit')
    await planned(whole)
    const begunAt = performance.now()
    assert.deepEqual(await end, [0, null])
    return performance.now() - begunAt
  }

  const durationMs = Math.max(...(await Promise.all([0, kills + 1, kills + 2].map(durationOf))))
  const undisturbed = textOf(await readState(client, () => true), 0, portOf(0))
  assert.match(undisturbed, /redirects:/)

  const instants = Array.from({ length: kills }, (_, i) => ((i + random.below(1000) / 1000) / kills) * durationMs)

  /** Returns how many steps were done when the run was killed. */
  async function killAndRepeat(run: number): Promise<number> {
    const killed = start(run)
    const ended = once(killed, 'exit')
    await planned(killed)
    await Promise.race([pause(instants[run - 1]), ended])
    killed.kill('SIGKILL')
    await ended
    const text = fileText(`-${run}`, portOf(run))
    const repeated = await shop.apply(text)
    assert.equal(repeated.status, 0, `run ${run}: ${repeated.stderr}`)
    assert.equal((await shop.apply(text)).stdout, 'Nothing to do.\n', `run ${run}`)
    return stepCount - stepsIn(repeated.stdout)
  }

  const done: number[] = []
  const runs = Array.from({ length: kills }, (_, i) => i + 1).values()
  const lane = async () => {
    for (const run of runs) done[run - 1] = await killAndRepeat(run)
  }
  await Promise.all([lane(), lane(), lane()])
  const state = await readState(client, () => true)
  for (let run = 1; run <= kills; run++)
    await compareData(`run ${run}`, () => assert.equal(textOf(state, run, portOf(run)), undisturbed))
  t.diagnostic(
    `the steps take ${Math.round(durationMs)} ms; done at the kills: ${done.join(' ')} of ${stepCount} steps`,
  )
  assert.ok(new Set(done).size > 3, 'the kills hit different steps')
})

/** The number of steps that a run planned. */
const stepsIn = (stdout: string) => Number(/^(\d+) steps?/m.exec(stdout)?.[1] ?? 0)

/** The export of the records of one run, with the names and ports that all runs have in common. */
function textOf(state: State, run: number, port: number): string {
  const end = new RegExp(`-${run}$`)
  const isNamed = ({ name }: { name: string }) => end.test(name)
  const isRule = ({ applicationId }: { applicationId: string }) => end.test(applicationId)
  const projects = state.projects.filter(isNamed)
  const own: State = {
    ...state,
    projects,
    destinations: state.destinations.filter(isNamed),
    databases: state.databases.filter(({ summary }) => end.test(summary.projectName)),
    redirects: state.redirects.filter(isRule),
    securities: state.securities.filter(isRule),
    ports: state.ports.filter(isRule),
  }
  return exportText(own, { project: null, hasNodes: true })
    .replace(new RegExp(`([-_])${run}(?!\\d)`, 'g'), '')
    .replace(/\b2\d{4}\b/g, (text) => String(Number(text) - port))
    .replace(/ +/g, ' ')
}
