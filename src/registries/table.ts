/** The tables of the registry that Berth runs and of changed credentials. store/schema.ts lists all tables. */
import type { RegistryServerReason } from '../deployments/reason.ts'
import type { Json } from '../lib/json.ts'
import type { Flag, Sealed } from '../store/column-types.ts'

/** The registry that Berth runs on the swarm: at most one row. */
export interface RegistryServerTable {
  id: typeof serverId
  /** The id of the row in the table `registry`; null after that row was removed. */
  registryId: string | null
  goal: 'up' | 'gone'
  /** JSON: the username and the bcrypt hash of the password. */
  htpasswd: Sealed
  /** The host name by which the proxy serves the registry; null if the registry publishes a port of its node. */
  host: string | null
  /** The port that the registry publishes on its node; null if the proxy serves the registry. */
  port: number | null
  /** Null until the loop has chosen the volume and its node. */
  volumeId: string | null
  /** 1 during a garbage collection. The registry is read-only then. */
  collecting: Flag
  /** 1 if the collection also deletes images without a tag. */
  untagged: Flag
  /** How many containers were requested for collections. A change of this number makes Swarm create a new container. */
  collections: number
  status: 'running' | 'done' | 'error'
  /** Why the registry does not work; null if it does. */
  reason: Json<RegistryServerReason> | null
  /** The deployment in progress; null if there is none. */
  deploymentId: string | null
}

/** The id of the only row of `registryServer`. */
export const serverId = 'registry'

/** The name of the registry's service on the swarm. */
export const registryName = 'berth-registry'

/** A registry whose credentials changed. Berth has yet to update the services that use its images. */
export interface ChangedCredentialsTable {
  host: string
  /** A new id for each change. A change during an update of the services gets another id, so Berth does not lose it. */
  changeId: string
}
