/**
 * Lets the reads of one turn of the event loop share a snapshot, because taking and releasing a snapshot takes as long
 * as a read by key. A snapshot ends with the turn. It also ends when a write is synced to the disk, so later reads see
 * the write. Between commit and sync, reads use the snapshot from before the commit. No read sees data that a power
 * failure could undo.
 */
import type { DatabaseSync } from 'node:sqlite'

export interface Snapshots {
  /** Call this before each read. */
  take(): void
  /** Keeps the snapshot until `release`. Call this before a commit if reads can run before the commit is synced. */
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

  /** Reads a row, because SQLite takes a snapshot at the first read. */
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
