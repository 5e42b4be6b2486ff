/** Syncs files and folders to the disk, so that they survive a power failure. */
import { closeSync, fsyncSync, openSync } from 'node:fs'

/** Syncs the content of a file, or the names in a folder. */
export function syncPath(path: string): void {
  const file = openSync(path, 'r')
  fsyncSync(file)
  closeSync(file)
}
