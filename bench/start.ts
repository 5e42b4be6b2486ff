/** Measures the time until the first answer, the memory, and the number of packages. */
import { existsSync, readFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { residentMiB, spawnBerth, startBerth } from './berth.ts'
import { seedCells } from './cells.ts'
import { type Figure, type Section, tableOfFigures } from './figures.ts'
import { newFolder, startLoader } from './processes.ts'
import { median, spread } from './table.ts'

const starts = 5
const settleMs = 8000
/** By then V8 has freed the memory that only the start needed. */
const idleMs = 60_000
const loadSeconds = 2

export async function benchStart(): Promise<Section> {
  const figures = [...(await startTimes()), ...(await memory()), packages()]
  return tableOfFigures('Start, memory and packages', figures)
}

/** Each start has its own data folder, so it also creates the store. The program's files are in the page cache. */
async function startTimes(): Promise<Figure[]> {
  const kept = await timesToAnswer({})
  const compiling = await timesToAnswer({ NODE_DISABLE_COMPILE_CACHE: '1' })
  const figure = { limit: 0.5, digits: 2, unit: 's' }
  return [
    {
      ...figure,
      what: 'start to the first answer, all compiled before',
      value: median(kept),
      note: `${starts} starts, a new store each: ${spread(kept, 2)}`,
    },
    {
      ...figure,
      what: 'the same, nothing compiled before',
      value: median(compiling),
      limit: null,
      note: `the files are in the page cache, unlike at a machine's first start: ${spread(compiling, 2)}`,
    },
  ]
}

/** An additional first start compiles the code and loads the files into the page cache. It does not count. */
async function timesToAnswer(env: Record<string, string>): Promise<number[]> {
  const seconds: number[] = []
  for (let at = 0; at <= starts; at++) {
    const berth = await spawnBerth(env, newFolder())
    seconds.push(berth.startMs / 1000)
    await berth.close()
  }
  return seconds.slice(1)
}

async function memory(): Promise<Figure[]> {
  const berth = await startBerth()
  const loader = startLoader()
  await pause(settleMs)
  const fresh = residentMiB(berth.child)
  await pause(idleMs - settleMs)
  const idle = residentMiB(berth.child)
  for (const { method, path, body } of await seedCells(berth)) {
    const { failures } = await loader.run({
      url: berth.url,
      method,
      path,
      body,
      token: berth.token,
      connections: 16,
      seconds: loadSeconds,
    })
    if (failures > 0) throw new Error(`${failures} requests to ${path} were not answered with 200`)
  }
  const busy = residentMiB(berth.child)
  await pause(settleMs)
  const after = residentMiB(berth.child)
  await Promise.all([berth.close(), loader.close()])
  const figure = { digits: 0, unit: 'MiB' }
  return [
    {
      ...figure,
      what: 'resident memory, idle',
      value: idle,
      limit: 110,
      note: `${idleMs / 1000} s after the start; ` + `${Math.round(fresh)} at ${settleMs / 1000} s`,
    },
    {
      ...figure,
      what: 'resident memory after load',
      value: after,
      limit: null,
      note:
        `${loadSeconds} s of each operation at 16 connections, then ${settleMs / 1000} s; ` +
        `${Math.round(busy)} at its end`,
    },
  ]
}

interface Lock {
  packages: Record<string, { dev?: boolean }>
}

function packages(): Figure {
  const root = new URL('../', import.meta.url)
  const lock = JSON.parse(readFileSync(new URL('package-lock.json', root), 'utf8')) as Lock
  const present = Object.entries(lock.packages).filter(
    ([path, { dev }]) => path !== '' && dev !== true && existsSync(new URL(path, root)),
  )
  return {
    what: 'npm packages at run time',
    value: present.length,
    limit: 120,
    digits: 0,
    unit: '',
    note: 'of the lock file, without development, as installed here',
  }
}
