/** Opens the store, connects the engine and starts the loops. Only this file constructs `Runtime` and `App`. */
import { setTimeout as pause } from 'node:timers/promises'
import { chargeOf, type ChargeOptions } from './charge/charge.ts'
import { chargeLoop } from './charge/loop.ts'
import { moveCopies } from './databases/move/copy.ts'
import { dumpState } from './installation/state/run.ts'
import { interruptDumps, lockingRestore } from './backups/database-locks.ts'
import { backupsLoop } from './backups/loop.ts'
import { disableBackupsOf } from './backups/queries.ts'
import { findEndedRuns } from './backups/run-queries.ts'
import { restoredDumpsOn } from './backups/restores/new-volume.ts'
import type { Config } from './config.ts'
import type { CredentialsFor, Engine } from './engine/engine.ts'
import { viewOf } from './engine/view.ts'
import { conditionsLoop } from './conditions/loop.ts'
import { openClock } from './clock/clock.ts'
import { type ClockSource, machineClock } from './clock/source.ts'
import { clockSet } from './lib/async/clock-set.ts'
import { idGenerator } from './lib/crypto/id.ts'
import type { Log } from './lib/log.ts'
import { type Loop, type LoopFigures, loopRunner } from './lib/async/loop.ts'
import { memoize } from './lib/async/memoize.ts'
import { type Passwords, passwordsOf } from './lib/crypto/password.ts'
import type { StorageOptions } from './lib/storage/storage.ts'
import { recent } from './lib/async/recent.ts'
import { slidingCounter } from './lib/async/sliding-counter.ts'
import { gatedEngine } from './gate/engine.ts'
import { type Barrier, type Gate, gateOf } from './gate/gate.ts'
import { engineQueriesOn } from './api/engine-queries.ts'
import { metricsText } from './metrics.ts'
import { readinessOf } from './readiness.ts'
import { openSealedStore } from './installation/sealed-store.ts'
import type { App } from './api/services.ts'
import { hashOf, roleOf } from './accounts/tokens.ts'
import { confirmationBarrier } from './installation/confirmation/barrier.ts'
import { confirmationLoop } from './installation/confirmation/loop.ts'
import { clusterOn } from './cluster/changes.ts'
import { type TrustedProxies, trustedProxiesOf } from './cluster/trusted-proxies.ts'
import { credentialsFrom } from './registries/credentials.ts'
import { eventsLoop } from './databases/watch/engine-events.ts'
import { lastIdOf } from './installation/clock/last-id.ts'
import { clockLoop } from './installation/clock/loop.ts'
import { hasOwnAddress, type IsOwnMachine } from './installation/clock/witnesses.ts'
import { housekeepingLoop } from './installation/housekeeping.ts'
import { nodesLoop } from './nodes/loop.ts'
import { portsLoop } from './routing/ports-loop.ts'
import { type ProxyChanges, proxyChanges } from './routing/proxy-changes.ts'
import { proxyLoop } from './routing/proxy-loop.ts'
import { proxyOf } from './routing/proxy.ts'
import { registryLoop } from './registries/loop.ts'
import { applicationRecorder } from './routing/record-applications.ts'
import { servicesLoop } from './databases/reconcile/loop.ts'
import { volumesLoop } from './volumes/loop.ts'
import { findEndedDeployments } from './deployments/queries.ts'
import { waitersOn } from './deployments/waiters.ts'
import { eventStreamsOn } from './events/follow.ts'
import { watchLoop } from './databases/watch/loop.ts'
import { startsLoop } from './databases/watch/starts.ts'
import type { BackupHooks, LoopName, Runtime } from './runtime.ts'

/** How long the start waits for the swarm to say who is in charge. */
const maxStartDelayMs = 2000

interface Routing {
  changes: ProxyChanges
  loop: Loop<'proxy'>
}

/** Replacements that only tests pass. */
export interface Overrides {
  clock?: ClockSource
  /** Whether a witness of the time is on the machine of Berth, by the addresses of a connection to it. */
  isOwnMachine?: IsOwnMachine
  passwords?: Passwords
  storage?: StorageOptions
  routing?: (runtime: Runtime) => Routing
  /** Further causes that hold back changes. */
  barriers?: readonly Barrier[]
  /** Whether this process takes charge of the swarm from any other one. */
  isTakingOver?: boolean
}

/**
 * Opens the store and starts the loops. The engine need not be available.
 *
 * @param connect creates the engine client of this installation
 * @throws an Error if the data folder cannot be used or no key opens the store
 */
