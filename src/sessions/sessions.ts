/** The open sessions: their number, and the limits on it. Sessions are not stored: they end with the process. */
import { setTimeout as pause } from 'node:timers/promises'
import { refuse } from '../errors.ts'
import type { Runtime } from '../runtime.ts'
import type { Channel } from './channel.ts'
import { SessionFailure } from './failure.ts'
import { planSession, type SessionPlan, type SessionRequest } from './plan.ts'
import { type Mode, modes } from './protocol.ts'
import { type Idle, relay, type RelayOptions } from './relay.ts'

export interface SessionFigures {
  open: Record<Mode, number>
  /** Since the start of Berth. */
  begun: Record<Mode, number>
}

/** One of the sessions that may be open at once. */
export interface Slot {
  /** Aborts with a SessionFailure when Berth stops. */
  stopped: AbortSignal
  release(): void
}

export interface Sessions {
  plan(databaseId: string, request: SessionRequest): Promise<SessionPlan>
  /** Refuses with TOO_MANY_REQUESTS if the account or all accounts have too many sessions. */
  checkRoom(accountId: string): void
  /** Refuses like `checkRoom`. */
  reserve(accountId: string, mode: Mode): Slot
  /** Runs a session to its end. Never rejects. */
  run(plan: SessionPlan, channel: Channel, options: Omit<RelayOptions, 'idle'>): Promise<void>
  figures(): SessionFigures
  /** Ends all sessions, and refuses new ones. Resolves when all have ended, or after a limit of time. */
  stop(): Promise<void>
}

const defaults = {
  /** Each connection through a tunnel is a session. */
  maxPerAccount: 20,
  maxSessions: 200,
  checkMs: 1000,
  stopMs: 8000,
  clock: () => performance.now(),
}
export type SessionLimits = Partial<typeof defaults>

const retryAfterSeconds = 10

export function sessionsOn(runtime: Runtime, overrides: SessionLimits = {}): Sessions {
  const { maxPerAccount, maxSessions, checkMs, stopMs, clock } = { ...defaults, ...overrides }
  const idle: Idle = { ms: runtime.config.sessionIdleMs, checkMs, clock }
  const slots = new Map<Slot, { accountId: string; mode: Mode; released: Promise<void> }>()
  const stopping = new AbortController()
  const begun = noneOf()
  return {
    plan: (databaseId, request) => planSession(runtime, databaseId, request),
    checkRoom,
    reserve,
    run,
    figures,
    stop,
  }

  function checkRoom(accountId: string): void {
    if (stopping.signal.aborted) refuse('SERVICE_UNAVAILABLE', 'Berth is stopping. Try again later')
    const own = [...slots.values()].filter((each) => each.accountId === accountId).length
    const tooMany = own >= maxPerAccount ? `This account has ${own}` : `There are ${slots.size}`
    if (own >= maxPerAccount || slots.size >= maxSessions) {
      refuse('TOO_MANY_REQUESTS', `${tooMany} open sessions (the maximum). Close one or try again later`, {
        retryAfterSeconds,
      })
    }
  }

  function reserve(accountId: string, mode: Mode): Slot {
    checkRoom(accountId)
    const { promise: released, resolve } = Promise.withResolvers<void>()
    const slot = {
      stopped: stopping.signal,
      release() {
        slots.delete(slot)
        resolve()
      },
    }
    slots.set(slot, { accountId, mode, released })
    begun[mode]++
    return slot
  }

  function run(plan: SessionPlan, channel: Channel, options: Omit<RelayOptions, 'idle'>): Promise<void> {
    return relay(runtime.engine, plan, channel, { ...options, idle })
  }

  function figures(): SessionFigures {
    const open = noneOf()
    for (const { mode } of slots.values()) open[mode]++
    return { open, begun: { ...begun } }
  }

  async function stop(): Promise<void> {
    stopping.abort(new SessionFailure({ code: 'Stopping' }))
    const all = Promise.all([...slots.values()].map(({ released }) => released))
    await Promise.race([all, pause(stopMs, undefined, { ref: false })])
  }
}

const noneOf = () => Object.fromEntries(modes.map((mode) => [mode, 0])) as Record<Mode, number>
