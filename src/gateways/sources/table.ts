/** The tables of the allowed sources of gateways. store/schema.ts lists all tables. */
import type { Json } from '../../lib/json.ts'
import type { Time } from '../../store/column-types.ts'
import type { SourcesReason } from './reason.ts'

/** A source that was refused in the 24 hours before Berth recorded it. */
export interface RefusedSource {
  /** The address, as the gateway saw it. */
  source: string
  attempts: number
  lastAt: Time
}

/** The allowed sources in force at a gateway. A TCP gateway of an earlier version of Berth has no row. */
export interface GatewaySourcesTable {
  /** The name of the gateway's service. */
  gateway: string
  /**
   * The node of the gateway, on which a TCP gateway has its volume. After a move, the row of the former node exists until
   * its volume is removed.
   */
  nodeId: string
  /** What the gateway belongs to. */
  ownerKind: 'database' | 'port'
  ownerId: string
  /** The task that has the sources; null before the first. */
  taskId: string | null
  /** The hash of the sources that the gateway has; null before the first. */
  appliedHash: string | null
  /** Since when the gateway enforces the sources that it has; null if it does not. */
  enforcedSince: Time | null
  /** Why the gateway does not enforce the wanted sources, or not all of them; null if it does. */
  reason: Json<SourcesReason> | null
  /** The number of connections that were refused since the gateway was created. */
  refused: number
  /** The counter of the present task, of which `refused` already contains this number. */
  counter: number
  /** The sources with the most refused connections. */
  refusedSources: Json<readonly RefusedSource[]>
}

/** Whether the source address of a client reaches the gateways of a node, by how the client connects. */
export interface SourceMeasurementTable {
  nodeId: string
  ipv4: Visibility
  ipv6: Visibility
  loopback: Visibility
  /** The addresses as which clients arrive whose own address is hidden. */
  hiddenAddresses: Json<readonly string[]>
  measuredAt: Time
}

/** `kept`: the gateway sees the address of the client. `hidden`: it sees another one. `unknown`: Berth could not measure. */
export const visibilities = ['kept', 'hidden', 'unknown'] as const
export type Visibility = (typeof visibilities)[number]

export type Measurement = Pick<SourceMeasurementTable, 'ipv4' | 'ipv6' | 'loopback'> & {
  hiddenAddresses: readonly string[]
}
