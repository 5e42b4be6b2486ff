/** Operations on destinations, the buckets that backups are uploaded to. Answers never contain the secret. */
import { z } from 'zod'
import { forgetExpiredObjectsIn } from '../retention/expired.ts'
import type { Config } from '../../config.ts'
import { action, command, query } from '../../api/contract.ts'
import { refuse, refuseField } from '../../errors.ts'
import { mask } from '../../lib/crypto/mask.ts'
import { endpointUrl, isBucketName, withoutBucket } from '../../lib/s3/endpoint.ts'
import { sealDestination, settingsOfDestination } from './settings.ts'
import type { DestinationTable, Reader } from '../../store/schema.ts'
import { checkNames } from './checks.ts'
import { bucketInEndpoint, probeBucket, probeReport } from './probe.ts'
import { answerShape } from '../../api/answer-shape.ts'
import { answeredIdOf, CreatedAt, cutPage, Id, idOf, Name, page, refuseMask } from '../../api/fields.ts'

const Endpoint = z
  .string()
  .max(1000, 'must have at most 1,000 characters')
  .refine(
    (text) => endpointUrl(text) !== null,
    'must be a host, such as s3.eu-central-1.amazonaws.com, or an http(s) URL without user, query and fragment',
  )

const Region = z
  .string()
  .regex(
    /^(?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?)?$/,
    "must contain only letters, digits and hyphens, such as eu-central-1, or be empty for the storage's default",
  )

const BucketName = z
  .string()
  .refine(isBucketName, 'must have 3 to 255 letters, digits, hyphens, underscores and dots, as the storage shows it')

/** Printable ASCII without spaces, because the key is sent in a header unchanged. */
const AccessKey = z
  .string()
  .max(255, 'must have at most 255 characters')
  .regex(/^[!-~]+$/, 'must be printable ASCII without spaces, and must not be empty')

const SecretAccessKey = z
  .string()
  .max(1000, 'must have at most 1,000 characters')
  .regex(/^[^\s\u0000-\u001f\u007f-\u009f]+$/, 'must not be empty, and must not contain spaces or control characters')

const fields = {
  name: Name.describe('Display name of the destination'),
  accessKey: AccessKey.describe('The access key id, the public half of the credentials'),
  bucket: BucketName.describe('Name of the bucket, which must exist'),
  region: Region.describe("The region, such as eu-central-1. Empty: the storage's default"),
  endpoint: Endpoint.describe(
    'The S3 API: a URL such as http://10.0.0.7:9000, or a host that is reached over HTTPS, such as ' +
      's3.eu-central-1.amazonaws.com',
  ),
  secretAccessKey: SecretAccessKey.describe('The secret half of the credentials. Berth stores it sealed'),
}
const { secretAccessKey: _, ...openFields } = fields

const Destination = z.object({
  destinationId: answeredIdOf('destination'),
  ...answerShape(openFields),
  secretAccessKey: z
    .literal(mask)
    .describe('Always this mask. destination.update keeps the stored secret if it receives the mask'),
  createdAt: CreatedAt,
})

export const create = command({
  name: 'destination.create',
  summary: 'Create a destination: a bucket that dumps are uploaded to',
  description: 'The call does not connect to the storage. destination.testConnection does.',
  access: 'admin:admin',
  input: z.object(fields),
  output: Destination,
  async run({ tx, config, vault, now, newId }, { secretAccessKey, ...rest }) {
    checkNoMask(secretAccessKey)
    checkEndpoint(config, rest)
    const id = newId()
    const secrets = sealDestination(vault, id, secretAccessKey)
    const row: DestinationTable = { ...rest, id, secrets, createdAt: now().toISOString() }
    await tx.insertInto('destination').values(row).execute()
    return toDestination(row)
  },
})

export const one = query({
  name: 'destination.one',
  summary: 'Read a destination',
  access: 'user:read',
  input: z.object({ destinationId: idOf('destination') }),
  output: Destination,
  refusals: ['NOT_FOUND'],
  tag: { observed: [] },
  async run({ db, vault, addToTag }, { destinationId }) {
    const row = await find(db, destinationId)
    addToTag(settingsOfDestination(vault, row).secretAccessKey)
    return toDestination(row)
  },
})

export const all = query({
  name: 'destination.all',
  summary: 'List the destinations, oldest first',
  access: 'user:read',
  input: z.object(page),
  output: z.array(Destination),
  async run({ db, setNextCursor }, { limit, cursor = '' }) {
    let rows = db.selectFrom('destination').selectAll().where('id', '>', cursor).orderBy('id')
    if (limit !== undefined) rows = rows.limit(limit + 1)
    return cutPage(await rows.execute(), limit, setNextCursor).map(toDestination)
  },
})

export const update = command({
  name: 'destination.update',
  summary: 'Change a destination; the mask keeps the stored secret',
  description: 'A run under way uses the new values only from its next attempt on.',
  access: 'admin:admin',
  input: z.object({ destinationId: idOf('destination'), ...fields }),
  output: Destination,
  refusals: ['NOT_FOUND'],
  async run({ tx, config, vault }, { destinationId, secretAccessKey, ...rest }) {
    const before = await find(tx, destinationId)
    checkEndpoint(config, rest)
    const secrets = secretAccessKey === mask ? before.secrets : sealDestination(vault, before.id, secretAccessKey)
    const after: DestinationTable = { ...before, ...rest, secrets }
    await tx
      .updateTable('destination')
      .set({ ...rest, secrets })
      .where('id', '=', before.id)
      .execute()
    return toDestination(after)
  },
})

