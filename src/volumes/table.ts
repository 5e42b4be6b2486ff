/** The table of volumes: where data is, to whom the data belongs, and what is known of the data. */
import type { Sealed, Time } from '../store/column-types.ts'

/**
 * Why a database is not started on its volume. `VolumeMissing`: its node has no such volume any more. `DataReplaced`:
 * other data is on it than a server last answered with.
 */
export type DataFault = 'VolumeMissing' | 'DataReplaced'

/** What the volume was made for: a database, or the registry that Berth runs. */
export type OwnerKind = 'database' | 'registry'

export interface VolumeTable {
  id: string
  /** The engine's name for it. */
  name: string
  /** The kind of the database; `registry` for the registry that Berth runs. Decisions read `ownerKind`. */
  kind: string
  ownerKind: OwnerKind
  /** The id of the database or of the registry's server. Null: the volume is kept, or is being removed. */
  ownerId: string | null
  /** Of the server that wrote it, once known: `15`, `8.4`. */
  serverVersion: string | null
  /** Fixed for its life. */
  dataPath: string
  nodeId: string
  nodeName: string
  nodeAddress: string
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
