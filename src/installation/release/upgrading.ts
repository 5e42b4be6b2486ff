/** What the commands that replace the installed version work with. */
import { accessSync, constants, existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Config } from '../../config.ts'
import { lockFile } from '../../store/sqlite/lock.ts'
import type { Layout } from './layout.ts'
import type { Service } from './service.ts'

export interface Upgrading {
  layout: Layout
  config: Pick<Config, 'dataFolder' | 'host' | 'port' | 'egress'>
  /** Null if systemd does not run. Then a person restarts Berth. */
  service: Service | null
  /** The time for a started Berth to become ready. */
  readyTimeoutMs: number
  now(): Date
  /** Tells the person about a step. */
  say(text: string): void
  /** Called after each step. */
  reached(step: UpgradeStep): void
}

export type UpgradeStep =
  | 'placed'
  | 'recorded'
  | 'stopped'
  | 'backedUp'
  | 'switched'
  | 'started'
  | 'confirmed'
  | BackStep
type BackStep = 'goingBack' | 'backStopped' | 'restored' | 'switchedBack'

/** Runs a command that no other one may interrupt. The lock ends with the process. */
export async function locked<T>({ programs }: Layout, run: () => Promise<T>): Promise<T> {
  try {
    accessSync(programs, constants.W_OK)
  } catch (cause) {
    if (!existsSync(programs)) throw new Error(`Berth is not installed: there is no folder ${programs}`, { cause })
    throw new Error(`This user cannot write to ${programs}. Run the command as root`, { cause })
  }
  const lock = lockFile(
    join(programs, 'upgrade.lock'),
    (cause) => new Error('Another upgrade is under way. Wait for its end', { cause }),
  )
  try {
    return await run()
  } finally {
    lock.close()
  }
}
