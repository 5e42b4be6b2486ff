/** Tests a destination: writes, reads back, lists and deletes a probe object, within 14 seconds. */
import { type Code, refuse } from '../../errors.ts'
import type { Egress } from '../../lib/net/egress.ts'
import { readWhole, TooLarge } from '../../lib/net/read-whole.ts'
import { HostKeyFault } from '../../lib/sftp/faults.ts'
import { explain, type FaultKind, ObjectLocked, StorageFault } from '../../lib/storage/faults.ts'
import type { Removal, Storage } from '../../lib/storage/storage.ts'
import { checksOf } from './checks.ts'
import { openStorage, storageKinds } from './open.ts'
import type { DestinationSettings } from './settings.ts'

type Did = 'write' | 'read' | 'list' | 'delete'

interface Step {
  did: Did
  tookMs: number
  /** Null: the step succeeded. */
  fault: StorageFault | null
}

/** The time limit for all steps together, except the deletion of the probe object. */
const stepsTimeoutMs = 11_000
/** The time limit for all steps together, including the deletion. */
const totalTimeoutMs = 14_000

/** The error code and the faulty field for each fault; null: no field is at fault. */
const refusals: Record<FaultKind, [Code, string | null]> = {
  accessKey: ['BAD_REQUEST', 'accessKey'],
  secretAccessKey: ['BAD_REQUEST', 'secretAccessKey'],
  bucket: ['BAD_REQUEST', 'bucket'],
  region: ['BAD_REQUEST', 'region'],
  rights: ['BAD_REQUEST', 'accessKey'],
  name: ['BAD_GATEWAY', 'endpoint'],
  refused: ['BAD_GATEWAY', 'endpoint'],
  unreachable: ['BAD_GATEWAY', 'endpoint'],
  tls: ['BAD_GATEWAY', 'endpoint'],
  answer: ['BAD_GATEWAY', 'endpoint'],
  broken: ['BAD_GATEWAY', 'endpoint'],
  clock: ['BAD_GATEWAY', null],
  busy: ['BAD_GATEWAY', null],
  missing: ['BAD_GATEWAY', null],
  changed: ['BAD_GATEWAY', null],
  egress: ['BAD_REQUEST', 'endpoint'],
  proxy: ['BAD_GATEWAY', null],
  hostKey: ['BAD_REQUEST', 'hostKey'],
  login: ['BAD_REQUEST', 'secretAccessKey'],
  full: ['BAD_GATEWAY', null],
  timeout: ['GATEWAY_TIMEOUT', 'endpoint'],
}

/**
 * Tests a destination, with one attempt per step so that intermittent failures become visible.
 * @param probeId makes the key of the probe object unique
 * @returns the steps and how long each took
 * @throws a refusal if a step fails; it names the faulty field, if there is one
 */
export async function probeDestination(settings: DestinationSettings, probeId: string, egress: Egress) {
  const { key, steps, removal } = await runSteps(settings, probeId, egress)
  const failed = steps.find(({ fault }) => fault !== null)
  if (failed !== undefined) refuseFor(failed.fault, suffixOf(steps, key, settings))
  return { message: successMessage(key, removal), key, steps: durationsOf(steps) }
}

/** Tests a destination like `probeDestination`, but answers a failed step instead of refusing the call. */
export async function probeReport(settings: DestinationSettings, probeId: string, egress: Egress) {
  const { key, steps, removal } = await runSteps(settings, probeId, egress)
  const failed = steps.find(({ fault }) => fault !== null)
  const message =
    failed === undefined ? successMessage(key, removal) : explain(failed.fault!) + suffixOf(steps, key, settings)
  const done = durationsOf(steps.filter(({ fault }) => fault === null))
  const shown = failed?.fault instanceof HostKeyFault ? { hostKey: failed.fault.shownKey } : {}
  return { message, key, steps: done, checks: checksOf(steps), ...shown }
}

