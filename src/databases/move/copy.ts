/**
 * Copies the data of a move from a server on the old volume to a server on the new one. Each dump is piped into its
 * restore without intermediate storage, and both sides are compared as in a drill. Every part can be repeated from its
 * beginning after a crash.
 */
import { setTimeout as pause } from 'node:timers/promises'
import type { CopyReason, DataReason } from '../../deployments/reason.ts'
import { reasonMessage } from '../../deployments/reason-message.ts'
import { EngineUnavailable } from '../../engine/engine.ts'
import { containerDigestOf } from '../../engine/spec.ts'
import { type ServerInventory, differences, type Program } from '../../kinds/backup.ts'
import { kindNamed } from '../../kinds/index.ts'
import { maskerOf } from '../../lib/crypto/mask.ts'
import { readWhole } from '../../lib/net/read-whole.ts'
import { secretsOf } from '../secrets.ts'
import { settingsOfVolume } from '../targets.ts'
import { dataReason, isReplaced } from '../reconcile/data-identity.ts'
import { type MoveCopies, continueMove, type Moving, undoMove } from './step.ts'
import { type Side, temporaryServerName, temporaryServerSpec } from './temporary-servers.ts'
import { taskHealth } from '../reconcile/task-health.ts'
import type { Runtime } from '../../runtime.ts'
import { feedTool, contentsOf, toolOutput, readWhilePassing, type Tool } from '../../dumps/archive.ts'
import { waitForLogin } from '../wait-for-login.ts'
import type { Server } from '../tool-server.ts'

/** The number of copies that run at the same time. More would only share the same disks and network. */
const maxConcurrentCopies = 2
/** The maximum size of a server's inventory, which has a line for each account and each database. */
const maxListedBytes = 64 * 1024 ** 2
const pollMs = 1000
/** The number of missing items that an error names. */
const maxItems = 10

/** One running copy. */
interface Copying {
  runtime: Runtime
  moving: Moving
  serverInventory: ServerInventory
  signal: AbortSignal
}

interface UnderWay {
  ended: Promise<void>
  abort: AbortController
}

export function moveCopies(runtime: Runtime): MoveCopies {
  const underWay = new Map<string, UnderWay>()
  const end = async (all: UnderWay[]) => {
    for (const { abort } of all) abort.abort()
    await Promise.all(all.map(({ ended }) => ended))
  }
  return {
    ensureRunning(moving) {
      const { deploymentId } = moving.move
      if (underWay.has(deploymentId) || underWay.size >= maxConcurrentCopies) return
      const abort = new AbortController()
      const ended = work(runtime, moving, abort.signal)
        .catch((error: unknown) => runtime.log.error('could not record the end of a copy', error, { deploymentId }))
        .finally(() => {
          underWay.delete(deploymentId)
          runtime.wake('services')
        })
      underWay.set(deploymentId, { ended, abort })
    },
    cancel: (deploymentId) => end([underWay.get(deploymentId)].filter((it) => it !== undefined)),
    stop: () => end([...underWay.values()]),
  }
}

async function work(runtime: Runtime, moving: Moving, cancelled: AbortSignal): Promise<void> {
  // A failed part must also end the parts that still run beside it.
  const abort = new AbortController()
  const signal = AbortSignal.any([cancelled, abort.signal])
  try {
    const serverInventory = kindNamed(moving.job.row.kind).backup?.serverInventory
    if (serverInventory === undefined) throw new CopyFailure({ reason: 'CopyUnsupported' })
    if (moving.move.step === 'prepare') await rehearse({ runtime, moving, serverInventory, signal })
    else await copy({ runtime, moving, serverInventory, signal })
    await continueMove(runtime, moving, moving.move.step === 'prepare' ? 'stop' : 'clear')
  } catch (error) {
    if (cancelled.aborted) return
    runtime.log.error('the copy of a move failed', error, { deploymentId: moving.move.deploymentId })
    // The next turn starts this step again.
    if (error instanceof EngineUnavailable) return
    await undoMove(runtime, moving, reasonOf(error as Error))
  } finally {
    abort.abort()
  }
}

/** A copy failed for a known reason. */
class CopyFailure extends Error {
  readonly reason: CopyReason | DataReason

  constructor(reason: CopyReason | DataReason) {
    super(reasonMessage(reason))
    this.reason = reason
  }
}

const maxDetail = 2000

const reasonOf = (error: Error): CopyReason | DataReason =>
  error instanceof CopyFailure ? error.reason : { reason: 'CopyFailed', detail: error.message.slice(0, maxDetail) }

/** Checks, while the database still runs, that the new server starts and can hold everything that the old one does. */
async function rehearse(copying: Copying): Promise<void> {
  const [live, target] = [serverOf(copying, copying.moving.job.row.appName), await ready(copying, 'target')]
  const { dumped } = copying.serverInventory
  const isNotDumped = (line: string) => !dumped.includes(line.split('\t', 1)[0]!)
  await copyAccounts(copying, live, target)
  checkEqual(
    (await inventoryOf(copying, live)).filter(isNotDumped),
    (await inventoryOf(copying, target)).filter(isNotDumped),
  )
}

async function copy(copying: Copying): Promise<void> {
  const source = await ready(copying, 'source')
  await checkData(copying)
  const target = await ready(copying, 'target')
  const lines = await inventoryOf(copying, source)
  await copyAccounts(copying, source, target)
  for (const database of databasesIn(lines)) await copyOne(copying, source, target, database)
  checkEqual(lines, await inventoryOf(copying, target))
}

