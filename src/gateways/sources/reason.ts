/** The reasons why allowed sources are not enforced: closed unions with parameters, as stored. */

/** How a client connects: from another machine over IPv4 or IPv6, or from the node itself. */
export type Family = 'ipv4' | 'ipv6' | 'loopback'

/** Why a gateway cannot tell a source from others. */
export type SourceFault =
  /** Clients of this family arrive with another address than their own. */
  | { reason: 'SourceHidden'; source: string; family: Family; node: string }
  /** Berth could not measure whether clients of this family arrive with their own address. */
  | { reason: 'SourceUnmeasured'; source: string; family: Family; node: string }
  /** All clients arrive with this address whose own address is hidden. */
  | { reason: 'SourceShared'; source: string; node: string }

export type SourcesReason =
  /** The gateway is starting, or Berth has not reached it yet. */
  | { reason: 'SourcesPending' }
  /** `detail`: why HAProxy, or the engine, has not taken the sources. */
  | { reason: 'SourcesRefused'; detail: string }
  /** The gateway enforces all sources but these, from which it admits nobody. */
  | { reason: 'SourcesIncomplete'; faults: readonly SourceFault[] }
