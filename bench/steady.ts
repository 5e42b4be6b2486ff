/**
 * The process of a reader with a steady rate: one read on each connection at every interval, whatever the results of
 * earlier reads. If a read has to wait for the previous answer, its time counts from the moment when it was due. The
 * process raises its priority if it can, because it represents callers on another machine.
 */
import http from 'node:http'
import { setPriority } from 'node:os'
import { setTimeout as pause } from 'node:timers/promises'

/** `seconds`: the duration; null: until the message `end`. */
export interface Steady {
  url: string
  token: string
  connections: number
  everyMs: number
  seconds: number | null
}

/** The latencies of all reads in milliseconds. */
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

/** Raises the priority of this process. Without the permission, prints a warning. */
function raisePriority() {
  try {
    setPriority(-10)
  } catch (error) {
    process.stderr.write(`  the priority of the reader could not be raised: ${(error as Error).message}\n`)
  }
}

process.once('message', raisePriority)
process.on('message', async (message: Steady | 'end') => {
  isOver = message === 'end'
  if (message !== 'end') process.send!(await run(message))
})
