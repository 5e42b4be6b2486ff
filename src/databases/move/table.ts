/** The table of databases that are being moved to another node. */

/**
 * The step of a move:
 * - `prepare`: a temporary server on the new node is started and checked while the database still runs
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
}
