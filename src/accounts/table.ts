/** Tables of accounts beside those in schema.ts. */

/** A network from which an account signed in lately. The newest few of each account are kept. */
export interface KnownNetworkTable {
  accountId: string
  /** An IPv4 address, or the /64 of an IPv6 address. */
  network: string
  seenAt: string
}
