/** From nothing to the first answer, resident memory, and what is installed for it. */
import { existsSync, readFileSync } from 'node:fs'
import http from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { residentMiB, spawnBerth, startBerth } from './berth.ts'
import { newFolder, startBare, startLoader } from './processes.ts'
import { median, spread, tableOf, verdict } from './table.ts'

const starts = 5
/** After the start, for what is loaded once to settle. */
const idleMs = 8000
const loadSeconds = 5
const limits = { coldMs: 500, idleMiB: 110, packages: 120 }

export async function benchStart(): Promise<string> {
  const cold = await coldStarts()
  const memory = await memoryOf()
  const packages = runtimePackages()
  const head = ['start', 'figure', 'spread', 'limit', '']
  return tableOf('Start and memory', head, [
    row('cold start to the first answer, ms', median(cold), spread(cold, 0), limits.coldMs),
    row('the same of a bare node:http, ms', await bareStart(), '', null),
    row('resident memory idle, MiB', memory.idle, '', limits.idleMiB),
    row('resident memory after load, MiB', memory.loaded, '', null),
    row('npm packages at run time', packages, '', limits.packages),
  ])
}

function row(name: string, figure: number, spreadText: string, limit: number | null): string[] {
  if (limit === null) return [name, figure.toFixed(0), spreadText, '', '']
  return [name, figure.toFixed(0), spreadText, String(limit), verdict(figure <= limit)]
}

/** On one data folder: the first, which makes the store, is not counted. */
async function coldStarts(): Promise<number[]> {
  const folder = newFolder()
  const times: number[] = []
  for (let count = 0; count <= starts; count++) {
    const berth = await spawnBerth({}, folder)
    times.push(berth.startMs)
    await berth.close()
  }
  return times.slice(1)
}

async function bareStart(): Promise<number> {
  const times: number[] = []
  for (let count = 0; count < starts; count++) {
    const start = performance.now()
    const bare = await startBare({ 'GET /': '{}' })
    await new Promise((resolve, reject) => {
      http.get(bare.url, { agent: false }, (response) => response.resume().on('end', resolve)).on('error', reject)
    })
    times.push(performance.now() - start)
    await bare.close()
  }
  return median(times)
}

async function memoryOf() {
  const berth = await startBerth()
  await pause(idleMs)
  const idle = residentMiB(berth.child)
  const loader = startLoader()
  await loader.run({
    url: berth.url, method: 'GET', path: '/api/auth.get', token: berth.token, body: '', connections: 16,
    seconds: loadSeconds,
  })
  const loaded = residentMiB(berth.child)
  await Promise.all([loader.close(), berth.close()])
  return { idle, loaded }
}

interface Locked { dev?: boolean; optional?: boolean }

/** Those of the lock file that a start without the development ones installs on this machine. */
function runtimePackages(): number {
  const root = new URL('../', import.meta.url)
  const text = readFileSync(new URL('package-lock.json', root), 'utf8')
  const { packages } = JSON.parse(text) as { packages: Record<string, Locked> }
  return Object.entries(packages).filter(([path, it]) => path !== '' && it.dev !== true
    && (it.optional !== true || existsSync(new URL(path, root)))).length
}
