/** Reads the two clocks of the machine: the one that people and NTP set, and the one that nobody can set. */
import { readFileSync } from 'node:fs'
import { uptime } from 'node:os'

export interface ClockSource {
  /** The clock of the machine. */
  now(): Date
  /** How long the machine has been up, in milliseconds, with the time for which it was suspended. */
  uptimeMs(): number
  /** Identifies the start of the machine. */
  bootId: string
}

/** Reading the uptime takes a system call on a file, so it is read again only after the wall clock was set. */
const maxDriftMs = 1000

/** Source: proc(5), /proc/sys/kernel/random/boot_id and /proc/uptime. */
export function machineClock(): ClockSource {
  const bootId = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
  let wallOffsetMs = NaN
  let uptimeOffsetMs = 0
  const uptimeMs = () => {
    const countedMs = performance.now()
    const offsetMs = Date.now() - countedMs
    // `performance.now` does not count the time for which the machine is suspended, but then both clocks differ too.
    if (!(Math.abs(offsetMs - wallOffsetMs) <= maxDriftMs)) {
      wallOffsetMs = offsetMs
      uptimeOffsetMs = uptime() * 1000 - countedMs
    }
    return uptimeOffsetMs + countedMs
  }
  return { now: () => new Date(), uptimeMs, bootId }
}
