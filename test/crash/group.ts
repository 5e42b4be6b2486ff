/** The interface between the harness and the groups of operations. */
import type { Storage } from '../e2e/storage.ts'
import type { Client } from './client.ts'
import type { Random } from './random.ts'

export interface Group {
  name: string
  /** Makes a random valid call and records its outcome. */
  calls(random: Random): Promise<void>
  /** Asserts that the store has the state that was acknowledged. */
  compare(): Promise<void>
  /** Asserts that the engine, the proxy and the bucket match the store. Berth must be idle. */
  compareExternal(): Promise<void>
}

export interface Runtime {
  client: Client
  /** Berth's data folder. */
  folder: string
  storage: Storage
  /** The proxy's port for HTTP. */
  httpPort: number
  /** The proxy's port for HTTPS. */
  httpsPort: number
  /** Returns a free port that this run has not used yet. */
  port(): Promise<number>
  /** The beginning of names, which no other run uses. */
  prefix: string
}

/** Returns a function that counts from 1, for unique names and values. */
export function counter(): () => number {
  let count = 0
  return () => ++count
}
