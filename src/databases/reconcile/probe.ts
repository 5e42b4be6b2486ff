/**
 * Proves that a database accepts a login with its target's credentials. If the server still has other credentials, this
 * changes them first. After a crash the server can have the old or the new credentials, so Berth tries all known ones.
 */
import { isDeepStrictEqual } from 'node:util'
import { engineReason } from '../../deployments/engine-reason.ts'
import type { DataPlaceReason, EngineReason, LoginReason } from '../../deployments/reason.ts'
import { EngineFailure, type FoundTask, type Outcome } from '../../engine/engine.ts'
import type { Address, Kind, OwnAccount } from '../../kinds/kind.ts'
import type { DatabaseTable, VolumeTable } from '../../store/schema.ts'
import { knownCredentials, olderCredentials, type Settings, settingsOfVolume, type Target } from '../targets.ts'
import * as volumes from '../../volumes/queries.ts'
import { isUnprepared, prepare } from '../login/prepare.ts'
import { loginOutput } from '../../kinds/login-output.ts'
import { findStrayData } from '../data-places.ts'
import { isRecorded, recordAttemptedCredentials, recordProof } from '../login/proof-record.ts'
import { ensureOwnAccount, type OwnAccess } from '../login/ensure-own-account.ts'
import { errorText, hasRun, notRunExitCode, runProgram } from '../login/run-program.ts'
import { areAcceptedAfterRotation, isComplete, login, rotationTimeoutMs } from '../login/server-login.ts'
import { versionOf } from './volume-placement.ts'
import { clearServer, ensureDataMark, isDataReplaced } from './data-identity.ts'
import type { Runtime } from '../../runtime.ts'

export type Proof =
  | { is: 'ready' }
  | { is: 'waiting' }
  | { is: 'failed'; reason: LoginReason | DataPlaceReason | EngineReason }
  /** The server runs on other data than the volume had before. No login was attempted. */
  | { is: 'replaced' }

/** The server to log in to, and the credentials and the data that it should have. */
export interface ProbeSubject {
  row: DatabaseTable
  kind: Kind
  target: Target
  volume: VolumeTable
  task: FoundTask
  hasGateway: boolean
  /** Whether this phase of the deployment has proven the server already, before clients could reach it. */
  isProven?: boolean
  /** Whether the server waits for its clearance. After the proof, clients can reach it. */
  isHeldBack?: boolean
  /** When the deployment's phase began; without a deployment, when the task last changed. An ISO 8601 time. */
  since: string
  nowMs: number
}

/** How long a running server may refuse all known credentials before the proof fails. */
const unknownCredentialsMs = 20_000
/** How long a running server may leave logins and changes of credentials without an answer before the proof fails. */
const unansweredMs = 90_000
/** How long reading the data's mark in the container is retried. */
const unknownDataMs = 60_000
/** How long a gateway may take to reach the server, from the start of the server. */
const gatewayMs = 45_000

/**
 * Compares the data with the volume's mark, logs in, changes the credentials if necessary, and checks the gateway.
 *
 * @throws EngineUnavailable
 */
export async function prove(runtime: Runtime, subject: ProbeSubject): Promise<Proof> {
  const proof: Proof = subject.isProven ? { is: 'ready' } : await proveServer(runtime, subject)
  return proof.is === 'ready' && subject.hasGateway ? proveGateway(runtime, subject) : proof
}

async function proveServer(runtime: Runtime, subject: ProbeSubject): Promise<Proof> {
  const dataProof = await compareData(runtime, subject)
  if (dataProof !== null) return dataProof
  // A login over loopback proves nothing: the official images accept every login there.
  if (subject.task.address === null) return { is: 'waiting' }
  const address = { host: subject.task.address, port: subject.kind.port }
  const first = await login(runtime, subject, subject.target.settings, address)
  if (isUnprepared(subject.kind, first)) return prepareWith(runtime, subject, subject.target.settings, address)
  return isComplete(first)
    ? ((await saveCredentials(runtime, subject, address)) ?? (await confirm(runtime, subject, address, first)))
    : await rotateCredentials(runtime, subject, address, first)
}

/** Compares the data with the volume's mark. Null if the data matches or the volume has no mark. */
export const compareData = (runtime: Runtime, subject: ProbeSubject): Promise<Proof | null> =>
  readContainer(subject, async () =>
    (await isDataReplaced(runtime, subject.volume, subject.task)) ? { is: 'replaced' } : null,
  )

