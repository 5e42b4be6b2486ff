/** The tables of the engine ports: Berth's client certificates, and the port of each other node. */
import type { Json } from '../../lib/json.ts'
import type { Sealed, Time } from '../../store/column-types.ts'
import type { NodeEngineReason } from './reason.ts'

/**
 * `current`: Berth connects with it. `next`: nodes accept it already, and Berth will connect with it. `previous`: nodes
 * accept it until their port changes, when they are idle. `revoked`: no node may accept it; the row exists until no node does.
 */
export type AccessState = 'current' | 'next' | 'previous' | 'revoked'

/** A client certificate of Berth. There is one `current` certificate and at most one `next` certificate. */
export interface EngineAccessTable {
  /** SHA-256 of the certificate, 64 hexadecimal digits in lower case. */
  fingerprint: string
  state: AccessState
  certificatePem: string
  /** The private key. Null if Berth does not use the certificate any more. */
  key: Sealed | null
  /** The generation of the authority `engines` that signed the certificate. */
  generation: number
  notAfter: Time
  createdAt: Time
}

/**
 * `reachable`: Berth reached the node's engine. `unreachable`: see the reason. `starting`: the port is being created or
 * changed. `unavailable`: the node is down or drained.
 */
export const engineStates = ['reachable', 'unreachable', 'starting', 'unavailable'] as const
export type EngineState = (typeof engineStates)[number]

/** The port to the engine of another node. */
export interface NodeEngineTable {
  /** The swarm's id of the node. */
  nodeId: string
  hostname: string
  /** The swarm's address of the node, and the port on it. */
  address: string
  port: number
  state: EngineState
  /** Why the engine cannot be reached; null if it can, or while the port is starting. */
  reason: Json<NodeEngineReason> | null
  /** Since when the state is the same. */
  since: Time
  /** The fingerprints that the port's service accepts, separated by commas. Empty before the service exists. */
  fingerprints: string
  /** The digest of the container part of the service's specification. Empty before the service exists. */
  digest: string
  /** The certificate of the port, its key, the generation of the authority that signed it, and its end. */
  certificatePem: string
  key: Sealed
  generation: number
  notAfter: Time
}