export async function openApp(
  config: Config,
  log: Log,
  connect: (installationId: string, credentialsFor: CredentialsFor) => Engine,
  overrides: Overrides = {},
): Promise<App> {
  const { passwords = passwordsOf(), storage = {}, routing = routingOn, isOwnMachine = hasOwnAddress } = overrides
  const { barriers = [], isTakingOver = false } = overrides
  const { store, vault, installationId, keys } = await openSealedStore(config, idGenerator())
  const { db } = store
  const clock = await openClock(db, overrides.clock ?? machineClock())
  const { now } = clock
  const newId = idGenerator(() => now().getTime(), await lastIdOf(db))
  const swarm = connect(installationId, credentialsFrom(db, vault))
  const gate = openGate({ engine: swarm, folder: config.dataFolder, log, now, isTakingOver }, [
    await confirmationBarrier(db),
    ...barriers,
  ])
  const engine = gatedEngine(swarm, gate)
  const prepareEngine = memoize(() => engine.prepare())
  const waiters = waitersOn(db, log, [findEndedDeployments, findEndedRuns])
  const events = eventStreamsOn(db)
  const transact = events.notifyingAfter(waiters.checkedAfter(store.transact))
  // After a failed turn, `ensureEngine` prepares the engine again: another engine may have replaced it.
  const loops = loopRunner<LoopName>(log, prepareEngine.forget)
  const shared = { config, log, db, transact, vault, now, clock, newId, backups, gate, wake: loops.wake }
  const runtime: Runtime = {
    ...shared,
    engine,
    installationId,
    clockSet: clockSet(() => now().getTime(), overrides.clock?.uptimeMs),
    storage: { egress: config.egress, ...storage },
    ensureEngine: async () => ((await gate.check()) === null ? prepareEngine() : undefined),
  }
  const proxy = routing(runtime)
  const trustedProxies = trustedProxiesOf(config.trustedProxies, engine)
  await tryToTakeCharge(gate)
  loops.start([...loopsOf(runtime, proxy, loops.figures, trustedProxies), clockLoop(runtime, isOwnMachine)])
  return {
    ...shared,
    passwords,
    installationTokenHash: hashOf(keys.installationToken),
    tokenLocation: keys.tokenLocation,
    waitForEnd: waiters.settled,
    releaseWaits: waiters.release,
    isTrustedProxy: trustedProxies.isTrusted,
    events,
    engineQueries: engineQueriesOn(viewOf(engine)),
    proxy: proxy.changes,
    cluster: clusterOn(engine),
    roleOf,
    inFlight: new Set(),
    shouldRecordRefusal: slidingCounter(100, 3600_000),
    recordedReads: recent(600_000),
    metrics: () => metricsText({ db, clock, loops, events, gate }),
    readiness: () => readinessOf(store, engine, gate),
    close: () => loops.stop().then(() => store.close()),
  }
}

/** Nothing else can be decided before it is known who is in charge. */
function openGate(options: Omit<ChargeOptions, 'mayBegin'>, barriers: readonly Barrier[]): Gate {
  const mayBegin = () => barriers.every((barrier) => barrier.reason() === null)
  return gateOf([chargeOf({ ...options, mayBegin }), ...barriers])
}

/** So that a copy of the store rarely begins any work. If the engine does not answer soon, the loop `charge` asks again. */
const tryToTakeCharge = (gate: Gate) =>
  Promise.race([gate.check('read').catch(() => null), pause(maxStartDelayMs, null, { ref: false })])

/** The functions that change the rules of applications, and the loop that applies the rules to the proxy. */
export function routingOn(runtime: Runtime): Routing {
  const proxy = proxyOf(runtime)
  const changes = proxyChanges(proxy)
  return { changes, loop: proxyLoop(proxy, changes) }
}

const backups: BackupHooks = { lockingRestore, interruptDumps, disableBackups: disableBackupsOf }

const loopsOf = (
  runtime: Runtime,
  { loop: proxy }: Routing,
  figures: () => LoopFigures[],
  trustedProxies: TrustedProxies,
): Loop<LoopName>[] => [
  servicesLoop(runtime, moveCopies(runtime, restoredDumpsOn(runtime))),
  volumesLoop(runtime),
  portsLoop(runtime),
  nodesLoop(runtime),
  proxy,
  registryLoop(runtime),
  watchLoop(runtime, applicationRecorder(runtime)),
  startsLoop(runtime),
  eventsLoop(runtime),
  // Each turn of the loop `nodes` begins with a query of the engine.
  conditionsLoop(
    runtime,
    () => figures().every(({ name, failures }) => name !== 'nodes' || failures === 0),
    trustedProxies,
  ),
  housekeepingLoop(runtime),
  chargeLoop(runtime),
  confirmationLoop(runtime),
  backupsLoop(runtime, dumpState),
]
