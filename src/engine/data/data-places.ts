/**
 * Where the files of a server are: the command that resolves symbolic links in a container (data-places.sh), and the
 * parser of its output. Pure.
 */
import { posix } from 'node:path'
import { textFile } from '../../lib/text-file.ts'
import type { Outcome } from '../engine.ts'
import { EngineFailure } from '../failures.ts'

/** A file or folder of a server. All paths are paths in the container. */
export interface DataPlace {
  /** The path by which the server knows the file or folder. */
  path: string
  /** The path after all symbolic links. */
  target: string
  /** The mount point of the mount that contains `target`; `/` for the container's own files. */
  mount: string
}

const script = textFile('engine/data/data-places.sh')

/** The argv that runs data-places.sh. */
export const placesArgv = (paths: string[]): string[] => ['sh', '-c', script, 'berth', ...paths]

/**
 * Returns the places that data-places.sh printed.
 * Throws EngineFailure `failed` if the program failed or its output is incomplete.
 */
export function parsePlaces({ exitCode, stdout, stderr }: Outcome): DataPlace[] {
  const parts = stdout.split('\0')
  const mounts = mountPoints(parts.pop()!)
  if (exitCode !== 0 || !mounts.includes('/')) {
    throw new EngineFailure(
      'failed',
      `Cannot find the files of the server: ${stderr.trim() || `exit code ${exitCode}`}`,
    )
  }
  const places: DataPlace[] = []
  for (let at = 0; at + 1 < parts.length; at += 2) {
    const target = posix.normalize(parts[at + 1]!)
    places.push({ path: posix.normalize(parts[at]!), target, mount: mountOf(target, mounts) })
  }
  return places
}

/** Returns whether `path` is `folder` or is inside it. */
export const isWithin = (path: string, folder: string): boolean =>
  path === folder || path.startsWith(folder.endsWith('/') ? folder : `${folder}/`)

/** Returns the mount point of the mount that contains the path. `mounts` contains `/`. */
export const mountOf = (path: string, mounts: string[]): string =>
  mounts
    .filter((mount) => isWithin(path, mount))
    .reduce((longest, mount) => (mount.length > longest.length ? mount : longest))

/** The mount points in the text of /proc/self/mountinfo. Source: proc_pid_mountinfo(5); spaces are written as `\040`. */
function mountPoints(text: string): string[] {
  const fields = text.split('\n').flatMap((line) => line.split(' ')[4] ?? [])
  return fields.map((field) =>
    field.replace(/\\([0-7]{3})/g, (_, octal: string) => String.fromCharCode(parseInt(octal, 8))),
  )
}
