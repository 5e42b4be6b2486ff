/**
 * The copying of a move: from a server on the old volume to one on the new, each dump piped into its restore, and both
 * sides compared as drills are. Every part can be done anew from its beginning, for a crash says nothing of how far
 * it was. Knows no storage: nothing lies anywhere on the way.
 */
import { setTimeout as pause } from 'node:timers/promises'
import type { CopyReason, DataReason } from '../../deployments/reason.ts'
import { reasonMessage } from '../../deployments/reason-message.ts'
import { EngineUnavailable } from '../../engine/engine.ts'
import { containerDigestOf } from '../../engine/spec.ts'
import { type Beside, differences, type Program } from '../../kinds/backup.ts'
import { kindNamed } from '../../kinds/index.ts'
import { maskerOf } from '../../lib/crypto/mask.ts'
import { readWhole } from '../../lib/net/read-whole.ts'
import { secretsOf } from '../secrets.ts'
import { settingsOfVolume } from '../targets.ts'
import { dataReason, isReplaced } from '../reconcile/data-identity.ts'
import { type Copier, goOn, type Moving, type Side, scratchName, scratchSpec, turnBack } from './step.ts'
import { taskHealth } from '../reconcile/task-health.ts'
import type { Runtime } from '../../runtime.ts'
import { consumed, contentsOf, outputOf, readWhilePassing, type Tool } from '../../dumps/archive.ts'
import { untilReady } from '../wait-for-login.ts'
import type { Server } from '../tool-server.ts'

/** More would only share the disks and the line. */
const copiesAtOnce = 2
/** Of what a server holds beside its databases: a line for each account and each database. */
const maxListedBytes = 64 * 1024 ** 2
const lookAgainMs = 1000
/** So many things that a copy would not have are named, and how many more there are. */
const maxItems = 10

/** One copying in the copier's hands. */
interface Copying {
  runtime: Runtime
  it: Moving
  beside: Beside
  signal: AbortSignal
}

interface UnderWay {
  ended: Promise<void>
  abort: AbortController
}

export function copier(runtime: Runtime): Copier {
  const underWay = new Map<string, UnderWay>()
  const end = async (all: UnderWay[]) => {
    for (const { abort } of all) abort.abort()
    await Promise.all(all.map(({ ended }) => ended))
  }
  return {
    see(it) {
      const { deploymentId } = it.move
      if (underWay.has(deploymentId) || underWay.size >= copiesAtOnce) return
      const abort = new AbortController()
      const ended = work(runtime, it, abort.signal)
        .catch((error: unknown) => runtime.log.error('the end of a copy could not be noted', error, { deploymentId }))
        .finally(() => {
          underWay.delete(deploymentId)
          runtime.wake('services')
        })
      underWay.set(deploymentId, { ended, abort })
    },
    leave: (deploymentId) => end([underWay.get(deploymentId)].filter((it) => it !== undefined)),
    stop: () => end([...underWay.values()]),
  }
}

async function work(runtime: Runtime, it: Moving, called: AbortSignal): Promise<void> {
  // What still runs beside a part that failed ends with it.
  const abort = new AbortController()
  const signal = AbortSignal.any([called, abort.signal])
  try {
    const beside = kindNamed(it.job.row.kind).backup?.beside
    if (beside === undefined) throw new CopyFailure({ reason: 'CopyUnsupported' })
    if (it.move.step === 'prepare') await tryOut({ runtime, it, beside, signal })
    else await copy({ runtime, it, beside, signal })
    await goOn(runtime, it, it.move.step === 'prepare' ? 'stop' : 'clear')
  } catch (error) {
    if (called.aborted) return
    runtime.log.error('the copying of a move failed', error, { deploymentId: it.move.deploymentId })
    // The next turn begins this step anew.
    if (error instanceof EngineUnavailable) return
    await turnBack(runtime, it, reasonOf(error as Error))
  } finally {
    abort.abort()
  }
}

/** The copy failed for a reason that programs can tell. */
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

/** Before anybody notices: whether the new server comes up, and can hold all that the old one does. */
async function tryOut(at: Copying): Promise<void> {
  const [live, target] = [serverOf(at, at.it.job.row.appName), await ready(at, 'target')]
  const { dumped } = at.beside
  const isLeft = (line: string) => !dumped.includes(line.split('\t', 1)[0]!)
  await carry(at, live, target)
  checkEqual((await listed(at, live)).filter(isLeft), (await listed(at, target)).filter(isLeft))
}

async function copy(at: Copying): Promise<void> {
  const source = await ready(at, 'source')
  await checkData(at)
  const target = await ready(at, 'target')
  const lines = await listed(at, source)
  await carry(at, source, target)
  for (const database of databasesIn(lines)) await copyOne(at, source, target, database)
  checkEqual(lines, await listed(at, target))
}

