/** Composes the parts; the only place that constructs a dependency. */
import { metricsOf } from './backup/metrics.ts'
import { copier } from './backup/move-run.ts'
import { backupsWork } from './backup/work.ts'
import type { Config } from './config.ts'
import type { LoopName } from './contract.ts'
import type { CredentialsFor, Engine, EngineEvent } from './engine/engine.ts'
import { viewOf } from './engine/view.ts'
import { clockSet } from './lib/clock-set.ts'
import { idGenerator } from './lib/id.ts'
import type { Log } from './lib/log.ts'
import { type Loop, startLoop } from './lib/loop.ts'
import { once } from './lib/once.ts'
import { type Passwords, passwordsOf } from './lib/password.ts'
import type { Options as StorageOptions } from './lib/s3.ts'
import { type Recent, recent } from './lib/recent.ts'
import { tally } from './lib/tally.ts'
import { type Looks, looksOn } from './looks.ts'
import { type Readiness, readinessOf } from './readiness.ts'
import type { Reader, Transact } from './store/schema.ts'
import { openSealedStore } from './store/sealed-store.ts'
import { hashOf } from './store/tokens.ts'
import type { Vault } from './store/vault.ts'
import { noteAlarm } from './work/alarms.ts'
import { type ClusterChanges, clusterOn } from './work/cluster.ts'
import { credentialsFrom } from './work/credentials.ts'
import { housekeep } from './work/housekeeping.ts'
import { lookAfterNodes } from './work/nodes.ts'
import { publishPorts } from './work/ports.ts'
import { type ProxyChanges, proxyWork, type ProxyWork } from './work/proxy.ts'
import { servicesWork } from './work/services.ts'
import { registryWork } from './work/registry-server.ts'
import { removeVolumes } from './work/volumes.ts'
import { type Ended, type Waiters, waitersOn } from './work/waiters.ts'
import { watchWork } from './work/watch.ts'
import type { World } from './work/world.ts'

export interface App {
  config: Config
  log: Log
  db: Reader
  transact: Transact
  vault: Vault
  passwords: Passwords
  installationTokenHash: string
  /** Where the installation token can be read. */
  tokenPlace: string
  now(): Date
  newId(): string
  wake(loop: LoopName): void
  /** How the work ended, the worst of several; null where the time was up first. */
  settled(deploymentIds: string[], timeoutMs: number): Promise<Ended | null>
  /** How operations see the engine. */
  looks: Looks
  /** How operations change rules about applications. */
  proxy: ProxyChanges
  /** How operations change the swarm itself. */
  cluster: ClusterChanges
  /** Idempotency keys of calls under way. */
  inFlight: Set<string>
  /** Whether one more refusal to that token goes to the audit log: the first 100 an hour do. */
  mayNoteRefusal(tokenId: string, nowMs: number): boolean
  /** Reads of secrets that the audit log has an entry of, of the last ten minutes. */
  readsNoted: Recent
  /** Figures for a monitor, in Prometheus' text format. */
  metrics(): Promise<string>
  readiness(): Promise<Readiness>
  /** Lets calls that wait for work answer now, with the work still running. */
  releaseWaits(): void
  /** Ends the loops, then closes the store. */
  close(): Promise<void>
}

/** What a test sets, and nobody else. */
export interface Overrides {
  now?: () => Date
  passwords?: Passwords
  storage?: StorageOptions
  proxyOf?: (world: World) => ProxyWork
}

/**
 * Opens the store and starts the loops; the engine may be away. Throws, in a sentence for the operator, where the data
 * folder cannot be used. `connect` makes the engine of this installation.
 */
