/** The systemd service of Berth. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Layout } from './layout.ts'
import { unitName } from './layout.ts'
import { runProgram } from './programs.ts'

export interface Service {
  isActive(): boolean
  /** Returns when the process has ended. */
  stop(): void
  start(): void
  /** Starts the service now and at each boot. */
  enable(): void
  /** Makes systemd read changed units. */
  reload(): void
}

/** @returns null if systemd does not run on this machine */
export function serviceOf({ root }: Layout): Service | null {
  // sd_booted(3) checks for this folder.
  if (!existsSync(join(root, 'run/systemd/system'))) return null
  const systemctl = (...args: string[]) => void runProgram('systemctl', args)
  return {
    isActive() {
      try {
        systemctl('is-active', '--quiet', unitName)
        return true
      } catch {
        return false
      }
    },
    stop: () => systemctl('stop', unitName),
    start: () => systemctl('start', unitName),
    enable: () => systemctl('enable', '--now', unitName),
    reload: () => systemctl('daemon-reload'),
  }
}