/** Of what is on the volume of the source: nothing else is to be taken for it there. */
async function checkData({ runtime, it: { move, from } }: Copying): Promise<void> {
  const tasks = await runtime.engine.tasks([scratchName(move, 'source')])
  const task = tasks.find(({ state, desired }) => state === 'running' && desired === 'running')
  if (task === undefined) throw new CopyFailure({ reason: 'CopyServerStopped' })
  if (await isReplaced(runtime, from, task)) throw new CopyFailure(dataReason('DataReplaced', from))
}

function serverOf({ runtime, it }: Copying, host: string): Server {
  const {
    job: { row },
    from,
  } = it
  const kind = kindNamed(row.kind)
  return {
    kind,
    host,
    image: scratchSpec(runtime, it, 'source').image,
    version: from.serverVersion,
    settings: settingsOfVolume(runtime.vault, from),
    mask: maskerOf(secretsOf(runtime.vault, row, from, kind.secrets)),
  }
}

/** A server that does not come up ends it sooner than one that takes no log-ins. */
async function ready(at: Copying, side: Side): Promise<Server> {
  const { runtime, it, signal } = at
  const server = serverOf(at, scratchName(it.move, side))
  const over = new AbortController()
  const both = AbortSignal.any([signal, over.signal])
  const failing = untilFailed(at, side, both)
  failing.catch(() => undefined)
  try {
    await Promise.race([failing, untilReady(runtime, server, it.move.deploymentId, both)])
    return server
  } finally {
    over.abort()
  }
}

async function untilFailed({ runtime, it }: Copying, side: Side, signal: AbortSignal): Promise<never> {
  const digest = containerDigestOf(scratchSpec(runtime, it, side))
  const since = runtime.now().getTime()
  for (;;) {
    const tasks = await runtime.engine.tasks([scratchName(it.move, side)])
    const verdict = taskHealth(tasks, digest, since, runtime.now().getTime())
    if (verdict.is === 'failed') {
      const node = side === 'source' ? it.from.nodeName : it.to.nodeName
      throw new CopyFailure({ reason: 'CopyServerFailed', node, cause: verdict.reason })
    }
    await pause(lookAgainMs, undefined, { signal })
  }
}

function toolOf({ it }: Copying, part: string, { image, mask }: Server, program: Program): Tool {
  const { deploymentId } = it.move
  return { name: `berth-${part}-${deploymentId}`, recordId: deploymentId, image, program, mask }
}

async function listed(at: Copying, server: Server): Promise<string[]> {
  const { kind, settings, host } = server
  const tool = toolOf(at, 'list', server, at.beside.list(settings, { host, port: kind.port }))
  const text = await readWhole(outputOf(at.runtime, tool, at.signal), maxListedBytes, `The inventory of ${host}`)
  return text
    .toString()
    .split('\n')
    .filter((line) => line !== '')
    .sort()
}

/** What a dump does not make: its roles are there before it comes. */
async function carry(at: Copying, source: Server, target: Server): Promise<void> {
  const {
    runtime,
    beside: { give, take },
    signal,
  } = at
  if (give === undefined || take === undefined) return
  const port = source.kind.port
  const giver = toolOf(at, 'give', source, give(source.settings, { host: source.host, port }))
  const taker = toolOf(at, 'take', target, take(target.settings, { host: target.host, port }))
  await consumed(runtime, taker, outputOf(runtime, giver, signal), signal)
}

function databasesIn(lines: string[]): string[] {
  return lines
    .map((line) => line.split('\t'))
    .filter(([sort]) => sort === 'database')
    .map(([, name = '']) => Buffer.from(name, 'hex').toString())
}

async function copyOne(at: Copying, source: Server, target: Server, database: string): Promise<void> {
  const {
    runtime,
    it: {
      move: { deploymentId },
    },
    signal,
  } = at
  const { kind, settings, version } = source
  const backup = kind.backup!
  const placeOn = ({ host }: Server) => ({ host, port: kind.port, database })
  const dumpOf = (server: Server) =>
    outputOf(runtime, toolOf(at, 'dump', server, backup.dump(settings, placeOn(server), version)), signal)
  const loader = toolOf(at, 'load', target, backup.restore(settings, placeOn(target), version))
  const reading = readWhilePassing(runtime, source, deploymentId, signal)
  await consumed(runtime, loader, reading.through(dumpOf(source)), signal)
  const wanted = await reading.contents
  const found = await contentsOf(runtime, target, deploymentId, dumpOf(target), signal)
  const unequal = differences(wanted, found)
  if (unequal.length > 0) throw new CopyFailure({ reason: 'CopyDiffers', database, differences: unequal })
}

/** Of a line its sort and its name are told: the rest may be the hash of a password. */
function checkEqual(wanted: string[], found: string[]): void {
  const [left, right] = [new Set(wanted), new Set(found)]
  const unequal = [...left.difference(right), ...right.difference(left)]
  const items = [...new Set(unequal.map((line) => line.split('\t', 2).join(' ')))].sort()
  if (items.length === 0) return
  const named = items.slice(0, maxItems).map((item) => item.slice(0, maxDetail))
  throw new CopyFailure({ reason: 'ContentNotCopied', items: named, more: items.length - named.length })
}
