/**
 * The two parts of a move that run in the background. The first checks the server on the new volume while the database
 * still runs. The second copies the data from a server on the old volume to the server on the new one. Each dump is
 * piped into its restore without intermediate storage. Afterwards the contents of both servers are compared. After a
 * crash, each part can start again from its beginning.
 */
import { setTimeout as pause } from 'node:timers/promises'
import { EngineUnavailable } from '../../engine/engine.ts'
import { containerDigestOf } from '../../engine/spec.ts'
import { databasesIn, differences, type Program, type ServerInventory } from '../../kinds/backup.ts'
import { isLeftOut, type NamedObject } from '../../kinds/dump-finding.ts'
import { kindNamed } from '../../kinds/index.ts'
import { maskerOf } from '../../lib/crypto/mask.ts'
import { readWhole } from '../../lib/net/read-whole.ts'
import { findStrayDataOf } from '../data-places.ts'
import { ownAccountOf } from '../login/own-account.ts'
import { secretsOf } from '../login/secrets.ts'
import { settingsOfVolume } from '../targets.ts'
import { dataReason, isDataReplaced } from '../reconcile/data-identity.ts'
import { CopyFailure, maxDetailLength, reasonOf } from './copy-failure.ts'
import { continueMove, type MoveContext, undoMove } from './progress.ts'
import type { MoveCopies } from './step.ts'
import { settingsOnSide, type Side, temporaryServerName, temporaryServerSpec } from './temporary-servers.ts'
import { maxStartMs, taskHealth } from '../reconcile/task-health.ts'
import type { Runtime } from '../../runtime.ts'
import { feedTool, contentsOf, toolOutput, readWhilePassing, type Tool } from '../../dumps/archive.ts'
import { makeOwnAccount, waitForLogin } from '../wait-for-login.ts'
import type { Server } from '../tool-server.ts'

/** The maximum number of concurrent copies. More copies would only share the same disks and network. */
const maxConcurrentCopies = 2
/** The maximum size of a server's inventory. The inventory has a line for each account and each database. */
const maxListedBytes = 64 * 1024 ** 2
const pollMs = 1000
/** The maximum number of items that an error names. */
const maxItems = 10

/** The parameters that all parts of one copy need. */
interface CopyContext {
  runtime: Runtime
  moveContext: MoveContext
  serverInventory: ServerInventory
  signal: AbortSignal
}

/** A copy in progress. `ended` resolves when the copy has ended, with or without success. */
interface RunningCopy {
  ended: Promise<void>
  abort: AbortController
}

