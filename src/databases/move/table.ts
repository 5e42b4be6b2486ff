/** The table of databases whose data is copied to a new volume: by a move to another node, or by a restore. */

/**
 * The step of a move:
 * - `prepare`: a temporary server on the new volume is started and checked while the database still runs. A restore
 *   loads its dump there
 * - `stop`: the database is stopped
 * - `copy`: the data is copied and compared
 * - `clear`: both temporary servers are removed
 * - `back`: the move has failed; the temporary servers and the new volume are removed
 */
export type MoveStep = 'prepare' | 'stop' | 'copy' | 'clear' | 'back'

/** A move in progress. The row is deleted when the database belongs to its new volume or returns to its old one. */
export interface MoveTable {
  databaseId: string
  deploymentId: string
  nodeId: string
  nodeName: string
  nodeAddress: string
  /** The new volume; null until it is recorded. */
  volumeId: string | null
  step: MoveStep
  /** The run of the restore that takes one of the databases from a dump; null for a move to another node. */
  restoreRunId: string | null
  /**
   * A checksum of the server's inventory, as it was when the server on the new volume got the accounts and the dump. Null
   * before that. If the inventory has changed since, both are repeated while the database is stopped.
   */
  inventorySum: string | null
}
