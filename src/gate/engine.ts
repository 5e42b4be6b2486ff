/** The engine behind the gate: a method that changes something, or that starts a program, asks the gate first. */
import { type Engine, EngineUnavailable } from '../engine/engine.ts'
import type { Gate, Work } from './gate.ts'
import { gateMessage } from './reason-message.ts'
import type { GateReason } from './reason.ts'

/**
 * Changes are held back. Loops handle this like an engine that does not answer: their work waits, and no deployment
 * fails.
 */
export class GateClosed extends EngineUnavailable {
  readonly reason: GateReason

  constructor(reason: GateReason) {
    super(gateMessage(reason))
    this.name = 'GateClosed'
    this.reason = reason
  }
}

/** @throws GateClosed if the gate is closed for the work */
export async function passGate(gate: Gate, work: Work): Promise<void> {
  const reason = await gate.check(work)
  if (reason !== null) throw new GateClosed(reason)
}

/** The work of each method. Null: the method starts and changes nothing. */
const workOf: Record<keyof Engine, Work | null> = {
  ping: null,
  prepare: 'change',
  services: null,
  servicesNamed: null,
  foundSpec: null,
  tasks: null,
  tasksOf: null,
  createService: 'change',
  updateService: 'change',
  renewCredentials: 'change',
  removeService: 'change',
  detached: null,
  hostAddresses: null,
  containerNetworks: null,
  availableMemoryBytes: null,
  liveContainers: null,
  removeVolume: 'change',
  // These start a service for their command, most of them only on another node.
  volumeUse: 'read',
  isVolumeEmpty: 'read',
  ownVolumes: 'read',
  volumeMark: 'read',
  exitReport: 'read',
  stats: 'read',
  diskUsage: 'read',
  diskFree: 'read',
  ask: 'read',
  dataMark: 'change',
  dataPlaces: 'read',
  awaitAnswer: 'read',
  clear: 'change',
  run: 'change',
  runJob: 'read',
  listJobs: null,
  removeJob: 'read',
  logs: null,
  image: null,
  pullImage: 'change',
  watch: null,
  nodes: null,
  tasksOn: null,
  joinParameters: null,
  rotateToken: 'change',
  updateNode: 'change',
  removeNode: 'change',
  // The charge is what the gate asks.
  readCharge: null,
  writeCharge: null,
}

export function gatedEngine(engine: Engine, gate: Gate): Engine {
  const gated =
    (name: keyof Engine, work: Work) =>
    async (...args: never[]) => {
      await passGate(gate, work)
      const method = engine[name] as (...args: never[]) => Promise<unknown>
      return method(...args)
    }
  const methods = Object.entries(workOf).flatMap(([name, work]) =>
    work === null ? [] : [[name, gated(name as keyof Engine, work)] as const],
  )
  return Object.assign(Object.create(engine) as Engine, Object.fromEntries(methods))
}
