/** What every group of operations brings to the harness, and the world that it finds there. */
import type { Storage } from '../e2e/storage.ts'
import type { Client } from './client.ts'
import type { Random } from './random.ts'

export interface Group {
  name: string
  /** Makes a valid call, chosen by chance, and takes down what came of it. */
  calls(random: Random): Promise<void>
  /** What the store says is what was acknowledged. */
  compare(): Promise<void>
  /** Berth has come to rest: engine, proxy and bucket are as the store says. */
  compareWorld(): Promise<void>
}

export interface Runtime {
  client: Client
  /** Berth's data. */
  folder: string
  storage: Storage
  /** Where the proxy listens. */
  httpPort: number
  httpsPort: number
  /** A port in the range of this run that nobody listens on. */
  port(): Promise<number>
  /** Names that no other run has begin with it. */
  prefix: string
}

/** A number that grows: names and values that never come again. */
export function counter(): () => number {
  let count = 0
  return () => ++count
}