/** Checks that the server keeps its data on the volume. Null if it does. */
const checkPlaces = (runtime: Runtime, subject: ProbeSubject, { stdout }: Outcome): Promise<Proof | null> =>
  readContainer(subject, async () => {
    const reason = await findStrayData(runtime, subject.volume, subject.task, stdout)
    return reason === null ? null : { is: 'failed', reason }
  })

/** Calls `read`. If the container cannot be read or written, the next step tries again for some time. */
async function readContainer(subject: ProbeSubject, read: () => Promise<Proof | null>): Promise<Proof | null> {
  try {
    return await read()
  } catch (error) {
    if (!(error instanceof EngineFailure)) throw error
    const hasTimedOut = subject.nowMs - upSince(subject) >= unknownDataMs
    return hasTimedOut ? { is: 'failed', reason: engineReason(error) } : { is: 'waiting' }
  }
}

/** Whether a login over the network fails. False if the server has no address or the login program could not be run. */
export async function isUnreachable(runtime: Runtime, subject: ProbeSubject): Promise<boolean> {
  if (subject.task.address === null) return false
  const outcome = await login(runtime, subject, subject.target.settings, {
    host: subject.task.address,
    port: subject.kind.port,
  })
  return outcome.exitCode !== 0 && outcome.exitCode !== notRunExitCode
}

/** Prepares a server that accepts these settings. The next step logs in again. */
const prepareWith = (runtime: Runtime, subject: ProbeSubject, settings: Settings, address: Address): Promise<Proof> =>
  prepare(runtime, subject, subject.nowMs - upSince(subject), () =>
    runProgram(runtime, subject.task, subject.kind.lasting!.prepare(settings, address), rotationTimeoutMs),
  )

/**
 * Saves credentials that the running server accepts already. A crash can have interrupted their rotation before the
 * server saved them, and its next start would bring the older ones back. Null if they are saved.
 */
async function saveCredentials(runtime: Runtime, subject: ProbeSubject, address: Address): Promise<Proof | null> {
  const program = subject.kind.save?.(subject.target.settings, address)
  if (program === undefined || olderCredentials(runtime.vault, subject).length === 0) return null
  const outcome = await runProgram(runtime, subject.task, program, rotationTimeoutMs)
  if (isAwaited(subject, outcome)) return { is: 'waiting' }
  return outcome.exitCode === 0 ? null : rotationFailed(outcome)
}

/**
 * After a login with the target's credentials: checks where the data is and that older credentials are not accepted, and
 * records the proof.
 */
async function confirm(runtime: Runtime, subject: ProbeSubject, address: Address, outcome: Outcome): Promise<Proof> {
  const stray = await checkPlaces(runtime, subject, outcome)
  if (stray !== null) return stray
  const { account } = await ownAccess(runtime, subject, [subject.target.settings], outcome)
  const version =
    loginOutput(outcome.stdout).version ??
    subject.volume.serverVersion ??
    versionOf(runtime, subject.target, subject.kind)
  const olderSettings = olderCredentials(runtime.vault, subject)
  for (const older of olderSettings) {
    const isAccepted = await areAcceptedAfterRotation(runtime, subject, older, address, account)
    if (isAccepted) return { is: 'failed', reason: { reason: 'OldCredentialsAccepted' } }
  }
  const marked = await markData(runtime, subject)
  if (marked.is !== 'marked') return marked
  const { identity } = marked
  if (olderSettings.length === 0 && isRecorded(runtime, subject, version, identity)) return { is: 'ready' }
  await recordProof(runtime, subject, version, identity)
  return { is: 'ready' }
}

/** Marks the data of a proven server. If the server is held back, clients can then reach it. */
export async function markData(
  runtime: Runtime,
  subject: ProbeSubject,
): Promise<Proof | { is: 'marked'; identity: string | null }> {
  const { volume, task } = subject
  if (!subject.isHeldBack) return { is: 'marked', identity: await ensureDataMark(runtime, volume, task) }
  let identity: string | null = null
  const obstacle = await readContainer(subject, async () => {
    identity = await clearServer(runtime, volume, task)
    return null
  })
  return obstacle ?? { is: 'marked', identity }
}

/** Makes sure that the server, which has accepted the first credentials, has an account for Berth. */
function ownAccess(
  runtime: Runtime,
  subject: ProbeSubject,
  accepted: Settings[],
  outcome: Outcome,
): Promise<OwnAccess> {
  const known = [...accepted, ...knownCredentials(runtime.vault, subject)]
  const server = { ...subject, databaseId: subject.row.id }
  return ensureOwnAccount(runtime, server, known, loginOutput(outcome.stdout))
}

/**
 * Logs in with other known credentials and changes them to the target's. If the server accepts the user of the target and
 * refuses only its administrator, and no change of that password is due, then the target is proven.
 */
