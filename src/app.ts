/** Opens the store, connects the engine and starts the loops. Only this file constructs `Runtime` and `App`. */
import { ensureAuthorities } from './authority/issue.ts'
import { moveCopies } from './databases/move/copy.ts'
import { dumpState } from './installation/state/run.ts'
import { interruptDumps, lockingRestore } from './backups/database-locks.ts'
import { backupsLoop } from './backups/loop.ts'
import { disableBackupsOf } from './backups/queries.ts'
import { findEndedRuns } from './backups/run-queries.ts'
import type { Config } from './config.ts'
import type { CredentialsFor, Engine } from './engine/engine.ts'
import { mayNeedPreparation } from './engine/failures.ts'
import type { ConnectionTo } from './engine/node-connection.ts'
import { viewOf } from './engine/view.ts'
import { sourcesLoop } from './gateways/sources/loop.ts'
import { type Measure, measureSources } from './gateways/sources/measure.ts'
import { type History, openHistory } from './history/file.ts'
import { pastFrom } from './history/past.ts'
import { recorderFor } from './history/record.ts'
import { samplingOf } from './samples/loop.ts'
import { alertsOf } from './alerts/loop.ts'
import { conditionsLoop } from './conditions/loop.ts'
import { clockSet } from './lib/async/clock-set.ts'
import { exclusive } from './lib/async/exclusive.ts'
import { idGenerator } from './lib/crypto/id.ts'
import type { Log } from './lib/log.ts'
import { type Loop, type LoopFigures, loopRunner } from './lib/async/loop.ts'
import { memoize } from './lib/async/memoize.ts'
import { type Passwords, passwordsOf } from './lib/crypto/password.ts'
import type { Options as StorageOptions } from './lib/s3/s3.ts'
import { recent } from './lib/async/recent.ts'
import { slidingCounter } from './lib/async/sliding-counter.ts'
import { lastSeqOf } from './api/audit-log.ts'
import { engineQueriesOn } from './api/engine-queries.ts'
import { metricsText } from './metrics.ts'
import { readinessOf } from './readiness.ts'
import { openSealedStore } from './installation/sealed-store.ts'
import type { App } from './api/services.ts'
import { callConfirmationOn } from './accounts/confirmation/confirm.ts'
import { rightsOf } from './accounts/rights/token-rights.ts'
import { hashOf } from './accounts/tokens.ts'
import { clusterOn } from './cluster/changes.ts'
import { nodeReachOf } from './dumps/direct/node-reach.ts'
import { credentialsFrom } from './registries/credentials.ts'
import { eventsLoop } from './databases/watch/engine-events.ts'
import { heartbeatOf } from './heartbeat/heartbeat.ts'
import { housekeepingLoop } from './installation/housekeeping.ts'
import { connectionsFrom } from './nodes/engines/connection.ts'
import { enginesLoop } from './nodes/engines/loop.ts'
import { nodesLoop } from './nodes/loop.ts'
import { portsLoop } from './routing/ports-loop.ts'
import { type ProxyChanges, proxyChanges } from './routing/proxy-changes.ts'
import { proxyLoop } from './routing/proxy-loop.ts'
import { publicUrlFault } from './routing/public/certificate.ts'
import { proxyOf } from './routing/proxy.ts'
import { registryLoop } from './registries/loop.ts'
import { applicationRecorder } from './routing/record-applications.ts'
import { servicesLoop } from './databases/reconcile/loop.ts'
import { volumesLoop } from './volumes/loop.ts'
import { findEndedDeployments } from './deployments/queries.ts'
import { waitersOn } from './deployments/waiters.ts'
import { eventStreamsOn } from './events/follow.ts'
import { sessionsOn, type SessionLimits } from './sessions/sessions.ts'
import { certificatesLoop } from './databases/tls/replace/loop.ts'
import { type AskCertificate, servedCertificate } from './databases/tls/replace/served.ts'
import { watchLoop } from './databases/watch/loop.ts'
import type { BackupHooks, LoopName, Runtime } from './runtime.ts'

interface Routing {
  changes: ProxyChanges
  loop: Loop<'proxy'>
}

