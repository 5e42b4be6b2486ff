/** Verifies and unpacks the archive of a release. */
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'
import { syncPath } from '../../store/sqlite/synced.ts'
import type { Layout } from './layout.ts'
import { runProgram } from './programs.ts'
import { parseSums, type Release, readRelease, sha256Of, verifyFiles } from './release.ts'

/** The beginning of the names of folders that are not complete yet. */
const stagingPrefix = '.incomplete-'

/**
 * Compares the archive with the checksum in the file beside it.
 * @throws an error with a message for the operator
 */
export async function verifyArchive(archive: string): Promise<void> {
  const sumsPath = `${archive}.sha256`
  if (!existsSync(archive)) throw new Error(`There is no file ${archive}`)
  if (!existsSync(sumsPath)) throw new Error(`There is no file ${sumsPath}. Put the checksum of the release there`)
  const sum = parseSums(readFileSync(sumsPath, 'utf8')).get(basename(archive))
  if (sum === undefined) throw new Error(`${sumsPath} has no checksum of ${basename(archive)}`)
  if ((await sha256Of(archive)) === sum) return
  throw new Error(`${archive} differs from its checksum in ${sumsPath}. Download both again`)
}

/**
 * Unpacks a verified archive beside the installed versions, under a temporary name.
 * @returns the release, with all files checked and on the disk
 */
export async function unpackArchive(layout: Layout, archive: string): Promise<Release> {
  removeIncomplete(layout)
  const folder = join(layout.programs, `${stagingPrefix}${process.pid}`)
  mkdirSync(folder, { mode: 0o755 })
  const options = ['--gzip', '--strip-components=1', '--no-same-owner', '--no-same-permissions']
  runProgram('tar', ['--extract', ...options, `--file=${archive}`, `--directory=${folder}`])
  openToAllUsers(folder)
  const release = readRelease(folder)
  await verifyFiles(folder)
  return release
}

/**
 * Lets all users read a release and run its programs. Somebody who unpacks a release with a strict umask gets files that
 * no other user can read. Removes setuid, setgid and sticky bits, and write access of others.
 */
export function openToAllUsers(release: string): void {
  const entries = readdirSync(release, { recursive: true, withFileTypes: true })
  chmodSync(release, 0o755)
  for (const entry of entries.filter((it) => it.isDirectory() || it.isFile())) {
    const path = join(entry.parentPath, entry.name)
    const isExecutable = entry.isDirectory() || (statSync(path).mode & 0o100) !== 0
    chmodSync(path, isExecutable ? 0o755 : 0o644)
  }
}

/** Gives a checked folder the name of its version. A complete folder of this version is kept. */
export async function placeRelease({ programs }: Layout, { folder, version }: Release): Promise<void> {
  const target = join(programs, version)
  // After a power failure, a folder with its final name must not have empty files.
  runProgram('sync', ['--file-system', folder])
  const isComplete = await verifyFiles(target).then(
    () => true,
    () => false,
  )
  if (isComplete) {
    rmSync(folder, { recursive: true })
  } else {
    rmSync(target, { recursive: true, force: true })
    renameSync(folder, target)
  }
  syncPath(programs)
}

/** Removes what an interrupted command has left. */
export function removeIncomplete({ programs }: Layout): void {
  for (const name of readdirSync(programs)) {
    if (name.startsWith(stagingPrefix)) rmSync(join(programs, name), { recursive: true, force: true })
  }
}

/** The path for a new folder that is not complete yet. */
export const incompletePath = ({ programs }: Layout) => join(programs, `${stagingPrefix}${process.pid}`)
