/** The tables of how applications are reached; see schema.ts. */
import type { PortReason } from '../deployments/reason.ts'
import type { Protocol } from '../engine/spec.ts'
import type { Json } from '../lib/json.ts'
import type { Flag, Sealed, Time } from '../store/column-types.ts'

/**
 * What was last seen of a service of the swarm: its name is taken, and rules may be about it. Kept so that rules can be
 * judged, and the proxy configured, while the engine is away.
 */
export interface ApplicationTable {
  /** The swarm's. */
  id: string
  name: string
  /** Made by this Berth: no rule may be about it. */
  isOwn: Flag
  /** From its label `berth.application`; null without. */
  alias: string | null
  /** JSON: names from its label `berth.host`, lower case. */
  hosts: string
  /** Where it listens: its label `berth.port`. */
  port: number
  /** From its label `berth.tls`. */
  tls: 'auto' | null
  /** It is on Berth's network: without that nothing reaches it. */
  onNetwork: Flag
  /** JSON: `{ port, protocol }` of each port that it publishes itself. */
  published: string
  /** JSON: sentences on labels that are wrong. */
  faults: string
  replicas: number
  running: number
  /** JSON: where its tasks are reached from this machine; empty where the proxy is no process of it. */
  addresses: string
  createdAt: Time
}

export interface RedirectTable {
  id: string
  /** As it was given: an id, a name or an alias. */
  applicationId: string
  regex: string
  replacement: string
  permanent: Flag
  createdAt: Time
}

export interface SecurityTable {
  id: string
  applicationId: string
  username: string
  /** bcrypt, of the password. */
  passwordHash: Sealed
  createdAt: Time
}

export interface PortTable {
  id: string
  applicationId: string
  publishedPort: number
  targetPort: number
  protocol: Protocol
  goal: 'published' | 'gone'
  /** The gateway runs, and forwards to the application. */
  applied: Flag
  /** Why not; null where it is applied. */
  reason: Json<PortReason> | null
  /** The work under way; null without. */
  deploymentId: string | null
  createdAt: Time
}

export interface CertificateTable {
  id: string
  name: string
  path: string | null
  autoRenew: Flag
  /** JSON: what is to be known of each pair, in their order. */
  described: string
  /** JSON: `{ chain, key }` of each pair: one that was uploaded, or one for each name after a renewal. */
  pairs: Sealed
  createdAt: Time
  /** Null before the first renewal. */
  renewedAt: Time | null
}

/** How it goes with a name that the proxy is to get a certificate for. */
export interface IssuanceTable {
  name: string
  /** The last failure; null after a success. */
  error: string | null
  /** After a failure; null where nothing failed. */
  nextTryAt: Time | null
  /** Of the certificate that the proxy holds; null without. */
  notAfter: Time | null
}
