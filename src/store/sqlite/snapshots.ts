/**
 * Reads of one turn of the event loop share one snapshot, for taking and leaving one costs as much as a read by key.
 * It ends with the turn, or sooner: when a write is on the disk, so that who was told of it reads it. From its commit
 * until then the snapshot of before is held: no read shows what a power failure could still undo.
 */
import type { DatabaseSync } from 'node:sqlite'

export interface Snapshots {
  /** Before each read. */
  take(): void
  /** Before a commit. */
  hold(): void
  /** Once the commit is on the disk. */
  leave(): void
}

export function snapshotsOn(file: DatabaseSync): Snapshots {
  const [begin, commit] = [file.prepare('begin'), file.prepare('commit')]
  const look = file.prepare('select 1 from sqlite_schema limit 1')
  let isTaken = false
  let isHeld = false
  return { take, hold, leave }

  function take() {
    if (isTaken) return
    begin.run()
    isTaken = true
    setImmediate(end)
  }

  /** A snapshot is of the moment of its first read. */
  function hold() {
    take()
    look.get()
    isHeld = true
  }

  function leave() {
    isHeld = false
    end()
  }

  function end() {
    if (!isTaken || isHeld) return
    isTaken = false
    // A read may come while the store closes.
    if (file.isOpen) commit.run()
  }
}
