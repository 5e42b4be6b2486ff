/** The table of databases that are being moved to another node; see schema.ts. */

/**
 * How far a move has come. `prepare`: a server on the new node is set up while the database goes on. `stop`: the
 * database is stopped. `copy`: what it holds is copied and compared. `clear`: both servers of the copy end. `back`:
 * they end, and the fresh volume goes.
 */
export type MoveStep = 'prepare' | 'stop' | 'copy' | 'clear' | 'back'

/** A move until the database is on its new volume, or its old one is to be used again; then the row goes. */
export interface MoveTable {
  databaseId: string
  deploymentId: string
  nodeId: string
  nodeName: string
  nodeAddress: string
  /** The fresh volume; null until it is recorded. */
  volumeId: string | null
  step: MoveStep
}
