/** The tables of the registry that Berth runs, and of credentials that services are to be told; see schema.ts. */
import type { RegistryServerReason } from '../deployments/reason.ts'
import type { Json } from '../lib/json.ts'
import type { Flag, Sealed } from '../store/column-types.ts'

/** The registry that Berth runs on the swarm: one, or none. */
export interface RegistryServerTable {
  id: typeof serverId
  /** Its record; null once that was removed. */
  registryId: string | null
  goal: 'up' | 'gone'
  /** JSON: the username, and the password's bcrypt hash. */
  htpasswd: Sealed
  /** The name that the proxy serves it by; null: it holds a port of its node. */
  host: string | null
  port: number | null
  /** Null until its node was chosen. */
  volumeId: string | null
  /** It is to take nothing but reads, and to throw away what no image uses. */
  collecting: Flag
  /** Images without a tag are to go too. */
  untagged: Flag
  /** How often a collection began: each has a container of its own, in which no other goes on. */
  collections: number
  status: 'running' | 'done' | 'error'
  /** Why it does not run as it should; null where it does. */
  reason: Json<RegistryServerReason> | null
  /** The work under way; null without. */
  deploymentId: string | null
}

export const serverId = 'registry'

/** The registry's service. */
export const registryName = 'berth-registry'

/** A registry whose credentials changed: services with images of it are to be told. */
export interface ChangedCredentialsTable {
  host: string
  /** Another one with each change, so that none is taken for told that came while another was. */
  changeId: string
}
