/**
 * The heartbeat: every minute Berth calls a URL of another service, while Berth works. That service raises an alarm if
 * the calls are missing, so that somebody also learns that Berth itself does not work.
 */
import type { Loop, LoopFigures, Turn } from '../lib/async/loop.ts'
import { callUrl } from '../lib/net/call-url.ts'
import type { Family } from '../lib/prometheus.ts'
import type { Runtime } from '../runtime.ts'
import { tryToWrite } from '../store/meta.ts'
import { lateLoops } from './health.ts'

/** Why no heartbeat was sent, for the log. */
type Fault =
  | { reason: 'LoopsLate'; loops: string }
  | { reason: 'StoreFailed' | 'EngineUnavailable' | 'CallFailed'; detail: string }

export interface Heartbeat {
  loop: Loop<'heartbeat'>
  /** When the URL last answered; 0 before. Null without a URL. */
  lastSuccess(): Date | 0 | null
}

const ownName = 'heartbeat'

/** @param figures those of all loops */
export function heartbeatOf(
  runtime: Pick<Runtime, 'config' | 'engine' | 'log' | 'now' | 'transact'>,
  figures: () => readonly LoopFigures[],
): Heartbeat {
  const { config, log, now } = runtime
  const url = config.heartbeatUrl
  let lastSuccess: Date | 0 = 0
  let lastFault: Fault['reason'] | null = null
  return {
    loop: { name: ownName, periodMs: 60_000, againMs: 5000, turn: async () => (url === null ? 'idle' : turn(url)) },
    lastSuccess: () => (url === null ? null : lastSuccess),
  }

  async function turn(heartbeatUrl: string): Promise<Turn> {
    const fault = (await faultOf(runtime, figures())) ?? (await call(heartbeatUrl))
    if (fault === null) lastSuccess = now()
    if (fault?.reason !== lastFault) record(fault)
    // After its start Berth waits for the first turns of all loops.
    return lastSuccess === 0 ? 'again' : 'idle'
  }

  async function call(heartbeatUrl: string): Promise<Fault | null> {
    const detail = await callUrl(heartbeatUrl, config.egress)
    return detail === null ? null : { reason: 'CallFailed', detail }
  }

  function record(fault: Fault | null) {
    if (fault !== null) log.warn('no heartbeat was sent', { ...fault })
    else if (lastFault !== null) log.info('a heartbeat was sent again')
    lastFault = fault?.reason ?? null
  }
}

async function faultOf(
  { engine, transact }: Pick<Runtime, 'engine' | 'transact'>,
  figures: readonly LoopFigures[],
): Promise<Fault | null> {
  const late = lateLoops(figures.filter(({ name }) => name !== ownName))
  if (late.length > 0) return { reason: 'LoopsLate', loops: late.join(' ') }
  try {
    await transact(tryToWrite)
  } catch (error) {
    return { reason: 'StoreFailed', detail: String(error) }
  }
  try {
    await engine.ping()
    return null
  } catch (error) {
    return { reason: 'EngineUnavailable', detail: String(error) }
  }
}

/** Without a URL (null), the metric has no value. */
export function heartbeatFamilies(lastSuccess: Date | 0 | null): Family[] {
  return [
    {
      name: 'berth_heartbeat_last_success_timestamp_seconds',
      help: 'When BERTH_HEARTBEAT_URL last answered, in seconds since 1970; 0: not since the start of Berth.',
      samples: lastSuccess === null ? [] : [[{}, Math.floor(Number(lastSuccess) / 1000)]],
    },
  ]
}