function successMessage(key: string, removal: Removal | ObjectLocked): string {
  if (removal instanceof ObjectLocked) {
    const end = removal.until === null ? 'its legal hold ends' : removal.until.toISOString()
    return (
      `Wrote a probe object, read it back and listed it. The bucket locks its objects: the probe object ${key} stays until ` +
      `${end}. Expired dumps are deleted when their locks have ended`
    )
  }
  const done = 'Wrote a probe object, read it back, listed it and deleted it'
  if (removal === 'gone') return done
  return (
    `${done}. The bucket keeps deleted objects as older versions, which this access key may not delete, so expired dumps ` +
    'keep taking space. Grant the key the right to delete versions (s3:DeleteObjectVersion), or give the bucket a ' +
    'lifecycle rule that deletes noncurrent versions'
  )
}

const durationsOf = (steps: Step[]) => steps.map(({ did, tookMs }) => ({ did, tookMs }))

interface Probe {
  key: string
  steps: Step[]
  /** What became of the probe object, if it was written and its removal did not fail. */
  removal: Removal | ObjectLocked
}

async function runSteps(settings: DestinationSettings, probeId: string, egress: Egress): Promise<Probe> {
  using storage = openStorage(settings, { attempts: 1, egress })
  const kind = storageKinds[settings.kind]
  const key = `berth-probe-${probeId}`
  const steps: Step[] = []
  let removal: Probe['removal'] = 'gone'
  const [stepsTimeout, totalTimeout] = [AbortSignal.timeout(stepsTimeoutMs), AbortSignal.timeout(totalTimeoutMs)]
  /** Returns whether the step succeeded. */
  const step = async (did: Did, signal: AbortSignal, work: (signal: AbortSignal) => Promise<void>) => {
    const began = performance.now()
    const fault = await work(signal).then(
      () => null,
      (error: unknown) => {
        if (signal.aborted) {
          const ms = signal === totalTimeout ? totalTimeoutMs : stepsTimeoutMs
          return kind.byProxy(timeoutOf(kind.hostOf(settings), did, ms), settings, egress)
        }
        if (error instanceof StorageFault) return kind.hinted(error, settings)
        throw error
      },
    )
    steps.push({ did, tookMs: Math.round(performance.now() - began), fault })
    return fault === null
  }
  if (await step('write', stepsTimeout, (signal) => storage.put(key, Buffer.from(key), signal))) {
    const isRead = await step('read', stepsTimeout, (signal) => readBack(storage, key, signal))
    if (isRead) await step('list', stepsTimeout, (signal) => checkListed(storage, key, signal))
    await step('delete', totalTimeout, async (signal) => {
      removal = await storage.remove([key], signal).catch((error: unknown) => {
        if (error instanceof ObjectLocked) return error
        throw error
      })
    })
  }
  return { key, steps, removal }
}

function timeoutOf(host: string, did: Did, timeoutMs: number): StorageFault {
  return new StorageFault(
    'timeout',
    `${host} did not answer within ${timeoutMs / 1000} seconds when it was asked to ${did}. ` +
      'Check the endpoint, and that no firewall drops the connection',
  )
}

/** The end of the error message if the probe object could not be deleted. */
const suffixOf = (steps: Step[], key: string, { kind }: DestinationSettings): string =>
  steps.some(({ did, fault }) => did === 'delete' && fault !== null)
    ? `. The probe object ${key} is still in the ${storageKinds[kind].container}`
    : ''

async function readBack(storage: Storage, key: string, signal: AbortSignal) {
  const read = await readWhole(storage.get(key, signal), key.length, key).catch((error: unknown) => {
    if (error instanceof TooLarge) return null
    throw error
  })
  if (read?.equals(Buffer.from(key)) !== true) {
    throw new StorageFault(
      'answer',
      'The storage returned other bytes than were written. Check that the endpoint is the right one',
    )
  }
}

async function checkListed(storage: Storage, key: string, signal: AbortSignal) {
  const { objects } = await storage.list(key, 1, null, signal)
  if (objects[0]?.key !== key) throw new StorageFault('answer', 'The storage does not list the object that was written')
}

function refuseFor(error: unknown, suffix: string): never {
  if (!(error instanceof StorageFault)) throw error
  const [code, path] = refusals[error.kind]
  const message = explain(error) + suffix
  refuse(code, message, { issues: path === null ? [] : [{ path, message }] })
}

/** Refuses a StorageFault with the storage's message. Throws any other error unchanged. */
export const refuseStorage = (error: unknown): never => refuseFor(error, '')
