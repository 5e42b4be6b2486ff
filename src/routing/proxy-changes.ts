/** How operations change rules about applications: loaded first, then stored, so that an answered call is in force. */
import { setTimeout as pause } from 'node:timers/promises'
import { EngineFailure, EngineUnavailable } from '../engine/engine.ts'
import { Refusal, refuse } from '../errors.ts'
import { ProxyRefused, ProxyUnavailable } from './caddy/admin.ts'
import { readRules, type Rules } from './queries.ts'
import { loadRules, noteProxyFault, type OwnProxy } from './proxy.ts'

export interface ProxyChanges {
  /**
   * Loads the rules that `edit` makes of those there are, then commits; a commit that fails takes them back. What
   * either throws is thrown. Refuses with BAD_REQUEST what the proxy will not have, and with SERVICE_UNAVAILABLE where
   * it is down: then nothing is stored.
   */
  change<T>(edit: (rules: Rules) => Rules, commit: () => Promise<T>): Promise<T>
}

/** For a change to be taken, a proxy that has to be made first included. */
const changeMs = 15_000
const pollMs = 50

const isOff = 'BERTH_PROXY is off, so nothing serves rules about applications'

export function proxyChanges(proxy: OwnProxy | null): ProxyChanges {
  if (proxy === null) return { change: async () => refuse('SERVICE_UNAVAILABLE', isOff) }
  return {
    change(edit, commit) {
      const until = performance.now() + changeMs
      return proxy.inTurn(() => makeChange(proxy, edit, commit, until))
    },
  }
}

async function makeChange<T>(
  proxy: OwnProxy,
  edit: (rules: Rules) => Rules,
  commit: () => Promise<T>,
  until: number,
): Promise<T> {
  const { runtime } = proxy
  const before = await readRules(runtime.db)
  const after = edit(before)
  try {
    await loadRules(proxy, after)
      .catch(async (error: unknown) => {
        if (!(error instanceof ProxyUnavailable)) throw error
        await ready(proxy, until)
        await loadRules(proxy, after)
      })
      .catch(refuseFor)
    await noteProxyFault(runtime, null)
    return await commit()
  } catch (error) {
    await loadRules(proxy, before).catch((fault: unknown) =>
      runtime.log.error('a change could not be taken back', fault),
    )
    throw error
  }
}

/** Makes a proxy where none answers, and waits for it. */
async function ready({ home, admins }: OwnProxy, until: number): Promise<void> {
  const areUp = async () => (await Promise.all(admins.map(({ admin }) => admin.answers()))).every(Boolean)
  if (await areUp()) return
  await home.ensure().catch(refuseFor)
  while (!(await areUp())) {
    if (performance.now() > until) {
      const why = await home.whyDown().catch((error: Error) => error.message)
      refuse('SERVICE_UNAVAILABLE', `The proxy does not answer${why === '' ? '' : `: ${why}`}. Nothing was stored`)
    }
    await pause(pollMs)
  }
}

function refuseFor(error: unknown): never {
  if (error instanceof ProxyRefused) throw new Refusal('BAD_REQUEST', `The proxy would not have it: ${error.message}`)
  const isAway = [ProxyUnavailable, EngineUnavailable, EngineFailure].some((it) => error instanceof it)
  if (isAway) {
    refuse('SERVICE_UNAVAILABLE', `${(error as Error).message}. Nothing was stored`)
  }
  throw error
}
