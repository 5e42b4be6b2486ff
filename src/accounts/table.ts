/** The tables of known networks and devices. The other tables of accounts are in store/schema.ts. */

/** A network from which an account signed in. Berth stores the five newest of each account, for 30 days. */
export interface KnownNetworkTable {
  accountId: string
  /** An IPv4 address, or the /64 of an IPv6 address. */
  network: string
  /** Time of the last sign-in from this network, ISO 8601. */
  seenAt: string
}

/** A device from which an account signed in. Berth stores the ten newest of each account, for 90 days. */
export interface KnownDeviceTable {
  accountId: string
  /** The hash of the device's token, see `hashOf`. Several accounts may sign in from one device. */
  hash: string
  /** Time of the last sign-in from this device, ISO 8601. */
  seenAt: string
}
