/**
 * Which Berth process is in charge of the swarm. The swarm stores this in the labels of one config for each
 * installation. The engine changes these labels only if their version is as the writer read it.
 */
export interface Charge {
  /** A random id of the process. Each start has a new one. */
  process: string
  /** A digest of the data folder and its machine: equal for the processes of one data folder. See charge/place.ts. */
  place: string
  /** The host name of the machine. */
  host: string
  /** When the process took charge. ISO 8601 in UTC. */
  since: string
}

export interface FoundCharge extends Charge {
  version: number
}

export interface ChargeEngine {
  /** Returns who is in charge; null if nobody is, also if the engine is in no swarm. */
  readCharge(): Promise<FoundCharge | null>
  /**
   * Records who is in charge.
   * @param version the version that this replaces; null: nobody is in charge. Creates the swarm then if it is missing
   * @throws EngineFailure `conflict` if another process was first
   */
  writeCharge(charge: Charge, version: number | null): Promise<void>
}
