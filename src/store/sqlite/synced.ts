/** What makes files and their names survive a power failure. */
import { closeSync, fsyncSync, openSync } from 'node:fs'

/** Of a file its contents, of a folder the names in it. */
export function syncPath(path: string): void {
  const file = openSync(path, 'r')
  fsyncSync(file)
  closeSync(file)
}
