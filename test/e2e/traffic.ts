/** Clients that send requests at a constant rate, over persistent and over new connections, and count the failures. */
import http from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import type { RequestOptions, Reply } from './routing-berth.ts'

export interface Counts {
  /** The number of responses with status 200. */
  answers: number
  faults: string[]
}

export interface Traffic extends AsyncDisposable {
  /** Returns the number of responses with status 200 until now. */
  answers(): number
  /** Sends no further requests, waits for the responses, and returns the counts. */
  stop(): Promise<Counts>
}

interface Flow {
  perSecond: number
  url: string
  ask(url: string, options: RequestOptions): Promise<Reply>
}

/** Every second request uses a new connection. A status other than 200 counts as a fault. */
export function startTraffic({ perSecond, url, ask }: Flow): Traffic {
  const agent = new http.Agent({ keepAlive: true, maxSockets: 8 })
  const counts: Counts = { answers: 0, faults: [] }
  const pending = new Set<Promise<void>>()
  let isStopped = false
  const ended = run()
  return {
    answers: () => counts.answers,
    stop,
    async [Symbol.asyncDispose]() {
      await stop()
    },
  }

  async function stop() {
    isStopped = true
    await ended
    await Promise.all(pending)
    agent.destroy()
    return counts
  }

  async function run() {
    const startMs = performance.now()
    for (let sent = 0; !isStopped; sent++) {
      const request = askOnce(sent % 2 === 0 ? { agent } : {}).finally(() => pending.delete(request))
      pending.add(request)
      await pause(Math.max(0, startMs + ((sent + 1) * 1000) / perSecond - performance.now()))
    }
  }

  async function askOnce(options: RequestOptions) {
    try {
      const { status } = await ask(url, options)
      if (status === 200) counts.answers++
      else counts.faults.push(`status ${status}`)
    } catch (error) {
      counts.faults.push(String(error))
    }
  }
}
