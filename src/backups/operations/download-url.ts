/** The operation that makes a pre-signed URL of a dump. */
import { z } from 'zod'
import { action } from '../../api/contract.ts'
import { idOf } from '../../api/fields.ts'
import { refuse } from '../../errors.ts'
import { StorageFault } from '../../lib/storage/faults.ts'
import { refuseStorage } from '../destinations/probe.ts'
import { checkStored, findDump, storageOf } from './stored-dump.ts'

const timeoutMs = 15_000
const [minSeconds, maxSeconds] = [60, 3600]

export const url = action({
  name: 'backup.url',
  summary: 'Make a URL by which anyone can download a dump from the storage, for a limited time',
  description:
    'The URL is pre-signed: it needs no token and no access key. Berth has read the first byte by it. It names the endpoint ' +
    'of the destination, so it works where that can be reached. It cannot be taken back before it expires, except by ' +
    'revoking the access key at the storage. The audit log records the call without the URL.',
  access: 'user:admin',
  work: 'read',
  input: z.object({
    runId: idOf('run of a good dump'),
    seconds: z
      .number()
      .int('must be a whole number')
      .min(minSeconds, `must be at least ${minSeconds}`)
      .max(maxSeconds, `must be at most ${maxSeconds}`)
      .default(900)
      .describe('For how long the URL is valid'),
  }),
  output: z.object({
    runId: z.string().describe('Id of the run'),
    url: z.string().describe('The URL of the object as stored. A secret until it expires'),
    expiresAt: z.string().describe('When the URL expires, by the clock of the storage'),
    encrypted: z.boolean().describe('Whether the object is encrypted with age'),
    sizeBytes: z.number().describe('Size of the object'),
    sha256: z.string().describe('SHA-256 checksum of the object'),
  }),
  refusals: ['NOT_FOUND', 'PRECONDITION_FAILED', 'BAD_GATEWAY', 'GATEWAY_TIMEOUT'],
  async run(context, { runId, seconds }) {
    const run = await findDump(context.db, runId)
    const open = await storageOf(context, run)
    const signal = AbortSignal.timeout(timeoutMs)
    await checkStored(open, run, signal).catch(refuseTimeout(signal))
    using storage = open(1)
    if (storage.presign === null) {
      refuse('PRECONDITION_FAILED', 'The destination of this dump has no such URLs. Download it with backup.download')
    }
    const { url, expiresAt } = await storage.presign(run.key, seconds, signal).catch(refuseTimeout(signal))
    return context.conclude(async () => ({
      runId,
      url,
      expiresAt: expiresAt.toISOString(),
      encrypted: run.recipient !== null,
      sizeBytes: run.sizeBytes!,
      sha256: run.sha256!,
    }))
  },
})

/** Refuses a fault of the storage. */
const refuseTimeout =
  (signal: AbortSignal) =>
  (error: unknown): never =>
    refuseStorage(
      signal.aborted
        ? new StorageFault('timeout', `The storage did not answer within ${timeoutMs / 1000} seconds`)
        : error,
    )
