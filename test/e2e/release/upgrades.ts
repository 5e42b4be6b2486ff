/** Releases and machines for the tests of upgrades. */
import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { until } from '../../engine/until.ts'
import { buildRelease, changedRelease } from './archives.ts'
import { type Machine, startMachine } from './machine.ts'

/** A program that migrates the store and does not start. */
const migratesAndFails = `
import { DatabaseSync } from 'node:sqlite'
const file = new DatabaseSync(process.env.BERTH_DATA + '/berth.db')
file.exec("insert or ignore into kysely_migration values ('9999-next', '2030-01-01T00:00:00.000Z')")
file.close()
process.exit(1)`

/** Builds 0.1.0, 0.2.0, and two of 0.3.0 that do not start. @param folder an empty folder */
export async function buildReleases(folder: string) {
  const first = buildRelease(folder, '0.1.0')
  const broken = (name: string, program: string) =>
    changedRelease(first, join(folder, name), '0.3.0', (release) =>
      writeFileSync(join(release, 'dist/berth.mjs'), program),
    )
  return {
    first,
    second: buildRelease(folder, '0.2.0'),
    migrating: await broken('migrating', migratesAndFails),
    failing: await broken('failing', 'process.exit(1)'),
  }
}

export type RunningMachine = Machine & {
  projects(): Promise<string[]>
  /** Creates a project. */
  create(name: string): Promise<Response>
}

/** A machine with a project, on which 0.1.0 runs. */
export async function runningMachine(first: string): Promise<RunningMachine> {
  const machine = await startMachine(first, '0.1.0', { hasSystemd: true })
  await machine.start()
  const token = readFileSync(join(machine.dataFolder, 'access-token'), 'utf8').trim()
  const credentials = { email: 'ada@example.org', password: 'long enough' }
  const { accessToken } = await machine.post('/api/auth.createAdmin', credentials, token)
  await machine.post('/api/project.create', { name: 'shop' }, accessToken!)
  const projects = async () =>
    ((await machine.get('/api/project.all', accessToken)) as { name: string }[]).map(({ name }) => name)
  const create = (name: string) => machine.send('/api/project.create', { name }, accessToken!)
  return Object.assign(machine, { projects, create })
}

/**
 * Creates projects without a pause, also while Berth is down or refuses. The returned function ends this, and asserts
 * that each project whose creation was acknowledged is there.
 */
export function startWrites({ create, projects }: RunningMachine) {
  const acknowledged: string[] = []
  let isOver = false
  const writes = (async () => {
    for (let number = 0; !isOver; number++) {
      const name = `write ${number}`
      const isDone = await create(name).then(
        ({ status }) => status === 200,
        () => false,
      )
      if (isDone) acknowledged.push(name)
      await pause(5)
    }
  })()
  const stop = async () => {
    isOver = true
    await writes
  }
  return {
    /** Waits until further writes are acknowledged. */
    more: async () => {
      const enough = acknowledged.length + 5
      await until('further writes', async () => acknowledged.length >= enough)
    },
    end: async () => {
      await stop()
      const present = new Set(await projects())
      assert.deepEqual(
        acknowledged.filter((name) => !present.has(name)),
        [],
      )
    },
    [Symbol.asyncDispose]: stop,
  }
}

/** The version of the Berth that answers. */
export const versionAt = async (machine: Machine) =>
  ((await machine.get('/openapi.json')) as { info: { version: string } }).info.version

/** Upgrades, and kills the command after a step. */
export async function kill(machine: Machine, archive: string, step: string): Promise<void> {
  const program = fileURLToPath(new URL('killed-upgrade.ts', import.meta.url))
  const args = ['--disable-warning=ExperimentalWarning', program, machine.root, archive, step]
  assert.equal((await machine.run(process.execPath, args)).status, null, `the step ${step} is reached`)
}
