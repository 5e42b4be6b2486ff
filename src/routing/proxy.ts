/**
 * Loads rules into the proxy. Operations load a changed rule first and store it afterwards (proxy-changes.ts). The loop
 * (proxy-loop.ts) loads the stored rules after a crash, a restart or a change in the swarm. Operations and the loop use
 * `inTurn`, so they never load rules at the same time.
 */
import { setTimeout as pause } from 'node:timers/promises'
import pLimit from 'p-limit'
import { hash } from '../engine/spec.ts'
import { type Admin, adminAt } from './caddy/admin.ts'
import { keysReloadMs } from './caddy/keys-config.ts'
import { type ProcessName, processNames, socketPathsIn } from './caddy/launch.ts'
import { proxyFaultOf, type Rules, writeProxyFault } from './queries.ts'
import { acmeRootsIn, writeAcmeRoots } from './acme-roots.ts'
import { configsOf } from './proxy-config.ts'
import { proxyPlacementOf, type ProxyPlacement } from './proxy-placement.ts'
import type { Runtime } from '../runtime.ts'

/** The proxy that Berth runs. */
export interface OwnProxy {
  runtime: Runtime
  placement: ProxyPlacement
  admins: { processName: ProcessName; admin: Admin }[]
  /** Runs `work` after all earlier calls have ended. */
  inTurn<T>(work: () => Promise<T>): Promise<T>
}

/** Returns null if BERTH_PROXY is off. */
export function proxyOf(runtime: Runtime): OwnProxy | null {
  const placement = proxyPlacementOf(runtime)
  if (placement === null) return null
  const socketPaths = socketPathsIn(placement.folder)
  const admins = processNames.map((processName) => ({
    processName,
    admin: adminAt(socketPaths[`${processName}Admin`]),
  }))
  return { runtime, placement, admins, inTurn: pLimit(1) }
}

/**
 * Builds the configuration of each process from these rules, and loads it if the process runs another configuration.
 * @throws ProxyUnavailable if a process does not answer or BERTH_ACME_ROOTS cannot be read, ProxyRefused if a process
 * rejects its configuration
 */
export async function loadRules({ runtime, placement, admins }: OwnProxy, rules: Rules): Promise<void> {
  writeAcmeRoots(acmeRootsIn(placement.folder, runtime.config))
  const configs = configsOf(runtime, placement.folder, rules)
  const wanted = admins.map(({ admin, processName }) => ({
    admin,
    processName,
    config: configs[processName],
    digest: hash(configs[processName]),
  }))
  const isLoaded = await Promise.all(wanted.map(({ admin, digest }) => admin.has(digest)))
  for (const { admin, processName, config, digest } of wanted.filter((_, at) => !isLoaded[at])) {
    await admin.load(config, digest)
    if (processName === 'keys') await pause(keysReloadMs)
  }
}

/**
 * Stores and logs why the proxy does not serve. Does nothing if `fault` has not changed.
 * @param fault null if the proxy serves
 */
export async function recordProxyFault({ db, transact, log }: Runtime, fault: string | null): Promise<void> {
  const before = await proxyFaultOf(db)
  if (before === fault) return
  await transact((tx) => writeProxyFault(tx, fault))
  if (fault === null) log.info('the proxy serves again')
  else log.warn('the proxy does not serve', { reason: fault })
}
