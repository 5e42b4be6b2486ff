/** Syncs files and folders to the disk. A synced file survives a power failure. */
import { closeSync, fchmodSync, fsyncSync, openSync, renameSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'

/** Syncs the contents of a file, or the names in a folder. */
export function syncPath(path: string): void {
  const file = openSync(path, 'r')
  fsyncSync(file)
  closeSync(file)
}

/** Replaces a file. A crash leaves the old file or the new one. @param mode also if the umask forbids it */
export function writeInOneStep(path: string, text: string, mode = 0o644): void {
  const fresh = `${path}.new`
  const file = openSync(fresh, 'w', mode)
  try {
    fchmodSync(file, mode)
    writeSync(file, text)
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
  renameSync(fresh, path)
  syncPath(dirname(path))
}
