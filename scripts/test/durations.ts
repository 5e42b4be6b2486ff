/** The last duration of each test file, kept for the next run in the cache folder of the user. */
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'

// Not in the project: a fresh clone on the same machine uses the durations of earlier runs.
const path = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'berth', 'test-durations.json')

/** @returns seconds by file; empty if there are none yet or if the file was damaged */
export function readDurations(): Map<string, number> {
  try {
    const stored: unknown = JSON.parse(readFileSync(path, 'utf8'))
    if (typeof stored !== 'object' || stored === null) return new Map()
    return new Map(Object.entries(stored).filter(([, seconds]) => Number.isFinite(seconds)))
  } catch (error) {
    if (error instanceof SyntaxError || (error instanceof Error && 'code' in error && error.code === 'ENOENT'))
      return new Map()
    throw error
  }
}

/** Replaces the durations of these files and keeps those of all others. */
export function storeDurations(measured: ReadonlyMap<string, number>): void {
  const durations = Object.fromEntries([...readDurations(), ...measured].sort(([a], [b]) => (a < b ? -1 : 1)))
  mkdirSync(dirname(path), { recursive: true })
  const temporary = `${path}.${process.pid}`
  writeFileSync(temporary, `${JSON.stringify(durations, undefined, 1)}\n`)
  renameSync(temporary, path)
}