/** Checks that the source server runs on the volume's data and not on other data. */
async function checkData({ runtime, moving: { move, from } }: Copying): Promise<void> {
  const tasks = await runtime.engine.tasks([temporaryServerName(move, 'source')])
  const task = tasks.find(({ state, desired }) => state === 'running' && desired === 'running')
  if (task === undefined) throw new CopyFailure({ reason: 'CopyServerStopped' })
  if (await isReplaced(runtime, from, task)) throw new CopyFailure(dataReason('DataReplaced', from))
}

function serverOf({ runtime, moving }: Copying, host: string): Server {
  const {
    job: { row },
    from,
  } = moving
  const kind = kindNamed(row.kind)
  return {
    kind,
    host,
    image: temporaryServerSpec(runtime, moving, 'source').image,
    version: from.serverVersion,
    settings: settingsOfVolume(runtime.vault, from),
    mask: maskerOf(secretsOf(runtime.vault, row, from, kind.secrets)),
  }
}

/** Waits until the server accepts logins. Fails as soon as its tasks have failed. */
async function ready(copying: Copying, side: Side): Promise<Server> {
  const { runtime, moving, signal } = copying
  const server = serverOf(copying, temporaryServerName(moving.move, side))
  const settled = new AbortController()
  const both = AbortSignal.any([signal, settled.signal])
  const failing = untilFailed(copying, side, both)
  failing.catch(() => undefined)
  try {
    await Promise.race([failing, waitForLogin(runtime, server, moving.move.deploymentId, both)])
    return server
  } finally {
    settled.abort()
  }
}

async function untilFailed({ runtime, moving }: Copying, side: Side, signal: AbortSignal): Promise<never> {
  const digest = containerDigestOf(temporaryServerSpec(runtime, moving, side))
  const since = runtime.now().getTime()
  for (;;) {
    const tasks = await runtime.engine.tasks([temporaryServerName(moving.move, side)])
    const health = taskHealth(tasks, digest, since, runtime.now().getTime())
    if (health.is === 'failed') {
      const node = side === 'source' ? moving.from.nodeName : moving.to.nodeName
      throw new CopyFailure({ reason: 'CopyServerFailed', node, cause: health.reason })
    }
    await pause(pollMs, undefined, { signal })
  }
}

function toolOf({ moving }: Copying, part: string, { image, mask }: Server, program: Program): Tool {
  const { deploymentId } = moving.move
  return { name: `berth-${part}-${deploymentId}`, recordId: deploymentId, image, program, mask }
}

async function inventoryOf(copying: Copying, server: Server): Promise<string[]> {
  const { kind, settings, host } = server
  const tool = toolOf(copying, 'list', server, copying.serverInventory.list(settings, { host, port: kind.port }))
  const text = await readWhole(
    toolOutput(copying.runtime, tool, copying.signal),
    maxListedBytes,
    `The inventory of ${host}`,
  )
  return text
    .toString()
    .split('\n')
    .filter((line) => line !== '')
    .sort()
}

/** Copies what a dump does not contain, such as the roles that it refers to. */
async function copyAccounts(copying: Copying, source: Server, target: Server): Promise<void> {
  const {
    runtime,
    serverInventory: { give, take },
    signal,
  } = copying
  if (give === undefined || take === undefined) return
  const port = source.kind.port
  const giver = toolOf(copying, 'give', source, give(source.settings, { host: source.host, port }))
  const taker = toolOf(copying, 'take', target, take(target.settings, { host: target.host, port }))
  await feedTool(runtime, taker, toolOutput(runtime, giver, signal), signal)
}

function databasesIn(lines: string[]): string[] {
  return lines
    .map((line) => line.split('\t'))
    .filter(([sort]) => sort === 'database')
    .map(([, name = '']) => Buffer.from(name, 'hex').toString())
}

async function copyOne(copying: Copying, source: Server, target: Server, database: string): Promise<void> {
  const {
    runtime,
    moving: {
      move: { deploymentId },
    },
    signal,
  } = copying
  const { kind, settings, version } = source
  const backup = kind.backup!
  const placeOn = ({ host }: Server) => ({ host, port: kind.port, database })
  const dumpOf = (server: Server) =>
    toolOutput(runtime, toolOf(copying, 'dump', server, backup.dump(settings, placeOn(server), version)), signal)
  const loader = toolOf(copying, 'load', target, backup.restore(settings, placeOn(target), version))
  const reading = readWhilePassing(runtime, source, deploymentId, signal)
  await feedTool(runtime, loader, reading.through(dumpOf(source)), signal)
  const wanted = await reading.contents
  const actual = await contentsOf(runtime, target, deploymentId, dumpOf(target), signal)
  const different = differences(wanted, actual)
  if (different.length > 0) throw new CopyFailure({ reason: 'CopyDiffers', database, differences: different })
}

/** Compares two inventories. An error names only an item's type and name: the rest may be a password hash. */
function checkEqual(wanted: string[], actual: string[]): void {
  const [wantedLines, actualLines] = [new Set(wanted), new Set(actual)]
  const different = [...wantedLines.difference(actualLines), ...actualLines.difference(wantedLines)]
  const items = [...new Set(different.map((line) => line.split('\t', 2).join(' ')))].sort()
  if (items.length === 0) return
  const named = items.slice(0, maxItems).map((item) => item.slice(0, maxDetail))
  throw new CopyFailure({ reason: 'ContentNotCopied', items: named, more: items.length - named.length })
}