export function moveCopies(runtime: Runtime): MoveCopies {
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
      const ended = runCopy(runtime, moveContext, abort.signal)
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

async function runCopy(runtime: Runtime, moveContext: MoveContext, cancelled: AbortSignal): Promise<void> {
  // If one part fails, the concurrent parts must end too.
  const abort = new AbortController()
  const signal = AbortSignal.any([cancelled, abort.signal])
  try {
    const serverInventory = kindNamed(moveContext.job.row.kind).backup?.serverInventory
    if (serverInventory === undefined) throw new CopyFailure({ reason: 'CopyUnsupported' })
    if (moveContext.move.step === 'prepare') await checkNewServer({ runtime, moveContext, serverInventory, signal })
    else await copy({ runtime, moveContext, serverInventory, signal })
    await continueMove(runtime, moveContext, moveContext.move.step === 'prepare' ? 'stop' : 'clear')
  } catch (error) {
    if (cancelled.aborted) return
    runtime.log.error('the copy of a move failed', error, { deploymentId: moveContext.move.deploymentId })
    // The next turn of the services loop starts this step again.
    if (error instanceof EngineUnavailable) return
    await undoMove(runtime, moveContext, reasonOf(error as Error))
  } finally {
    abort.abort()
  }
}

/**
 * Checks that the database can be stopped without loss, and that the new server starts and accepts the content that dumps
 * do not contain, such as accounts. The database still runs during this check.
 */
async function checkNewServer(context: CopyContext): Promise<void> {
  await checkPlaces(context)
  const [live, target] = [
    serverOf(context, 'source', context.moveContext.job.row.appName),
    await startedServer(context, 'target'),
  ]
  const { dumped } = context.serverInventory
  const isNotDumped = (line: string) => !dumped.includes(line.split('\t', 1)[0]!)
  await copyAccounts(context, live, target)
  checkEqual(
    (await inventoryOf(context, live)).filter(isNotDumped),
    (await inventoryOf(context, target)).filter(isNotDumped),
  )
}

/** Copies the content of the source server to the target server, and compares both servers. */
async function copy(context: CopyContext): Promise<void> {
  const source = await startedServer(context, 'source')
  await checkData(context)
  const target = await startedServer(context, 'target')
  const lines = await inventoryOf(context, source)
  await copyAccounts(context, source, target)
  for (const database of databasesIn(lines)) await copyDatabase(context, source, target, database)
  checkEqual(lines, await inventoryOf(context, target))
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

function serverOf({ runtime, moveContext }: CopyContext, side: Side, host: string): Server {
  const {
    job: { row },
    from,
  } = moveContext
  const kind = kindNamed(row.kind)
  return {
    kind,
    host,
    image: temporaryServerSpec(runtime, moveContext, 'source').image,
    version: from.serverVersion,
    settings: settingsOnSide(kind, settingsOfVolume(runtime.vault, from), side),
    own: ownAccountOf(runtime.vault, from),
    mask: maskerOf(secretsOf(runtime.vault, row, from, kind.secrets)),
  }
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
  const server: Server = { ...serverOf(context, side, name), isIsolated: true }
  const waitEnded = new AbortController()
  const both = AbortSignal.any([signal, waitEnded.signal])
  const ready = Promise.withResolvers<void>()
  const failing = untilFailed(context, side, ready.resolve, both)
  failing.catch(() => undefined)
  const logIn = async () => {
    await waitForLogin(runtime, server, deploymentId, both)
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

function toolOf(
  { moveContext }: CopyContext,
  part: string,
  { image, mask, isIsolated = false }: Server,
  program: Program,
): Tool {
  const { deploymentId } = moveContext.move
  return { name: `berth-${part}-${deploymentId}`, recordId: deploymentId, image, program, mask, isIsolated }
}

async function inventoryOf(context: CopyContext, server: Server): Promise<string[]> {
  const { kind, settings, own, host } = server
  const tool = toolOf(
    context,
    'list',
    server,
    context.serverInventory.list({ settings, own }, { host, port: kind.port }),
  )
  const text = await readWhole(
    toolOutput(context.runtime, tool, context.signal),
    maxListedBytes,
    `The inventory of ${host}`,
  )
  return text
    .toString()
    .split('\n')
    .filter((line) => line !== '')
    .sort()
}

/**
 * Copies the content that dumps do not contain, such as the roles that the dumps refer to. Does nothing if the kind of
 * the database has no program for this.
 */
async function copyAccounts(context: CopyContext, source: Server, target: Server): Promise<void> {
  const {
    runtime,
    serverInventory: { exportSql, importSql },
    signal,
  } = context
  if (exportSql === undefined || importSql === undefined) return
  const port = source.kind.port
  const exportTool = toolOf(context, 'give', source, exportSql(source, { host: source.host, port }))
  const importTool = toolOf(context, 'take', target, importSql(target, { host: target.host, port }))
  await feedTool(runtime, importTool, toolOutput(runtime, exportTool, signal), signal)
}

const namesOf = (findings: NamedObject[]) => findings.slice(0, maxItems).map(({ type, name }) => ({ type, name }))

/** Pipes the dump of one database into its restore, and compares the content of both databases. */
async function copyDatabase(context: CopyContext, source: Server, target: Server, database: string): Promise<void> {
  const {
    runtime,
    moveContext: {
      move: { deploymentId },
    },
    signal,
  } = context
  const { kind, version } = source
  const backup = kind.backup!
  const addressOn = ({ host }: Server) => ({ host, port: kind.port, database })
  const dumpOf = (server: Server) =>
    toolOutput(runtime, toolOf(context, 'dump', server, backup.dump(server, addressOn(server), version)), signal)
  const loadTarget = { ...addressOn(target), isTemporary: true }
  const restoreTool = toolOf(context, 'load', target, backup.restore(target, loadTarget, version))
  const reading = readWhilePassing(runtime, source, deploymentId, signal)
  await feedTool(runtime, restoreTool, reading.through(dumpOf(source)), signal)
  const expected = await reading.contents
  const leftOut = (expected.findings ?? []).filter(isLeftOut)
  if (leftOut.length > 0) throw new CopyFailure({ reason: 'CopyIncomplete', database, objects: namesOf(leftOut) })
  const actual = await contentsOf(runtime, target, deploymentId, dumpOf(target), signal)
  const changed = differences(expected, actual)
  if (changed.length > 0) throw new CopyFailure({ reason: 'CopyDiffers', database, differences: changed })
}

/**
 * Throws CopyFailure if two inventories differ. The failure contains only the type and name of each item, because the
 * rest of a line may be a password hash.
 */
function checkEqual(expected: string[], actual: string[]): void {
  const [expectedLines, actualLines] = [new Set(expected), new Set(actual)]
  const changed = [...expectedLines.difference(actualLines), ...actualLines.difference(expectedLines)]
  const items = [...new Set(changed.map((line) => line.split('\t', 2).join(' ')))].sort()
  if (items.length === 0) return
  const listed = items.slice(0, maxItems).map((item) => item.slice(0, maxDetailLength))
  throw new CopyFailure({ reason: 'ContentNotCopied', items: listed, more: items.length - listed.length })
}
