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

export function chargeOf({ engine, folder, log, now, isTakingOver, mayBegin }: ChargeOptions): ChargeBarrier {
  const place = placeOf(folder)
  const processes = processFile(folder)
  const own = randomUUID()
  /** `new`: this process has not been in charge yet. `no`: another process took over, or had it at the start. */
  let state: 'new' | 'yes' | 'no' = 'new'
  let other: FoundCharge | null = null
  let checkedAtMs = -Infinity
  let underWay: Promise<void> | null = null
  return { reason, check }

  function reason(): GateReason | null {
    return other === null ? null : { reason: 'NotInCharge', host: other.host, since: other.since }
  }

  /** @throws EngineUnavailable if the swarm does not answer, so that nothing is known */
  async function check(): Promise<GateReason | null> {
    if (performance.now() - checkedAtMs > validMs) {
      underWay ??= update().finally(() => {
        underWay = null
      })
      await underWay
    }
    return reason()
  }

  async function update() {
    const startedAtMs = performance.now()
    try {
      await observe()
    } catch (error) {
      // The caller is about to make another call: an error of this one must not look like an error of that one.
      throw error instanceof EngineFailure ? new EngineUnavailable(error.message, { cause: error }) : error
    }
    checkedAtMs = startedAtMs
  }

  async function observe() {
    for (let attempt = 1; ; attempt++) {
      const found = await engine.readCharge()
      if (found?.process === own) return take()
      if (!canTake(found)) return give(found)
      try {
        // Known before the write, so that the next process recognizes this one after a crash at any point.
        processes.replace(found?.process ?? null, own)
        const charge: Charge = { process: own, place, host: hostname(), since: now().toISOString() }
        await engine.writeCharge(charge, found?.version ?? null)
        // The process before may act on its last answer for this long.
        if (found !== null && found.place !== place) await pause(validMs)
        return take()
      } catch (error) {
        const isConflict = error instanceof EngineFailure && error.reason === 'conflict'
        if (!isConflict || attempt === maxAttempts) throw error
      }
    }
  }

  function canTake(found: FoundCharge | null): boolean {
    // Nobody knows what became of the process that took over: a person decides.
    if (found === null) return state !== 'no' && mayBegin()
    return state === 'new' && (isTakingOver || processes.includes(found, place))
  }

  function take() {
    if (state !== 'yes') log.info('in charge of the swarm', { process: own })
    state = 'yes'
    other = null
  }

  /** @param found null: nobody is in charge, and this process must not take charge yet */
  function give(found: FoundCharge | null) {
    if (found === null) return
    if (other === null) log.warn('another Berth is in charge of the swarm', { host: found.host, since: found.since })
    state = 'no'
    other = found
  }
}
