/**
 * Whoever reads at a steady rate, a process of its own: one read on each connection at every interval, whatever became
 * of those before. A read that could not begin in time, because the one before it was not answered, counts from when it
 * was due. It goes before the others of the machine where it may, for it stands for callers at another one.
 */
import http from 'node:http'
import { setPriority } from 'node:os'
import { setTimeout as pause } from 'node:timers/promises'

/** `seconds` null: until the word `end` comes. */
export interface Steady {
  url: string
  token: string
  connections: number
  everyMs: number
  seconds: number | null
}

/** The times of all reads, in ms. */
export interface Reads {
  timesMs: number[]
}

let isOver = false

async function run({ url, token, connections, everyMs, seconds }: Steady): Promise<Reads> {
  const agent = new http.Agent({ keepAlive: true, maxSockets: connections })
  const options = { agent, headers: { authorization: `Bearer ${token}` } }
  const timesMs: number[] = []
  const end = seconds === null ? Infinity : performance.now() + seconds * 1000
  const connection = async (offsetMs: number) => {
    for (let due = performance.now() + offsetMs; due < end && !isOver; due += everyMs) {
      const early = due - performance.now()
      if (early > 0) await pause(early)
      const start = early > 0 ? performance.now() : due
      await read(url, options)
      timesMs.push(performance.now() - start)
    }
  }
  await Promise.all(Array.from({ length: connections }, (_, at) => connection((at * everyMs) / connections)))
  agent.destroy()
  return { timesMs }
}

function read(url: string, options: http.RequestOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    http
      .get(url, options, (response) => {
        if (response.statusCode !== 200) reject(new Error(`A read was answered with ${response.statusCode}`))
        response.resume().on('end', resolve)
      })
      .on('error', reject)
  })
}

/** Whoever may not change it reads as everybody does, and says so. */
function goBeforeOthers() {
  try {
    setPriority(-10)
  } catch (error) {
    process.stderr.write(`  whoever reads does not go before the others: ${(error as Error).message}\n`)
  }
}

process.once('message', goBeforeOthers)
process.on('message', async (message: Steady | 'end') => {
  isOver = message === 'end'
  if (message !== 'end') process.send!(await run(message))
})
