/**
 * Measures a cluster of 50 nodes and 10,000 services: the duration of the list of nodes over HTTP and of a turn of the loop
 * `watch` without changes, and the memory of Berth including the in-memory engine.
 */
import http from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { residentMiB } from './berth.ts'
import { type Figure, type Section, tableOfFigures } from './figures.ts'
import { newFolder, startCluster } from './processes.ts'
import { median, quantile, spread } from './table.ts'

const [nodes, databases, applications] = [50, 9500, 500]
const calls = 50
const turns = 10
const settleMs = 8000

export async function benchCluster(): Promise<Section> {
  const cluster = startCluster()
  try {
    const { url, token } = await cluster.open({ folder: newFolder(), nodes, databases, applications, turns })
    await pause(settleMs)
    // The first call compiles code.
    await getNodes(url, token)
    const times: number[] = []
    for (let at = 0; at < calls; at++) times.push(await getNodes(url, token))
    const busy = residentMiB(cluster.child)
    await pause(settleMs)
    const memory = { busy, after: residentMiB(cluster.child) }
    const { turnsMs } = await cluster.turns()
    const title = `A cluster of ${nodes} nodes and ${databases + applications} services`
    return tableOfFigures(title, figuresOf(times, turnsMs, memory))
  } finally {
    await cluster.close()
  }
}

/** Returns the time until the last byte in milliseconds. */
function getNodes(url: string, token: string): Promise<number> {
  const start = performance.now()
  return new Promise((resolve, reject) => {
    http
      .get(`${url}/api/cluster.getNodes`, { headers: { authorization: `Bearer ${token}` } }, async (response) => {
        const bytes = Buffer.concat(await response.toArray())
        const ms = performance.now() - start
        const answered = JSON.parse(bytes.toString()) as { pinned: unknown[] }[]
        const pinned = answered.reduce((sum, node) => sum + node.pinned.length, 0)
        if (answered.length === nodes && pinned === databases) return resolve(ms)
        reject(new Error(`${answered.length} nodes with ${pinned} databases were answered`))
      })
      .on('error', reject)
  })
}

function figuresOf(times: number[], turnsMs: number[], memory: { busy: number; after: number }): Figure[] {
  return [
    {
      what: 'cluster.getNodes, median',
      value: median(times),
      limit: 50,
      digits: 1,
      unit: 'ms',
      note: `${calls} calls: 95 of 100 within ${quantile(times, 0.95).toFixed(1)} ms`,
    },
    {
      what: 'a turn of the watch, nothing changed, median',
      value: median(turnsMs),
      limit: 200,
      digits: 1,
      unit: 'ms',
      note: `${turns} turns: ${spread(turnsMs, 1)}`,
    },
    {
      what: 'resident memory',
      value: memory.after,
      limit: 300,
      digits: 0,
      unit: 'MiB',
      note: `${settleMs / 1000} s after the calls, ${Math.round(memory.busy)} at their end; includes the in-memory engine`,
    },
  ]
}
