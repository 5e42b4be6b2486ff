/**
 * The loop of the clock. While the clock is trusted, a turn stores the time. Otherwise the turn asks the storages and
 * registries for the time, at growing intervals: the clock is trusted again if all that answer agree with it.
 */
import { correctFutureAttempts } from '../../accounts/attempts.ts'
import { correctFutureInvitations } from '../../accounts/invitations.ts'
import { correctFutureDevices } from '../../accounts/known-devices.ts'
import { correctFutureNetworks } from '../../accounts/known-networks.ts'
import { correctFutureTokens } from '../../accounts/tokens.ts'
import { correctFutureRuns } from '../../backups/clock.ts'
import { type ClockState, isConfirmedBy } from '../../clock/clock.ts'
import { agree } from '../../clock/trust.ts'
import type { Loop } from '../../lib/async/loop.ts'
import { egressOf } from '../../lib/net/egress.ts'
import type { Writer } from '../../store/schema.ts'
import type { Runtime } from '../../runtime.ts'
import { type IsOwnMachine, testimonies, witnessUrls } from './witnesses.ts'

const [minWaitMs, maxWaitMs] = [60_000, 3600_000]

/** When to ask the witnesses next, by `uptimeMs`. `aheadMs`: the error of the clock when they were asked. */
interface Questions {
  aheadMs: number
  waitMs: number
  dueMs: number
}

type Dependencies = Pick<Runtime, 'db' | 'transact' | 'clock' | 'storage' | 'log'>

export function clockLoop(runtime: Dependencies, isOwnMachine: IsOwnMachine): Loop<'clock'> {
  const { clock, transact, log } = runtime
  let questions: Questions | null = null
  return {
    name: 'clock',
    periodMs: 60_000,
    async turn() {
      const state = clock.read()
      if (state.reason === null) {
        questions = null
        const complete = await transact(async (tx) => {
          await correctFutureTimes(tx, new Date(state.nowMs))
          return clock.trust(tx, state.reading)
        })
        complete()
        return 'idle'
      }
      if (questions === null) log.warn('the clock of this machine is not trusted', { ...state.reason })
      const due: Questions = questionsAfter(questions, state)
      questions = due
      if (state.reading.uptimeMs < due.dueMs) return 'idle'
      const isConfirmed = await isConfirmedByAll(runtime, isOwnMachine)
      questions = { ...due, waitMs: Math.min(due.waitMs * 2, maxWaitMs), dueMs: state.reading.uptimeMs + due.waitMs }
      return isConfirmed ? 'again' : 'idle'
    },
  }
}

/** The clock may have been set again. Then the witnesses are asked at once. */
function questionsAfter(before: Questions | null, { reading, expectedMs }: ClockState): Questions {
  const aheadMs = reading.wallMs - expectedMs
  if (before !== null && agree(before.aheadMs, aheadMs) && before.dueMs - reading.uptimeMs <= maxWaitMs) return before
  return { aheadMs, waitMs: minWaitMs, dueMs: reading.uptimeMs }
}

/** Asks the witnesses. If there are some and all agree with the clock, the clock is trusted. */
async function isConfirmedByAll(runtime: Dependencies, isOwnMachine: IsOwnMachine): Promise<boolean> {
  const { db, transact, clock, storage, log } = runtime
  const egress = storage.egress ?? egressOf([])
  const witnesses = await testimonies(await witnessUrls(db), egress, isOwnMachine)
  const { reading } = clock.read()
  const against = witnesses.find(({ time }) => !isConfirmedBy(time, reading))
  if (against !== undefined)
    log.warn('a server answers another time', { host: against.host, time: against.time.toISOString() })
  if (witnesses.length === 0 || against !== undefined) return false
  const complete = await transact((tx) => clock.trust(tx, reading))
  complete()
  log.info('the clock of this machine is trusted again', { hosts: witnesses.map(({ host }) => host).join(' ') })
  return true
}

/**
 * Moves the times of records that were made while the clock was ahead back to the present. Otherwise sessions could be
 * valid, and dumps kept, until the time that the clock had then.
 */
async function correctFutureTimes(tx: Writer, now: Date): Promise<void> {
  await correctFutureTokens(tx, now)
  await correctFutureInvitations(tx, now)
  await correctFutureAttempts(tx, now)
  await correctFutureDevices(tx, now)
  await correctFutureNetworks(tx, now)
  await correctFutureRuns(tx, now)
}
