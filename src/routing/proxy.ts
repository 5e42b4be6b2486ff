/**
 * The proxy is to serve what the store says. A change of a rule is loaded first and stored then (proxy-changes.ts), so
 * that a call that was answered is in force; the loop (proxy-loop.ts) sets right what a crash, a restart or the swarm
 * changed. Both load the proxy here, one at a time.
 */
import { setTimeout as pause } from 'node:timers/promises'
import pLimit from 'p-limit'
import { hash } from '../engine/spec.ts'
import { type Admin, adminAt } from './caddy/admin.ts'
import { keysSettleMs } from './caddy/keys-config.ts'
import { type Part, parts, placesIn } from './caddy/launch.ts'
import { proxyFaultOf, type Rules, writeProxyFault } from './queries.ts'
import { acmeRootsIn, placeAcmeRoots } from './acme-roots.ts'
import { configsOf } from './proxy-config.ts'
import { proxyPlacementOf, type ProxyPlacement } from './proxy-placement.ts'
import type { Runtime } from '../runtime.ts'

/** The proxy that Berth runs. */
export interface OwnProxy {
  runtime: Runtime
  home: ProxyPlacement
  admins: { part: Part; admin: Admin }[]
  /** Calls are made one after the other. */
  inTurn<T>(work: () => Promise<T>): Promise<T>
}

/** Null where BERTH_PROXY is off. */
export function proxyOf(runtime: Runtime): OwnProxy | null {
  const home = proxyPlacementOf(runtime)
  if (home === null) return null
  const places = placesIn(home.folder)
  const admins = parts.map((part) => ({ part, admin: adminAt(places[`${part}Admin`]) }))
  return { runtime, home, admins, inTurn: pLimit(1) }
}

/** Loads the configurations that these rules make, where others are in force. Throws what the proxy says. */
export async function loadRules({ runtime, home, admins }: OwnProxy, rules: Rules): Promise<void> {
  placeAcmeRoots(acmeRootsIn(home.folder, runtime.config))
  const configs = configsOf(runtime, home.folder, rules)
  const wanted = admins.map(({ admin, part }) => ({ admin, part, config: configs[part], digest: hash(configs[part]) }))
  const isThere = await Promise.all(wanted.map(({ admin, digest }) => admin.has(digest)))
  for (const { admin, part, config, digest } of wanted.filter((_, at) => !isThere[at])) {
    await admin.load(config, digest)
    if (part === 'keys') await pause(keysSettleMs)
  }
}

/** Stores and logs what keeps the proxy from serving; null where it serves. */
export async function noteProxyFault({ db, transact, log }: Runtime, fault: string | null): Promise<void> {
  const before = await proxyFaultOf(db)
  if (before === fault) return
  await transact((tx) => writeProxyFault(tx, fault))
  if (fault === null) log.info('the proxy serves again')
  else log.warn('the proxy does not serve', { reason: fault })
}
