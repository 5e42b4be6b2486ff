/** Syncs files and folders to the disk. A synced file survives a power failure. */
import { closeSync, fsyncSync, openSync } from 'node:fs'

/** Syncs the contents of a file, or the names in a folder. */
export function syncPath(path: string): void {
  const file = openSync(path, 'r')
  fsyncSync(file)
  closeSync(file)
}
