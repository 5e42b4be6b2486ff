/** The table of volumes: where data is, who owns the data, and what is known about the data. */
import type { Sealed, Time } from '../store/column-types.ts'

/**
 * Why a database is not started on its volume. `VolumeMissing`: the node no longer has the volume. `DataReplaced`: the
 * volume holds other data than at the last successful login.
 */
export type DataFault = 'VolumeMissing' | 'DataReplaced'

/** The sort of owner that the volume was created for: a database, or the registry that Berth runs. */
export type OwnerKind = 'database' | 'registry'

export interface VolumeTable {
  id: string
  /** The name of the volume in the engine. */
  name: string
  /** The kind of the database; `registry` for the registry that Berth runs. Decisions read `ownerKind`. */
  kind: string
  ownerKind: OwnerKind
  /** The id of the database or of the registry's server. Null: the volume is kept, or is being removed. */
  ownerId: string | null
  /** The version of the server that wrote the data (`15`, `8.4`); null until known. */
  serverVersion: string | null
  /** The mount path in the container. The path of a volume never changes. */
  dataPath: string
  nodeId: string
  nodeName: string
  nodeAddress: string
  state: 'attached' | 'kept' | 'removing'
  /** The name of the owner; for a kept volume, the name at the time when it was kept. */
  appName: string
  /** The image of the owner; for a kept volume, the image at the time when it was kept. */
  dockerImage: string
  /** The credentials of the server's data, as of the last successful login. */
  settings: string
  secrets: Sealed
  /**
   * Further credentials that may be valid, as JSON: a change to them had begun when the server was last observed. Null
   * if there are none.
   */
  tried: Sealed | null
  createdAt: Time
  keptAt: Time | null
  /** The deployment that removes the volume; null if the volume is not being removed. */
  deploymentId: string | null
  /** The mark that Berth stored among the data to recognize the data; null before the first successful login. */
  identity: string | null
  /** Null if no fault is known. */
  fault: DataFault | null
}
