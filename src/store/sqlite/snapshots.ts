/**
 * Lets the reads of one turn of the event loop share a snapshot, because taking and releasing a snapshot costs as much
 * as a read by key. A snapshot ends with the turn, or when a write is synced to the disk, so that later reads see the
 * write. Between commit and sync the snapshot before the commit stays: no read sees data that a power failure could
 * undo.
 */
import type { DatabaseSync } from 'node:sqlite'

export interface Snapshots {
  /** Call this before each read. */
  take(): void
  /** Call this before a commit: keeps the snapshot until `release`. */
  pin(): void
  /** Call this after the commit is synced to the disk. */
  release(): void
}

export function snapshotsOn(file: DatabaseSync): Snapshots {
  const [begin, commit] = [file.prepare('begin'), file.prepare('commit')]
  const readRow = file.prepare('select 1 from sqlite_schema limit 1')
  let isTaken = false
  let isPinned = false
  return { take, pin, release }

  function take() {
    if (isTaken) return
    begin.run()
    isTaken = true
    setImmediate(end)
  }

  /** SQLite takes a snapshot at the first read, so this reads a row. */
  function pin() {
    take()
    readRow.get()
    isPinned = true
  }

  function release() {
    isPinned = false
    end()
  }

  function end() {
    if (!isTaken || isPinned) return
    isTaken = false
    // The file can be closed between a read and the end of its turn.
    if (file.isOpen) commit.run()
  }
}