export const remove = command({
  name: 'destination.remove',
  summary: 'Remove a destination; the objects in its bucket stay',
  access: 'admin:admin',
  input: z.object({ destinationId: idOf('destination') }),
  output: Destination,
  refusals: ['NOT_FOUND', 'CONFLICT'],
  async run({ tx }, { destinationId }) {
    const row = await find(tx, destinationId)
    const used = await tx
      .selectFrom('backup')
      .select(['id', 'prefix', 'subjectKind'])
      .where('destinationId', '=', row.id)
      .execute()
    if (used.length > 0) {
      const names = used
        .map(({ id, prefix, subjectKind }) =>
          subjectKind === 'installation' ? "the backup of Berth's own state (state.schedule)" : `${id} (${prefix})`,
        )
        .join(', ')
      refuse(
        'CONFLICT',
        `Backups use this destination: ${names}. Change their destination with backup.update, or remove them, first`,
      )
    }
    await forgetExpiredObjectsIn(tx, row.id)
    await tx.deleteFrom('destination').where('id', '=', row.id).execute()
    return toDestination(row)
  },
})

const Check = z.object({
  check: z
    .enum(checkNames)
    .describe(
      'resolve: the address of the host is found. connect: the connection, with TLS for https, is made. sign: the ' +
        'storage accepts the keys, the region and the time. The others: what was done with the probe object',
    ),
  result: z.enum(['done', 'failed', 'notRun']).describe('Whether the check succeeded, failed, or was not run'),
  tookMs: z.number().nullable().describe('Duration in milliseconds; null: not run, or part of write'),
  error: z.string().nullable().describe('What is wrong and what to do; null unless the check failed'),
})

export const testConnection = action({
  name: 'destination.testConnection',
  summary: 'Test a destination: write, read, list and delete a probe object',
  description:
    'The test uses exactly the given values and takes at most 15 seconds. An error says what is wrong and what to ' +
    'do. Nothing is stored. With `destinationId`, a masked secret stands for the secret stored in that destination.',
  access: 'admin:admin',
  input: z.object({
    ...fields,
    destinationId: Id.optional().describe('The destination whose stored secret the mask stands for'),
    report: z
      .boolean()
      .optional()
      .describe('If true, the answer has checks, and a failed check is answered in it instead of refusing the call'),
  }),
  output: z.object({
    message: z.string().describe('What the test did'),
    key: z.string().describe('The key of the probe object, which was deleted'),
    steps: z
      .array(
        z.object({
          did: z.enum(['write', 'read', 'list', 'delete']).describe('What was done with the probe object'),
          tookMs: z.number().describe('Duration in milliseconds'),
        }),
      )
      .describe('The steps of the test in their order'),
    checks: z
      .array(Check)
      .optional()
      .describe(
        'Only with report: all checks in their order. The first request, write, also makes the three before it',
      ),
  }),
  refusals: ['NOT_FOUND', 'BAD_GATEWAY', 'GATEWAY_TIMEOUT'],
  async run({ db, config, vault, newId }, { destinationId, report, secretAccessKey: sentSecret, ...settings }) {
    const stored = destinationId === undefined ? null : await find(db, destinationId)
    if (stored === null) checkNoMask(sentSecret)
    const secretAccessKey =
      stored !== null && sentSecret === mask ? settingsOfDestination(vault, stored).secretAccessKey : sentSecret
    const probe = report === true ? probeReport : probeBucket
    return probe({ ...settings, secretAccessKey }, newId(), config.egress)
  },
})

/**
 * Refuses an endpoint with an address that requests must not go to (lib/net/egress.ts), and one with the bucket in its path.
 * A DNS name is checked only when a connection is made: it can begin like the bucket by chance.
 */
function checkEndpoint({ egress }: Config, { endpoint, bucket }: Pick<DestinationTable, 'endpoint' | 'bucket'>) {
  const url = endpointUrl(endpoint)!
  const fault = egress.faultOf(url.hostname)
  if (fault !== null) refuseField('endpoint', fault.message)
  const rest = withoutBucket(url, bucket)
  if (rest?.hostname === url.hostname) refuseField('endpoint', bucketInEndpoint(rest))
}

function checkNoMask(secretAccessKey: string) {
  if (secretAccessKey === mask) refuseMask('secretAccessKey')
}

async function find(db: Reader, id: string): Promise<DestinationTable> {
  const row = await db.selectFrom('destination').selectAll().where('id', '=', id).executeTakeFirst()
  return row ?? refuse('NOT_FOUND', 'No destination with this id. destination.all lists all destinations')
}

function toDestination({ id, name, accessKey, bucket, region, endpoint, createdAt }: DestinationTable) {
  return { destinationId: id, name, accessKey, bucket, region, endpoint, secretAccessKey: mask, createdAt } as const
}
