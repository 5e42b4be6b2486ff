/** Tests a bucket: writes, reads back, lists and deletes a probe object, within 14 seconds. */
import { type Code, refuse } from '../../errors.ts'
import type { Egress } from '../../lib/net/egress.ts'
import { readWhole, TooLarge } from '../../lib/net/read-whole.ts'
import { type Bucket, explain, type FaultKind, openBucket, type Settings, StorageFault } from '../../lib/s3/s3.ts'
import { endpointUrl } from '../../lib/s3/endpoint.ts'

type Did = 'write' | 'read' | 'list' | 'delete'

interface Step {
  did: Did
  tookMs: number
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
  timeout: ['GATEWAY_TIMEOUT', 'endpoint'],
}

/**
 * Tests a bucket, with one attempt per step so that intermittent failures become visible.
 * @param probeId makes the key of the probe object unique
 * @returns the steps and how long each took
 * @throws a refusal if a step fails; it names the faulty field, if there is one
 */
export async function probeBucket(settings: Settings, probeId: string, egress: Egress) {
  using bucket = openBucket(settings, { attempts: 1, egress })
  const key = `berth-probe-${probeId}`
  const steps: Step[] = []
  const [stepsTimeout, totalTimeout] = [AbortSignal.timeout(stepsTimeoutMs), AbortSignal.timeout(totalTimeoutMs)]
  const step = async (did: Did, signal: AbortSignal, work: (signal: AbortSignal) => Promise<void>) => {
    const began = performance.now()
    await work(signal).catch((error: unknown) => {
      if (!signal.aborted) throw error
      const { host } = endpointUrl(settings.endpoint)!
      const seconds = (signal === totalTimeout ? totalTimeoutMs : stepsTimeoutMs) / 1000
      throw new StorageFault(
        'timeout',
        `${host} did not answer within ${seconds} seconds when it was asked to ${did}. ` +
          'Check the endpoint, and that no firewall drops the connection',
      )
    })
    steps.push({ did, tookMs: Math.round(performance.now() - began) })
  }
  const remove = () => step('delete', totalTimeout, (signal) => bucket.remove([key], signal))
  try {
    await step('write', stepsTimeout, (signal) => bucket.put(key, Buffer.from(key), signal))
    try {
      await step('read', stepsTimeout, (signal) => readBack(bucket, key, signal))
      await step('list', stepsTimeout, (signal) => checkListed(bucket, key, signal))
    } catch (error) {
      return refuseFor(
        error,
        await remove().then(
          () => '',
          () => leftOver(key),
        ),
      )
    }
    await remove().catch((error: unknown) => refuseFor(error, leftOver(key)))
  } catch (error) {
    refuseFor(error, '')
  }
  return { message: 'Wrote a probe object, read it back, listed it and deleted it', key, steps }
}

/** The end of the error message if the probe object could not be deleted. */
const leftOver = (key: string) => `. The probe object ${key} is still in the bucket`

async function readBack(bucket: Bucket, key: string, signal: AbortSignal) {
  const read = await readWhole(bucket.get(key, signal), key.length, key).catch((error: unknown) => {
    if (error instanceof TooLarge) return null
    throw error
  })
  if (read?.equals(Buffer.from(key)) !== true) {
    throw new StorageFault(
      'answer',
      'The storage returned other bytes than were written. Check that the endpoint is the one of its S3 API',
    )
  }
}

async function checkListed(bucket: Bucket, key: string, signal: AbortSignal) {
  const { objects } = await bucket.list(key, 1, null, signal)
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