export async function openApp(
  config: Config,
  log: Log,
  connect: (installationId: string, credentialsFor: CredentialsFor) => Engine,
  { now = () => new Date(), passwords = passwordsOf(), storage = {}, proxyOf = proxyWork }: Overrides = {},
): Promise<App> {
  const newId = idGenerator()
  const { store, vault, installationId, keys } = await openSealedStore(config, newId)
  const { db, transact } = store
  const engine = connect(installationId, credentialsFrom(db, vault))
  const engineOnce = once(() => engine.prepare())
  const world: World = {
    config,
    log,
    db,
    transact,
    vault,
    engine,
    installationId,
    now,
    clockSet: clockSet(),
    newId,
    storage: { egress: config.egress, ...storage },
    ensureEngine: engineOnce,
  }
  const waiters = waitersOn(db, (error) => log.error('waiters could not be asked', error))
  const proxy = proxyOf(world)
  const loops = startLoops(world, waiters, proxy, engineOnce.forget)
  return {
    config,
    log,
    db,
    transact,
    vault,
    now,
    newId,
    passwords,
    installationTokenHash: hashOf(keys.installationToken),
    tokenPlace: keys.tokenPlace,
    wake: (name) => loops.wake(name),
    settled: waiters.settled,
    releaseWaits: waiters.release,
    looks: looksOn(viewOf(engine)),
    proxy,
    cluster: clusterOn(engine),
    inFlight: new Set(),
    mayNoteRefusal: tally(100, 3600_000),
    readsNoted: recent(600_000),
    metrics: () => metricsOf({ db, now }),
    readiness: () => readinessOf(store, engine),
    async close() {
      await loops.stop()
      await store.close()
    },
  }
}

function startLoops(world: World, waiters: Waiters, proxyTurns: ProxyWork, forgetEngine: () => void) {
  const { log, engine, transact, now } = world
  const stopping = new AbortController()
  const [noGap, second] = [() => 0, () => 1000]
  const start = (name: string, periodMs: number, gapMs: () => number, work: () => Promise<void>) =>
    startLoop({
      periodMs,
      gapMs,
      work,
      onError(error, failures) {
        forgetEngine()
        // The same fault again and again is said ever more rarely.
        if (Number.isInteger(Math.log2(failures))) log.error('a loop failed', error, { loop: name, failures })
      },
    })
  const copies = copier(world, () => services.wake())
  const hands = { copier: copies, wakeVolumes: () => volumes.wake() }
  const work = servicesWork(world, hands, () => services.wake(), waiters.check)
  const services: Loop = start('services', 5000, work.gapMs, work.turn)
  const volumes: Loop = start('volumes', 60_000, noGap, async () => {
    if (await removeVolumes(world)) setTimeout(() => volumes.wake(), 500).unref()
    waiters.check()
  })
  const ports: Loop = start('ports', 5000, noGap, async () => {
    if (await publishPorts(world)) setTimeout(() => ports.wake(), 200).unref()
    waiters.check()
  })
  let isNodeLeaving = false
  const nodes: Loop = start(
    'nodes',
    5000,
    () => (isNodeLeaving ? 200 : 1000),
    async () => {
      isNodeLeaving = await lookAfterNodes(world)
      if (isNodeLeaving) nodes.wake()
      waiters.check()
    },
  )
  const proxy: Loop = start('proxy', 5000, noGap, proxyTurns.turn)
  const registryTurns = registryWork(world)
  const registry: Loop = start('registry', 5000, noGap, async () => {
    if (await registryTurns.turn()) setTimeout(() => registry.wake(), 300).unref()
    waiters.check()
  })
  const routing = () => {
    ports.wake()
    proxy.wake()
  }
  const watching = start('watch', 5000, second, watchWork(world, { services: services.wake, routing }))
  const onEvent = (event: EngineEvent) => {
    services.wake()
    watching.wake()
    // Of a node, among others.
    if (event.serviceName === null) volumes.wake()
    nodes.wake()
    noteAlarm(world, event).catch((error: unknown) => log.error('an alarm could not be noted', error))
  }
  const events = start('events', 1000, second, () => engine.watch(onEvent, stopping.signal))
  const housekeeping = start('housekeeping', 3600_000, noGap, () => housekeep(transact, now()))
  const runs = backupsWork(world, () => backups.wake(), waiters.check)
  const backups: Loop = start('backups', 1000, noGap, runs.turn)
  const byName: Record<LoopName, Loop> = { services, volumes, backups, ports, proxy, registry, nodes }
  return { wake: (name: LoopName) => byName[name].wake(), stop }

  async function stop() {
    stopping.abort()
    const loops = [services, volumes, watching, events, housekeeping, backups, ports, proxy, registry, nodes]
    await Promise.all(loops.map((loop) => loop.stop()))
    await Promise.all([work.stop(), runs.stop(), copies.stop()])
  }
}
