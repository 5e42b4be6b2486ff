/**
 * The tables of applications, redirects, basic auth, published ports, certificates and the state of ACME.
 * store/schema.ts lists all tables.
 */
import type { PortReason } from '../deployments/reason.ts'
import type { Protocol } from '../engine/spec.ts'
import type { Json } from '../lib/json.ts'
import type { Flag, Sealed, Time } from '../store/column-types.ts'

/**
 * A Swarm service as Berth last observed it. With these rows, Berth can check rules and configure the proxy while the
 * engine is unavailable. A database cannot have the same name as one of these services.
 */
export interface ApplicationTable {
  /** The id of the service on the swarm. */
  id: string
  name: string
  /** 1 if this installation of Berth created the service. Rules cannot refer to such a service. */
  isOwn: Flag
  /** The label `berth.application`; null without this label. */
  alias: string | null
  /** JSON array of the host names in the label `berth.host`, in lower case. */
  hosts: string
  /** The port that the application listens on: the label `berth.port`, or 80. */
  port: number
  /** The label `berth.tls`; null if the label is missing or invalid. */
  tls: 'auto' | null
  /** The label `berth.preflight`; null if the label is missing or invalid. */
  preflight: 'open' | null
  /** 1 if the service is on Berth's network. Otherwise neither the proxy nor gateways can reach it. */
  onNetwork: Flag
  /** JSON array of `{ port, protocol }`: the ports that the service itself publishes. */
  published: string
  /** JSON array of messages about invalid labels. */
  faults: string
  /** The number of tasks that the service should have. */
  replicas: number
  /** The number of running tasks. */
  running: number
  /**
   * JSON array of the addresses of the service's running tasks, reachable from this machine. Empty unless the proxy
   * runs as processes.
   */
  addresses: string
  createdAt: Time
}

/** A redirect of an application. */
export interface RedirectTable {
  id: string
  /** The id, name or alias of the application, as in the request. */
  applicationId: string
  regex: string
  replacement: string
  permanent: Flag
  createdAt: Time
}

/** A user of an application's basic auth. */
export interface SecurityTable {
  id: string
  applicationId: string
  username: string
  /** The bcrypt hash of the password. */
  passwordHash: Sealed
  createdAt: Time
}

/** A published port of an application. */
export interface PortTable {
  id: string
  applicationId: string
  publishedPort: number
  targetPort: number
  protocol: Protocol
  goal: 'published' | 'gone'
  /** 1 if the gateway runs and forwards to the application. */
  applied: Flag
  /** Why the port is not applied; null if it is. */
  reason: Json<PortReason> | null
  /** The deployment in progress; null if there is none. */
  deploymentId: string | null
  createdAt: Time
}

/** An uploaded certificate, or the certificates that replaced it at a renewal. */
export interface CertificateTable {
  id: string
  name: string
  /** A label from the request, in the form of a relative path. Berth writes no file at this path. */
  path: string | null
  autoRenew: Flag
  /** JSON array: a description of each pair, in the order of `pairs`; caddy/described.ts reads it. */
  described: string
  /** JSON array of `{ chain, key }`: the uploaded pair, or after a renewal one pair for each name. */
  pairs: Sealed
  createdAt: Time
  /** When the certificate was last renewed; null before the first renewal. */
  renewedAt: Time | null
}

/** The state of ACME for a name that the proxy obtains a certificate for. */
export interface IssuanceTable {
  name: string
  /** The message of the last failure; null after a success. */
  error: string | null
  /** When Caddy tries again after a failure; null otherwise. */
  nextTryAt: Time | null
  /** When the certificate in the proxy's folder expires; null if there is none. */
  notAfter: Time | null
}