/** Replacements that only tests pass. */
export interface Overrides {
  now?: () => Date
  passwords?: Passwords
  storage?: StorageOptions
  sessions?: SessionLimits
  routing?: (runtime: Runtime) => Routing
  measure?: Measure
  askCertificate?: AskCertificate
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
  connect: (installationId: string, credentialsFor: CredentialsFor, connectionTo: ConnectionTo) => Engine,
  {
    now = () => new Date(),
    passwords = passwordsOf(),
    storage = {},
    sessions: sessionLimits = {},
    routing = routingOn,
    ...asked
  }: Overrides = {},
): Promise<App> {
  const newId = idGenerator()
  const { store, vault, installationId, keys } = await openSealedStore(config, newId)
  const { db } = store
  const history = openHistory(config.dataFolder, log)
  const engine = connect(installationId, credentialsFrom(db, vault), connectionsFrom(db, vault))
  const prepareEngine = memoize(() => engine.prepare())
  const waiters = waitersOn(db, log, [findEndedDeployments, findEndedRuns])
  const events = eventStreamsOn(db)
  const transact = events.notifyingAfter(waiters.checkedAfter(store.transact))
  const loops = loopRunner<LoopName>(log, (error) => mayNeedPreparation(error) && prepareEngine.forget())
  const shared = { config, log, db, transact, vault, now, newId, backups, onGateway: exclusive(), wake: loops.wake }
  const runtime: Runtime = {
    ...shared,
    engine,
    installationId,
    clockSet: clockSet(),
    storage: { egress: config.egress, ...storage },
    ensureEngine: prepareEngine,
  }
  await ensureAuthorities(runtime)
  const proxy = routing(runtime)
  const sessions = sessionsOn(runtime, sessionLimits)
  const monitors = monitorsOf(runtime, loops.figures, history)
  const lastAuditSeq = await lastSeqOf(db)
  loops.start(loopsOf(runtime, proxy, loops.figures, monitors, { lastAuditSeq, ...asked }))
  return {
    ...shared,
    ...accountsOn(shared, keys, passwords),
    waitForEnd: waiters.settled,
    releaseWaits: waiters.release,
    events,
    sessions,
    engineQueries: engineQueriesOn(viewOf(engine)),
    proxy: proxy.changes,
    cluster: clusterOn(engine),
    testReach: nodeReachOf(runtime),
    ...callMemory(),
    metrics: () => metricsText({ runtime, loops, events, sessions, ...monitors }),
    readiness: () => readinessOf(store, engine, () => publicUrlFault(runtime)),
    history,
    close: () =>
      loops
        .stop()
        .then(history.close)
        .then(() => store.close()),
  }
}

/** The functions that change the rules of applications, and the loop that applies the rules to the proxy. */
export function routingOn(runtime: Runtime): Routing {
  const proxy = proxyOf(runtime)
  const changes = proxyChanges(proxy)
  return { changes, loop: proxyLoop(proxy, changes) }
}

/** Who may call, and with which proofs. */
const accountsOn = (
  shared: Parameters<typeof callConfirmationOn>[0],
  { installationToken, tokenLocation }: { installationToken: string; tokenLocation: string },
  passwords: Passwords,
) => ({
  passwords,
  installationTokenHash: hashOf(installationToken),
  tokenLocation,
  rightsOf,
  callConfirmation: callConfirmationOn(shared),
})

/** What is remembered of calls until Berth ends. */
const callMemory = () => ({
  inFlight: new Set<string>(),
  shouldRecordRefusal: slidingCounter(100, 3600_000),
  recordedReads: recent(600_000),
})

/** Measurements, messages about what needs attention, and the sign of life to a monitoring service. */
const monitorsOf = (runtime: Runtime, figures: () => LoopFigures[], history: History) => ({
  sampling: samplingOf(runtime, recorderFor(history, runtime.db, runtime.log)),
  readPast: pastFrom(history, runtime.config.idleHours, runtime.log),
  alerts: alertsOf(runtime),
  heartbeat: heartbeatOf(runtime, figures),
})

const backups: BackupHooks = { lockingRestore, interruptDumps, disableBackups: disableBackupsOf }

const loopsOf = (
  runtime: Runtime,
  { loop: proxy }: Routing,
  figures: () => LoopFigures[],
  { sampling, readPast, alerts, heartbeat }: ReturnType<typeof monitorsOf>,
  {
    lastAuditSeq,
    measure = measureSources,
    askCertificate = servedCertificate,
  }: Pick<Overrides, 'measure' | 'askCertificate'> & { lastAuditSeq: number },
): Loop<LoopName>[] => [
  servicesLoop(runtime, moveCopies(runtime)),
  volumesLoop(runtime),
  certificatesLoop(runtime, askCertificate),
  portsLoop(runtime),
  sourcesLoop(runtime, measure),
  nodesLoop(runtime),
  enginesLoop(runtime),
  proxy,
  registryLoop(runtime),
  watchLoop(runtime, applicationRecorder(runtime)),
  eventsLoop(runtime),
  // Each turn of the loop `nodes` begins with a query of the engine.
  conditionsLoop(
    runtime,
    () => figures().every(({ name, failures }) => name !== 'nodes' || failures === 0),
    sampling.latest,
    readPast,
  ),
  housekeepingLoop(runtime, lastAuditSeq),
  backupsLoop(runtime, dumpState),
  sampling.loop,
  alerts.loop,
  heartbeat.loop,
]
