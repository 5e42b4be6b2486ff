/**
 * Changes the certificates and the rules about applications. A change is loaded into the proxy first and stored
 * afterwards, so it is in force when the call is answered.
 */
import { setTimeout as pause } from 'node:timers/promises'
import { EngineFailure, EngineUnavailable } from '../engine/engine.ts'
import { Refusal, refuse } from '../errors.ts'
import { ProxyRefused, ProxyUnavailable } from './caddy/admin.ts'
import { readRules, type Rules } from './queries.ts'
import { loadRules, recordProxyFault, type OwnProxy } from './proxy.ts'

export interface ProxyChanges {
  /**
   * Loads the rules that `edit` returns, then calls `commit`. If either fails, the previous rules are loaded again.
   * @param edit gets the stored rules and returns the changed rules
   * @throws errors of `edit` and `commit`
   * @throws Refusal BAD_REQUEST if the proxy rejects the configuration, or SERVICE_UNAVAILABLE if BERTH_PROXY is off,
   * or the proxy or the engine is down. In all these cases nothing is stored
   */
  change<T>(edit: (rules: Rules) => Rules, commit: () => Promise<T>): Promise<T>
}

/** If the proxy does not answer, a change waits for it until this long after the call. */
const changeMs = 15_000
const pollMs = 50

const proxyOffMessage =
  'BERTH_PROXY is off, so no proxy applies rules about applications. Set BERTH_PROXY to service or process'

export function proxyChanges(proxy: OwnProxy | null): ProxyChanges {
  if (proxy === null) return { change: async () => refuse('SERVICE_UNAVAILABLE', proxyOffMessage) }
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
        await startProxy(proxy, until)
        await loadRules(proxy, after)
      })
      .catch(refuseFor)
    await recordProxyFault(runtime, null)
    return await commit()
  } catch (error) {
    await loadRules(proxy, before).catch((fault: unknown) =>
      runtime.log.error('the previous proxy configuration could not be restored', fault),
    )
    throw error
  }
}

/**
 * Starts the proxy if it does not answer, and waits until it answers.
 * @param until the time limit, as a value of `performance.now()`
 */
async function startProxy({ placement, admins }: OwnProxy, until: number): Promise<void> {
  const areUp = async () => (await Promise.all(admins.map(({ admin }) => admin.answers()))).every(Boolean)
  if (await areUp()) return
  await placement.ensure().catch(refuseFor)
  while (!(await areUp())) {
    if (performance.now() > until) {
      const why = await placement.whyDown().catch((error: Error) => error.message)
      refuse('SERVICE_UNAVAILABLE', `The proxy does not answer${why === '' ? '' : `: ${why}`}. Nothing was stored`)
    }
    await pause(pollMs)
  }
}

/** Throws a refusal for an error of the proxy or the engine. Rethrows other errors. */
function refuseFor(error: unknown): never {
  if (error instanceof ProxyRefused) throw new Refusal('BAD_REQUEST', `The proxy rejected this rule: ${error.message}`)
  const isUnavailable = [ProxyUnavailable, EngineUnavailable, EngineFailure].some((it) => error instanceof it)
  if (isUnavailable) {
    refuse('SERVICE_UNAVAILABLE', `${(error as Error).message}. Nothing was stored`)
  }
  throw error
}
