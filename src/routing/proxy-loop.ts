/**
 * The loop that starts the proxy as soon as there is something to serve, loads the stored rules into it, and records
 * the certificates that the proxy obtains by ACME.
 */
import { EngineFailure, EngineUnavailable } from '../engine/engine.ts'
import type { Loop, Turn } from '../lib/async/loop.ts'
import { ProxyRefused, ProxyUnavailable } from './caddy/admin.ts'
import { readRules, type Rules } from './queries.ts'
import { updateIssuances } from './issuance.ts'
import { acmeFilesIn } from './proxy-config.ts'
import type { ProxyChanges } from './proxy-changes.ts'
import type { ProxyPlacement } from './proxy-placement.ts'
import { loadRules, recordProxyFault, type OwnProxy } from './proxy.ts'

export function proxyLoop(proxy: OwnProxy | null, changes: ProxyChanges): Loop<'proxy'> {
  return { name: 'proxy', periodMs: 5000, turn: async () => (proxy === null ? 'idle' : turn(proxy, changes)) }
}

async function turn(proxy: OwnProxy, changes: ProxyChanges): Promise<Turn> {
  const { runtime, placement } = proxy
  if (runtime.gate.reason() !== null) return 'idle'
  const result = await proxy.inTurn(async () => {
    const rules = await readRules(runtime.db)
    const isWanted = servesSomething(rules) || (await placement.exists())
    return isWanted ? { rules, fault: await applyRules(proxy, rules) } : null
  })
  if (result === null) return 'idle'
  await recordProxyFault(runtime, result.fault)
  if (result.fault === null) await updateIssuances(runtime, result.rules, acmeFilesIn(placement.folder), changes)
  return 'idle'
}

/** Starts the proxy if needed and loads the rules. Returns an error message, or null if the rules are in force. */
async function applyRules(proxy: OwnProxy, rules: Rules): Promise<string | null> {
  try {
    // If the engine is down, a running proxy can still load its configuration.
    await proxy.placement.ensure().catch((error: unknown) => {
      if (!(error instanceof EngineUnavailable)) throw error
    })
    await loadRules(proxy, rules)
    return null
  } catch (error) {
    if (error instanceof ProxyRefused) return `The proxy rejected its configuration: ${error.message}`
    if (error instanceof EngineFailure) return `The proxy cannot be created: ${error.message}`
    if (!(error instanceof ProxyUnavailable)) throw error
    return whyDown(proxy.placement, error)
  }
}

const servesSomething = ({ applications, redirects, users, certificates }: Rules): boolean =>
  redirects.length + users.length + certificates.length > 0 || applications.some(({ hosts }) => hosts !== '[]')

async function whyDown(placement: ProxyPlacement, error: Error): Promise<string> {
  const why = await placement.whyDown().catch(() => '')
  return why === '' ? error.message : `The proxy does not run: ${why}`
}
