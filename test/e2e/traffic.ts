/** Clients that go on asking, some by connections that they keep and some by new ones, and count what failed. */
import http from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import type { Asked, Reply } from './routing-world.ts'

export interface Counts {
  answers: number
  faults: string[]
}

/** It ends with the block that has it, whatever ends that. */
export interface Traffic extends AsyncDisposable {
  /** Ends it; gives what was counted. */
  stop(): Promise<Counts>
}

interface Flow {
  perSecond: number
  url: string
  ask(url: string, asked: Asked): Promise<Reply>
  more?: Asked
}

/** Every second request comes by a connection of its own. An answer that is not 200 is a fault too. */
export function startTraffic({ perSecond, url, ask, more = {} }: Flow): Traffic {
  const agent = new http.Agent({ keepAlive: true, maxSockets: 8 })
  const counts: Counts = { answers: 0, faults: [] }
  const underWay = new Set<Promise<void>>()
  let going = true
  const ended = run()
  return {
    stop,
    async [Symbol.asyncDispose]() {
      await stop()
    },
  }

  async function stop() {
    going = false
    await ended
    await Promise.all(underWay)
    agent.destroy()
    return counts
  }

  async function run() {
    const start = performance.now()
    for (let sent = 0; going; sent++) {
      const one = askOnce(sent % 2 === 0 ? { ...more, agent } : more).finally(() => underWay.delete(one))
      underWay.add(one)
      await pause(Math.max(0, start + ((sent + 1) * 1000) / perSecond - performance.now()))
    }
  }

  async function askOnce(asked: Asked) {
    try {
      const { status } = await ask(url, asked)
      if (status === 200) counts.answers++
      else counts.faults.push(`status ${status}`)
    } catch (error) {
      counts.faults.push(String(error))
    }
  }
}
