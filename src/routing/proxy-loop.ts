/** The loop that makes the proxy serve what the store says, and looks after the certificates that it gets by ACME. */
import { EngineFailure, EngineUnavailable } from '../engine/engine.ts'
import type { Loop, Turn } from '../lib/async/loop.ts'
import { ProxyRefused, ProxyUnavailable } from './caddy/admin.ts'
import { readRules, type Rules } from './queries.ts'
import { lookAfterIssuances } from './issuance.ts'
import { acmeFilesIn } from './proxy-config.ts'
import type { ProxyChanges } from './proxy-changes.ts'
import type { ProxyPlacement } from './proxy-placement.ts'
import { loadRules, noteProxyFault, type OwnProxy } from './proxy.ts'

export function proxyLoop(proxy: OwnProxy | null, changes: ProxyChanges): Loop<'proxy'> {
  return { name: 'proxy', periodMs: 5000, turn: async () => (proxy === null ? 'idle' : turn(proxy, changes)) }
}

async function turn(proxy: OwnProxy, changes: ProxyChanges): Promise<Turn> {
  const { runtime, home } = proxy
  const seen = await proxy.inTurn(async () => {
    const rules = await readRules(runtime.db)
    const isWanted = servesSomething(rules) || (await home.exists())
    return isWanted ? { rules, fault: await setRight(proxy, rules) } : null
  })
  if (seen === null) return 'idle'
  await noteProxyFault(runtime, seen.fault)
  if (seen.fault === null) await lookAfterIssuances(runtime, seen.rules, acmeFilesIn(home.folder), changes)
  return 'idle'
}

/** Gives what is wrong, in a sentence; null where all is in force. */
async function setRight(proxy: OwnProxy, rules: Rules): Promise<string | null> {
  try {
    // A proxy that runs takes its configuration without the engine.
    await proxy.home.ensure().catch((error: unknown) => {
      if (!(error instanceof EngineUnavailable)) throw error
    })
    await loadRules(proxy, rules)
    return null
  } catch (error) {
    if (error instanceof ProxyRefused) return `The proxy refused its configuration: ${error.message}`
    if (error instanceof EngineFailure) return `The proxy cannot be made: ${error.message}`
    if (!(error instanceof ProxyUnavailable)) throw error
    return whyDown(proxy.home, error)
  }
}

const servesSomething = ({ applications, redirects, users, certificates }: Rules): boolean =>
  redirects.length + users.length + certificates.length > 0 || applications.some(({ hosts }) => hosts !== '[]')

async function whyDown(home: ProxyPlacement, error: Error): Promise<string> {
  const why = await home.whyDown().catch(() => '')
  return why === '' ? error.message : `The proxy does not run: ${why}`
}
