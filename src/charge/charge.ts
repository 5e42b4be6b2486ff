/**
 * Whether this process is in charge of the swarm. Two processes with copies of one store would change the same services
 * and delete each other's dumps. Therefore a config of the swarm names the process in charge, and each change asks
 * first. A process takes charge when it starts, if nobody is in charge or an earlier process of the same data folder
 * was. A person makes it take over from another one: berth up --take-over.
 */
import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import { setTimeout as pause } from 'node:timers/promises'
import type { Charge, ChargeEngine, FoundCharge } from '../engine/charge.ts'
import { EngineFailure, EngineUnavailable } from '../engine/engine.ts'
import type { Barrier } from '../gate/gate.ts'
import type { GateReason } from '../gate/reason.ts'
import type { Log } from '../lib/log.ts'
import { placeOf, processFile } from './place.ts'

/** An answer of the swarm counts for this long, so that a burst of changes makes one call. */
const validMs = 1000
const maxAttempts = 5

export interface ChargeOptions {
  engine: ChargeEngine
  folder: string
  log: Log
  now(): Date
  /** Whether this process takes over from any other one when it starts. */
  isTakingOver: boolean
  /** Whether this process may take charge if nobody has it, which can create the swarm. */
  mayBegin(): boolean
}

export interface ChargeBarrier extends Barrier {
  check(): Promise<GateReason | null>
}

/** This process, and what it knows of the charge. */
interface OwnProcess {
  id: string
  place: string
  processes: ReturnType<typeof processFile>
  /** `new`: this process has not been in charge yet. `no`: another process took over, or had it at the start. */
  isInCharge: 'new' | 'yes' | 'no'
  /** The process that is in charge instead; null if none is known. */
  other: FoundCharge | null
}

export function chargeOf(options: ChargeOptions): ChargeBarrier {
  const { folder } = options
  const place = placeOf(folder)
  const own: OwnProcess = { id: randomUUID(), place, processes: processFile(folder), isInCharge: 'new', other: null }
  let checkedAtMs = -Infinity
  let underWay: Promise<void> | null = null
  return { reason, check }

  function reason(): GateReason | null {
    return own.other === null ? null : { reason: 'NotInCharge', host: own.other.host, since: own.other.since }
  }

  /** @throws EngineUnavailable if the swarm does not answer, so that nothing is known */
  async function check(): Promise<GateReason | null> {
    if (performance.now() - checkedAtMs > validMs) {
      underWay ??= askSwarm().finally(() => {
        underWay = null
      })
      await underWay
    }
    return reason()
  }

  async function askSwarm() {
    const startedAtMs = performance.now()
    try {
      await update(options, own)
    } catch (error) {
      // The caller is about to make another call: an error of this one must not look like an error of that one.
      if (error instanceof EngineUnavailable) throw error
      throw new EngineUnavailable(`Who is in charge of the swarm is unknown: ${String(error)}`, { cause: error })
    }
    checkedAtMs = startedAtMs
  }
}

/** Reads who is in charge, and takes charge if this process may. Tries again if another process was first. */
async function update(options: ChargeOptions, own: OwnProcess): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    const found = await options.engine.readCharge()
    if (found?.process === own.id) return recordTaken(options, own)
    if (!mayTake(options, own, found)) return recordOther(options, own, found)
    try {
      return await take(options, own, found)
    } catch (error) {
      const isConflict = error instanceof EngineFailure && error.reason === 'conflict'
      if (!isConflict || attempt === maxAttempts) throw error
    }
  }
}

function mayTake({ isTakingOver, mayBegin }: ChargeOptions, own: OwnProcess, found: FoundCharge | null): boolean {
  // Nobody knows what became of the process that took over: a person decides.
  if (found === null) return own.isInCharge !== 'no' && mayBegin()
  return own.isInCharge === 'new' && (isTakingOver || own.processes.includes(found, own.place))
}

async function take(options: ChargeOptions, own: OwnProcess, found: FoundCharge | null): Promise<void> {
  const { id, place, processes } = own
  // Stored before the write, so that the next process recognizes this one after a crash at any point.
  processes.replace(found?.process ?? null, id)
  const charge: Charge = { process: id, place, host: hostname(), since: options.now().toISOString() }
  await options.engine.writeCharge(charge, found?.version ?? null)
  // The process before may act on its last answer for this long.
  if (found !== null && found.place !== place) await pause(validMs)
  recordTaken(options, own)
}

function recordTaken({ log }: ChargeOptions, own: OwnProcess): void {
  if (own.isInCharge !== 'yes') log.info('in charge of the swarm', { process: own.id })
  own.isInCharge = 'yes'
  own.other = null
}

/** @param found null: nobody is in charge, and this process must not take charge yet */
function recordOther({ log }: ChargeOptions, own: OwnProcess, found: FoundCharge | null): void {
  if (found === null) return
  const { host, since } = found
  if (own.other === null) log.warn('another Berth is in charge of the swarm', { host, since })
  own.isInCharge = 'no'
  own.other = found
}
