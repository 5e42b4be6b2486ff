/** Makes a version the one that runs. */
import {
  existsSync,
  lstatSync,
  readFileSync,
  readdirSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { syncPath } from '../../store/sqlite/synced.ts'
import type { Layout } from './layout.ts'
import { writeInOneStep } from '../../store/sqlite/synced.ts'
import { isVersion } from './release.ts'
import type { Service } from './service.ts'

/** The version that the link names; null if none is installed. */
export function currentVersion({ current }: Layout): string | null {
  try {
    return readlinkSync(current)
  } catch {
    return null
  }
}

/** Replaces the link in one step, and the unit if that of the version differs. Call this while the service is stopped. */
export function switchTo(layout: Layout, version: string, service: Service | null): void {
  placeLink(layout.current, version)
  if (placeUnit(layout)) service?.reload()
}

/** Makes a link. A crash leaves the old link or the new one. */
export function placeLink(path: string, target: string): void {
  const fresh = `${path}.new`
  rmSync(fresh, { force: true })
  symlinkSync(target, fresh)
  renameSync(fresh, path)
  syncPath(dirname(path))
}

/** Copies the unit of the current version. @returns whether the unit changed */
export function placeUnit({ current, unit }: Layout): boolean {
  const text = readFileSync(join(current, 'berth.service'), 'utf8')
  if (existsSync(unit) && readFileSync(unit, 'utf8') === text) return false
  writeInOneStep(unit, text)
  return true
}

/** Removes all versions except those named. */
export function removeOtherVersions({ programs }: Layout, kept: readonly string[]): void {
  for (const name of readdirSync(programs)) {
    if (!isVersion(name) || kept.includes(name) || !lstatSync(join(programs, name)).isDirectory()) continue
    rmSync(join(programs, name), { recursive: true })
  }
}
