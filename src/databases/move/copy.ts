/**
 * The two parts of a move that run in the background. The first checks the server on the new volume while the database
 * still runs, and loads the dump of a restore there. The second copies the data from a server on the old volume to the
 * server on the new one. Afterwards the contents of both servers are compared. After a crash, each part can start again
 * from its beginning.
 */
import { setTimeout as pause } from 'node:timers/promises'
import { EngineUnavailable } from '../../engine/engine.ts'
import { containerDigestOf } from '../../engine/spec.ts'
import { kindNamed } from '../../kinds/index.ts'
import { findStrayDataOf } from '../data-places.ts'
import { dataReason, isDataReplaced } from '../reconcile/data-identity.ts'
import { CopyFailure, reasonOf } from './copy-failure.ts'
import { type CopyContext, serverAt } from './copy-context.ts'
import { canLoadFirst, copyDatabases, loadDump } from './copy-databases.ts'
import { checkEqual, checkKept, checkUndumped, copyEntries, inventoryOf, inventorySumOf } from './inventory.ts'
import { continueMove, type MoveContext, undoMove } from './progress.ts'
import { setInventorySum } from './queries.ts'
import type { RestoredDumps } from './restored-dump.ts'
import type { MoveCopies } from './step.ts'
import { type Side, temporaryServerName, temporaryServerSpec } from './temporary-servers.ts'
import { maxStartMs, taskHealth } from '../reconcile/task-health.ts'
import type { Runtime } from '../../runtime.ts'
import { makeOwnAccount, waitForLogin } from '../wait-for-login.ts'
import type { Server } from '../tool-server.ts'

/** The maximum number of concurrent copies. More copies would only share the same disks and network. */
const maxConcurrentCopies = 2
const pollMs = 1000

/** A copy in progress. `ended` resolves when the copy has ended, with or without success. */
interface RunningCopy {
  ended: Promise<void>
  abort: AbortController
}

/** @param dumps opens the dumps of restores */
export function moveCopies(runtime: Runtime, dumps: RestoredDumps): MoveCopies {
  const running = new Map<string, RunningCopy>()
  const end = async (all: RunningCopy[]) => {
    for (const { abort } of all) abort.abort()
    await Promise.all(all.map(({ ended }) => ended))
  }
  return {
    ensureRunning(moveContext) {
      const { deploymentId } = moveContext.move
      if (running.has(deploymentId) || running.size >= maxConcurrentCopies) return
      const abort = new AbortController()
      const ended = runCopy(runtime, moveContext, dumps, abort.signal)
        .catch((error: unknown) => runtime.log.error('could not record the end of a copy', error, { deploymentId }))
        .finally(() => {
          running.delete(deploymentId)
          runtime.wake('services')
        })
      running.set(deploymentId, { ended, abort })
    },
    cancel: (deploymentId) => end([running.get(deploymentId)].filter((copy) => copy !== undefined)),
    stop: () => end([...running.values()]),
  }
}

async function runCopy(
  runtime: Runtime,
  moveContext: MoveContext,
  dumps: RestoredDumps,
  cancelled: AbortSignal,
): Promise<void> {
  // If one part fails, the concurrent parts must end too.
  const abort = new AbortController()
  const signal = AbortSignal.any([cancelled, abort.signal])
  const { step, restoreRunId, deploymentId } = moveContext.move
  try {
    const serverInventory = kindNamed(moveContext.job.row.kind).backup?.serverInventory
    if (serverInventory === undefined) throw new CopyFailure({ reason: 'CopyUnsupported' })
    using dump = restoreRunId === null ? null : await dumps.open(restoreRunId, signal)
    const context = { runtime, moveContext, serverInventory, dump, signal }
    if (step === 'prepare') await prepareNewServer(context)
    else await copy(context)
    await continueMove(runtime, moveContext, step === 'prepare' ? 'stop' : 'clear')
  } catch (error) {
    if (cancelled.aborted) return
    runtime.log.error('the copy of a move failed', error, { deploymentId })
    // The next turn of the services loop starts this step again.
    if (error instanceof EngineUnavailable) return
    if (restoreRunId !== null && !(error instanceof CopyFailure)) await dumps.recordFailure(restoreRunId, error)
    await undoMove(runtime, moveContext, reasonOf(error as Error))
  } finally {
    abort.abort()
  }
}

/**
 * Checks that the database can be stopped without loss, and that the new server starts and accepts the content that dumps
 * do not contain, such as accounts. Then loads the dump of a restore. The database still runs meanwhile.
 */