async function rotateCredentials(
  runtime: Runtime,
  subject: ProbeSubject,
  address: Address,
  first: Outcome,
): Promise<Proof> {
  let unanswered = isAwaited(subject, first)
  for (const known of knownCredentials(runtime.vault, subject)) {
    const outcome = await login(runtime, subject, known, address)
    unanswered ||= isAwaited(subject, outcome)
    if (isUnprepared(subject.kind, outcome)) return prepareWith(runtime, subject, known, address)
    if (outcome.exitCode !== 0) continue
    const { account } = await ownAccess(runtime, subject, [known], outcome)
    if (account === null && !isComplete(outcome)) continue
    return rotateFrom(runtime, subject, address, known, account)
  }
  if (first.exitCode === 0) {
    const isRootChanged = !isDeepStrictEqual(settingsOfVolume(runtime.vault, subject.volume), subject.target.settings)
    if (!isRootChanged) return confirm(runtime, subject, address, first)
    return { is: 'failed', reason: { reason: 'NewCredentialsRefused', detail: errorText(first) } }
  }
  if (unanswered || subject.nowMs - upSince(subject) < unknownCredentialsMs) return { is: 'waiting' }
  const detail = errorText(first)
  if (first.exitCode === notRunExitCode) return { is: 'failed', reason: { reason: 'LoginNotTried', detail } }
  // If the first start was interrupted, the files are incomplete, but the official images do not initialize them again.
  const isFirstStart = subject.volume.serverVersion === null
  return { is: 'failed', reason: { reason: 'LoginRefused', detail, isFirstStart } }
}

/** Changes credentials that the server accepts to the target's. */
async function rotateFrom(
  runtime: Runtime,
  subject: ProbeSubject,
  address: Address,
  known: Settings,
  own: OwnAccount | null,
): Promise<Proof> {
  await recordAttemptedCredentials(runtime, subject.volume, subject.target)
  const rotation = subject.kind.rotate(known, subject.target.settings, address, own)
  const rotated = await runProgram(runtime, subject.task, rotation, rotationTimeoutMs)
  if (isAwaited(subject, rotated)) return { is: 'waiting' }
  if (rotated.exitCode !== 0) return rotationFailed(rotated)
  const again = await login(runtime, subject, subject.target.settings, address)
  if (isAwaited(subject, again)) return { is: 'waiting' }
  if (again.exitCode !== 0) {
    return { is: 'failed', reason: { reason: 'NewCredentialsRefused', detail: errorText(again) } }
  }
  return confirm(runtime, await reread(runtime, subject), address, again)
}

/**
 * Whether the program ended without an answer of the server, as on a busy node, and the next step should try again. A
 * change of credentials without an answer may have happened: the next step then logs in with the new ones.
 */
const isAwaited = (subject: ProbeSubject, outcome: Outcome) =>
  !hasRun(outcome) && subject.nowMs - upSince(subject) < unansweredMs

/** Whether Berth gives up on a server that refuses it, or that gives it no answer. */
export const refusalIsFinal = (subject: ProbeSubject, hasAnswered: boolean): boolean =>
  subject.nowMs - upSince(subject) >= (hasAnswered ? unknownCredentialsMs : unansweredMs)

/**
 * When the server started, but at the earliest `since`, in milliseconds since the epoch. If the clock was set, the time
 * of the engine alone can be wrong.
 */
const upSince = ({ since, task }: ProbeSubject) => Math.max(Date.parse(since), Date.parse(task.updatedAt))

/** The subject with the attempted credentials and the account that the store now contains. */
async function reread({ db }: Runtime, subject: ProbeSubject): Promise<ProbeSubject> {
  const { tried, ownAccount, access } = await volumes.get(db, subject.volume.id)
  return { ...subject, volume: { ...subject.volume, tried, ownAccount, access } }
}

/** Logs in through the published port on the node. */
async function proveGateway(runtime: Runtime, subject: ProbeSubject): Promise<Proof> {
  const address = { host: subject.volume.nodeAddress, port: subject.target.externalPort! }
  const outcome = await login(runtime, subject, subject.target.settings, address)
  if (outcome.exitCode === 0) return { is: 'ready' }
  if (subject.nowMs - upSince(subject) < gatewayMs) return { is: 'waiting' }
  return { is: 'failed', reason: { reason: 'ExternalPortUnreachable', detail: errorText(outcome) } }
}

const rotationFailed = (outcome: Outcome): Proof => ({
  is: 'failed',
  reason: { reason: 'RotationFailed', detail: errorText(outcome) },
})
