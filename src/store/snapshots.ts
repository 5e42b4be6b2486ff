/**
 * Reads of one turn of the event loop share one snapshot, for taking and leaving one costs as much as a read by key.
 * It ends with the turn, or sooner: with each commit, so that who was told of a write reads it.
 */
import type { DatabaseSync } from 'node:sqlite'

export interface Snapshots {
  /** Before each read. */
  take(): void
  leave(): void
}

export function snapshotsOn(file: DatabaseSync): Snapshots {
  const [begin, commit] = [file.prepare('begin'), file.prepare('commit')]
  let isTaken = false
  return { take, leave }

  function take() {
    if (isTaken) return
    begin.run()
    isTaken = true
    setImmediate(leave)
  }

  function leave() {
    if (!isTaken) return
    isTaken = false
    // A read may come while the store closes.
    if (file.isOpen) commit.run()
  }
}
