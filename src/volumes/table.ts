/** The table of volumes: the node, the owner and the known properties of each volume. */
import type { DataPlace } from '../engine/data/data-places.ts'
import type { Json } from '../lib/json.ts'
import type { Sealed, Time } from '../store/column-types.ts'

/**
 * Why Berth does not start a database on its volume. `VolumeMissing`: the volume no longer exists on its node.
 * `DataReplaced`: the volume contains other data than at the last successful login. `FirstStartInterrupted`: the first
 * server on the volume ended before it had initialized the data, so the files are incomplete.
 */
export type DataFault = 'VolumeMissing' | 'DataReplaced' | 'FirstStartInterrupted'

/** The kind of owner that the volume was created for: a database, or the registry that Berth runs. */
export type OwnerKind = 'database' | 'registry'

/** The paths that a server reported, with patterns among them, and the places to which they led. */
export interface KnownPlaces {
  paths: readonly string[]
  places: readonly DataPlace[]
}

/** What settings of a server were before a restore changed them. */
export interface ChangedSettings {
  /** The task of the server. A later task has its own values. */
  taskId: string
  values: Readonly<Record<string, number>>
}
/**
 * What Berth can do on the server besides the login of the database's user. `complete`: everything, with its own
 * account. `withoutRoot`: everything, but the stored credentials of the server's administrator are refused.
 * `withoutOwn`: Berth has no account of its own there. Then it works with the stored credentials.
 */
export type Access = 'complete' | 'withoutRoot' | 'withoutOwn'

export interface VolumeTable {
  id: string
  /** The name of the volume in the engine. */
  name: string
  /**
   * The kind of the database; `registry` for the registry that Berth runs. To decide about owners, read `ownerKind`.
   */
  kind: string
  ownerKind: OwnerKind
  /** The id of the database or of the registry's server. Null if the volume is kept or is being removed. */
  ownerId: string | null
  /** The version of the server that wrote the data (`15`, `8.4`); null until known. */
  serverVersion: string | null
  /** The mount path in the container. Does not change while `serverVersion` is known. */
  dataPath: string
  nodeId: string
  nodeName: string
  nodeAddress: string
  /**
   * A present node that has a volume of this name, while the node of the volume is down or not in the swarm. The machine
   * may have joined again with another id. Null if none was found.
   */
  foundNodeId: string | null
  /** The host name of that node. */
  foundNodeName: string | null
  state: 'attached' | 'kept' | 'removing'
  /** The name of the owner; for a kept volume, the name of its last owner. */
  appName: string
  /** The image of the owner; for a kept volume, the image of its last owner. */
  dockerImage: string
  /** The public settings as of the last successful login; before the first login, those of the first target. */
  settings: string
  /** The secret settings of the same login or target. */
  secrets: Sealed
  /**
   * Credentials that may be valid instead of `settings` and `secrets`, as JSON: Berth began to set them, and no login
   * has shown the outcome yet. Null if there are none.
   */
  tried: Sealed | null
  /**
   * The secret settings with which the first server on the volume was started, as JSON. Null until the first proven
   * login, for volumes of older versions of Berth, and for the registry; see databases/login/start-secrets.ts.
   */
  startSecrets: Sealed | null
  /**
   * Berth's own account on the server with this data: its name and its password, as JSON. Recorded before the account
   * is made. Null before the first login, and for a kind of database without such accounts.
   */
  ownAccount: Sealed | null
  /** As of the last login; null before it, and for a kind of database without such accounts. */
  access: Access | null
  createdAt: Time
  keptAt: Time | null
  /** The deployment that removes the volume; null if the volume is not being removed. */
  deploymentId: string | null
  /**
   * The mark that Berth wrote to the data, to recognize the data later. Null if no mark is recorded, as before the
   * first login.
   */
  identity: string | null
  /**
   * How often the database switched to another volume before this one, plus one. Each new volume of a move and each new
   * owner raises it. 0 for a volume that an older version of Berth recorded.
   */
  generation: number
  /**
   * When a container was last about to start on the new, empty volume. Null once a server on the volume was ready, and
   * for a volume that Berth did not create empty. While it is set, the files can be incomplete, and the images do not
   * complete them: they initialize an empty folder only.
   */
  initializingSince: Time | null
  /**
   * Where the files of the server on the volume were when Berth last read this, as each login does. Null if it is
   * unknown.
   */
  dataPlaces: Json<KnownPlaces> | null
  /** The settings of the server that a restore has changed, and that are to be set back. Null if there are none. */
  restoreSettings: Json<ChangedSettings> | null
  /**
   * The name of the volume of which this one is a copy; null if it is none. Berth did not create that volume, and does not
   * change it.
   */
  copyOf: string | null
  /** When the copy was complete; null before that. No server starts on the volume before. */
  copiedAt: Time | null
  /** The known fault of the data; null if no fault is known. */
  fault: DataFault | null
}
