/** The table of volumes: where a database's data is, and what is known of it; see schema.ts. */
import type { Sealed, Time } from './column-types.ts'

/**
 * Why a database is not started on its volume. `VolumeMissing`: its node has no such volume any more. `DataReplaced`:
 * other data is on it than a server last answered with.
 */
export type DataFault = 'VolumeMissing' | 'DataReplaced'

export interface VolumeTable {
  id: string
  /** The engine's name for it. */
  name: string
  kind: string
  /** Of the server that wrote it, once known: `15`, `8.4`. */
  serverVersion: string | null
  /** Fixed for its life. */
  dataPath: string
  nodeId: string
  nodeName: string
  nodeAddress: string
  databaseId: string | null
  state: 'attached' | 'kept' | 'removing'
  /** What it was, when it was kept. */
  appName: string
  dockerImage: string
  /** The credentials that hold inside it: those last proven. */
  settings: string
  secrets: Sealed
  /** JSON: others that may hold, for the server was about to be given them when it was last known. Null: none. */
  tried: Sealed | null
  createdAt: Time
  keptAt: Time | null
  /** The work of its removal; null without. */
  deploymentId: string | null
  /** The mark among its data, by which that is known again; null until a login has stored one. */
  identity: string | null
  /** Null: none is known. */
  fault: DataFault | null
}
