/**
 * Proves that a database answers with its target's credentials, and brings the live server to them where it still has
 * others. After a crash either may hold, so every pair that is known is tried.
 */
import { isDeepStrictEqual } from 'node:util'
import { engineReason } from '../../deployments/engine-reason.ts'
import type { EngineReason, LoginReason } from '../../deployments/reason.ts'
import { EngineFailure, type FoundTask, type Outcome } from '../../engine/engine.ts'
import type { Address, Kind } from '../../kinds/kind.ts'
import type { DatabaseTable, VolumeTable } from '../../store/schema.ts'
import {
  openSettings,
  openTarget,
  type Settings,
  sealSettings,
  sealTried,
  settingsOfVolume,
  type Target,
  triedOn,
} from '../targets.ts'
import * as volumes from '../../volumes/queries.ts'
import { versionOf } from './volume-placement.ts'
import { identify, isReplaced } from './data-identity.ts'
import type { Runtime } from '../../runtime.ts'

export type Proof =
  | { is: 'ready' }
  | { is: 'waiting' }
  | { is: 'failed'; reason: LoginReason | EngineReason }
  /** It runs on other data than that of its volume: nobody has logged in to it. */
  | { is: 'replaced' }

export interface Subject {
  row: DatabaseTable
  kind: Kind
  target: Target
  volume: VolumeTable
  task: FoundTask
  hasGateway: boolean
  /** When this attempt began. */
  since: string
  nowMs: number
}

const loginMs = 10_000
const rotateMs = 30_000
/** A server that is healthy and takes none of the known credentials for so long has been given others. */
const unknownCredentialsMs = 20_000
/** A container whose data cannot be read for so long is not going to be told. */
const unknownDataMs = 60_000
/** For a gateway to find the server behind it, from when that runs. */
const gatewayMs = 45_000

export async function prove(runtime: Runtime, it: Subject): Promise<Proof> {
  const other = await compare(runtime, it)
  if (other !== null) return other
  // Never over loopback instead: the official images let everybody in there.
  if (it.task.address === null) return { is: 'waiting' }
  const inside = { host: it.task.address, port: it.kind.port }
  const first = await login(runtime, it, it.target.settings, inside)
  const proof =
    first.exitCode === 0 ? await confirm(runtime, it, inside, first) : await bringTo(runtime, it, inside, first)
  return proof.is === 'ready' && it.hasGateway ? proveGateway(runtime, it) : proof
}

/** Before anything is changed in it. Null: it is the data of its volume, as far as that is known. */
async function compare(runtime: Runtime, it: Subject): Promise<Proof | null> {
  try {
    return (await isReplaced(runtime, it.volume, it.task)) ? { is: 'replaced' } : null
  } catch (error) {
    if (!(error instanceof EngineFailure)) throw error
    const isOver = it.nowMs - upSince(it) >= unknownDataMs
    return isOver ? { is: 'failed', reason: engineReason(error) } : { is: 'waiting' }
  }
}

/** A program in the container could not log in over the network; false where none could be run there. */
export async function isOutOfReach(runtime: Runtime, it: Subject): Promise<boolean> {
  if (it.task.address === null) return false
  const outcome = await login(runtime, it, it.target.settings, { host: it.task.address, port: it.kind.port })
  return outcome.exitCode !== 0 && outcome.exitCode !== notRun
}

/** As shells answer for a program that could not be run. */
const notRun = 125

async function login(runtime: Runtime, it: Subject, settings: Settings, address: Address): Promise<Outcome> {
  return run(runtime, it, it.kind.ready(settings, address), loginMs)
}

/** A container that is gone is an answer too: the next turn looks again. */
async function run(
  runtime: Runtime,
  it: Subject,
  program: ReturnType<Kind['ready']>,
  timeoutMs: number,
): Promise<Outcome> {
  try {
    return await runtime.engine.run(it.task, program, timeoutMs)
  } catch (error) {
    if (!(error instanceof EngineFailure)) throw error
    return { exitCode: notRun, stdout: '', stderr: error.message }
  }
}

/** The target's credentials work; the ones before must not any more. */
async function confirm(runtime: Runtime, it: Subject, address: Address, outcome: Outcome): Promise<Proof> {
  const before = [settingsOfVolume(runtime.vault, it.volume), ...triedOn(runtime.vault, it.volume)]
  const version = versionIn(outcome.stdout) ?? it.volume.serverVersion ?? versionOf(runtime, it.target, it.kind)
  const others = before.filter((settings) => !isDeepStrictEqual(settings, it.target.settings))
  for (const other of others) {
    const isOpen = await isOpenStill(runtime, it, other, address)
    if (isOpen) return { is: 'failed', reason: { reason: 'OldCredentialsAccepted' } }
  }
  const identity = await identify(runtime, it.volume, it.task)
  if (others.length === 0 && isNoted(it, version, identity)) return { is: 'ready' }
  await noteApplied(runtime, it, version, identity)
  return { is: 'ready' }
}

const versionIn = (stdout: string) => /^\d+(?:\.\d+)*$/.exec(stdout.trim())?.[0] ?? null

/** The volume's record says already what runs on it. */
function isNoted({ row, target, volume }: Subject, version: string | null, identity: string | null) {
  return (
    volume.tried === null &&
    version === volume.serverVersion &&
    target.dockerImage === volume.dockerImage &&
    row.appName === volume.appName &&
    identity === volume.identity &&
    volume.fault === null
  )
}