async function prepareNewServer(context: CopyContext): Promise<void> {
  await checkPlaces(context)
  const { runtime, moveContext, dump } = context
  const live = serverAt(context, 'source', moveContext.job.row.appName)
  const target = await startedServer(context, 'target')
  const lines = await inventoryOf(context, live)
  await copyEntries(context, live, target)
  checkUndumped(context, lines, await inventoryOf(context, target))
  if (dump === null || !canLoadFirst(dump, lines)) return
  await loadDump(context, dump, target)
  await runtime.transact((tx) => setInventorySum(tx, moveContext.move, inventorySumOf(lines)))
}

/**
 * Copies the content of the source server to the target server, and compares both servers. The entries are copied once
 * more, and with them the dump of a restore is loaded once more, if they have changed since the dump was loaded.
 */
async function copy(context: CopyContext): Promise<void> {
  const source = await startedServer(context, 'source')
  await checkData(context)
  const target = await startedServer(context, 'target')
  const { dump } = context
  const lines = await inventoryOf(context, source)
  const isLoaded = dump !== null && context.moveContext.move.inventorySum === inventorySumOf(lines)
  if (!isLoaded) await copyEntries(context, source, target)
  const load = dump === null || isLoaded ? null : () => loadDump(context, dump, target)
  await copyDatabases(context, source, target, lines, load)
  const check = dump === null ? checkEqual : checkKept.bind(null, context)
  check(lines, await inventoryOf(context, target))
}

/** Checks that the running database keeps its data on the volume. The move deletes its container. */
async function checkPlaces({ runtime, moveContext: { job, from } }: CopyContext): Promise<void> {
  const tasks = await runtime.engine.tasks([job.row.appName])
  const task = tasks.find(({ id }) => id === job.row.provenTask)
  const stray = task === undefined ? null : await findStrayDataOf(runtime, kindNamed(job.row.kind), from, task)
  if (stray !== null) throw new CopyFailure(stray)
}

/** Checks that the source server runs on the database's own data. */
async function checkData({ runtime, moveContext: { move, from } }: CopyContext): Promise<void> {
  const tasks = await runtime.engine.tasks([temporaryServerName(move, 'source')])
  const task = tasks.find(({ state, desired }) => state === 'running' && desired === 'running')
  if (task === undefined) throw new CopyFailure({ reason: 'CopyServerStopped' })
  if (await isDataReplaced(runtime, from, task)) throw new CopyFailure(dataReason('DataReplaced', from))
}

/**
 * Waits until a temporary server accepts logins. The time limit of the login begins when the server is ready, because
 * its start can take long.
 *
 * @throws CopyFailure as soon as the server's tasks have failed
 */
async function startedServer(context: CopyContext, side: Side): Promise<Server> {
  const { runtime, moveContext, signal } = context
  const { deploymentId } = moveContext.move
  const name = temporaryServerName(moveContext.move, side)
  const server: Server = { ...serverAt(context, side, name), isIsolated: true }
  const waitEnded = new AbortController()
  const both = AbortSignal.any([signal, waitEnded.signal])
  const ready = Promise.withResolvers<void>()
  const failing = untilFailed(context, side, ready.resolve, both)
  failing.catch(() => undefined)
  const logIn = async () => {
    // A restore can bring back the database with which the users log in.
    const mayLackDatabase = side === 'source' && context.dump !== null
    await waitForLogin(runtime, server, deploymentId, both, mayLackDatabase)
    if (side === 'target') await makeOwnAccount(runtime, server, deploymentId, both)
  }
  try {
    await Promise.race([failing, ready.promise])
    await Promise.race([failing, logIn()])
    return server
  } finally {
    waitEnded.abort()
  }
}

/**
 * Polls the tasks of a temporary server. Throws CopyFailure if they have failed, or another error if `signal` aborts.
 *
 * @param onReady called after each poll that finds the server ready
 */
async function untilFailed(
  { runtime, moveContext }: CopyContext,
  side: Side,
  onReady: () => void,
  signal: AbortSignal,
): Promise<never> {
  const digest = containerDigestOf(temporaryServerSpec(runtime, moveContext, side))
  const since = runtime.now().getTime()
  for (;;) {
    const tasks = await runtime.engine.tasks([temporaryServerName(moveContext.move, side)])
    const health = taskHealth(tasks, digest, since, runtime.now().getTime(), maxStartMs(moveContext.job.row))
    if (health.is === 'failed') {
      const node = side === 'source' ? moveContext.from.nodeName : moveContext.to.nodeName
      throw new CopyFailure({ reason: 'CopyServerFailed', node, cause: health.reason })
    }
    if (health.is === 'running') onReady()
    await pause(pollMs, undefined, { signal })
  }
}