/** A crash may have left a rotation half done, with both open: it is repeated before that counts. */
async function isOpenStill(runtime: Runtime, it: Subject, before: Settings, address: Address): Promise<boolean> {
  if (!(await stillOpen(runtime, it, before, address))) return false
  await run(runtime, it, it.kind.rotate(before, it.target.settings, address), rotateMs)
  return stillOpen(runtime, it, before, address)
}

async function stillOpen(runtime: Runtime, it: Subject, before: Settings, address: Address): Promise<boolean> {
  const old: Settings = { ...before }
  if (it.target.settings.databaseName !== undefined) old.databaseName = it.target.settings.databaseName
  if (isDeepStrictEqual(old, it.target.settings)) return false
  return (await login(runtime, it, old, address)).exitCode === 0
}

/** From here on the volume is mounted where it is now. */
async function noteApplied(
  runtime: Runtime,
  { row, kind, target, volume }: Subject,
  version: string | null,
  identity: string | null,
) {
  const sealed = sealSettings(runtime.vault, 'volume', volume.id, target.settings, kind.secrets)
  await runtime.transact((tx) =>
    volumes.recordProof(tx, volume.id, {
      ...sealed,
      serverVersion: version,
      dataPath: volume.dataPath,
      dockerImage: target.dockerImage,
      appName: row.appName,
      identity,
    }),
  )
}

/**
 * Before the server is given the target's credentials: whatever is cut off or overtaken then, those that hold are
 * known. One step at a time works on a volume.
 */
export async function noteTried(
  { vault, transact }: Runtime,
  volume: Pick<VolumeTable, 'id' | 'settings' | 'secrets' | 'tried'>,
  target: Target,
): Promise<void> {
  const tried = triedOn(vault, volume)
  const known = [openSettings(vault, 'volume', volume), ...tried]
  if (known.some((settings) => isDeepStrictEqual(settings, target.settings))) return
  const sealed = sealTried(vault, volume.id, [target.settings, ...tried])
  await transact((tx) => volumes.recordTried(tx, volume.id, sealed))
}

/** The target's credentials do not work: with those that do, the server is given the target's. */
async function bringTo(runtime: Runtime, it: Subject, address: Address, first: Outcome): Promise<Proof> {
  for (const known of knownSettings(runtime, it)) {
    if ((await login(runtime, it, known, address)).exitCode !== 0) continue
    await noteTried(runtime, it.volume, it.target)
    const rotated = await run(runtime, it, it.kind.rotate(known, it.target.settings, address), rotateMs)
    if (rotated.exitCode !== 0) {
      return { is: 'failed', reason: { reason: 'RotationFailed', detail: words(rotated) } }
    }
    const again = await login(runtime, it, it.target.settings, address)
    if (again.exitCode !== 0) return { is: 'failed', reason: { reason: 'NewCredentialsRefused', detail: words(again) } }
    return confirm(runtime, await reread(runtime, it), address, again)
  }
  if (it.nowMs - upSince(it) < unknownCredentialsMs) return { is: 'waiting' }
  const detail = words(first)
  if (first.exitCode === notRun) return { is: 'failed', reason: { reason: 'LoginNotTried', detail } }
  // The images take incomplete files of a first start for complete ones, and never make them anew.
  const isFirstStart = it.volume.serverVersion === null
  return { is: 'failed', reason: { reason: 'LoginRefused', detail, isFirstStart } }
}

/** For this attempt. The engine's own times know nothing of a clock that was set since. */
const upSince = ({ since, task }: Subject) => Math.max(Date.parse(since), Date.parse(task.updatedAt))

/** With what was noted on the way. */
async function reread({ db }: Runtime, it: Subject): Promise<Subject> {
  const { tried } = await db
    .selectFrom('volume')
    .select('tried')
    .where('id', '=', it.volume.id)
    .executeTakeFirstOrThrow()
  return { ...it, volume: { ...it.volume, tried } }
}

/** Every other set of credentials that may hold inside the volume, the likeliest first. */
function knownSettings(runtime: Runtime, { row, target, volume }: Subject): Settings[] {
  const { vault } = runtime
  const candidates = [
    settingsOfVolume(vault, volume),
    ...triedOn(vault, volume),
    openTarget(vault, 'lastGood', row)?.settings,
    openSettings(vault, 'database', row),
  ].filter((settings) => settings !== undefined)
  return candidates.filter(
    (settings, index) =>
      !isDeepStrictEqual(settings, target.settings) &&
      candidates.findIndex((other) => isDeepStrictEqual(other, settings)) === index,
  )
}

/** Logs in from outside in: through the published port on the node. */
async function proveGateway(runtime: Runtime, it: Subject): Promise<Proof> {
  const address = { host: it.volume.nodeAddress, port: it.target.externalPort! }
  const outcome = await login(runtime, it, it.target.settings, address)
  if (outcome.exitCode === 0) return { is: 'ready' }
  if (it.nowMs - upSince(it) < gatewayMs) return { is: 'waiting' }
  return { is: 'failed', reason: { reason: 'ExternalPortUnreachable', detail: words(outcome) } }
}

const words = ({ stderr, stdout, exitCode }: Outcome) =>
  (stderr.trim() || stdout.trim() || `exit code ${exitCode}`).slice(-500)
