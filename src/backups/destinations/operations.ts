/** Operations on destinations, the buckets that backups are uploaded to. Answers never contain the secret. */
import { z } from 'zod'
import { forgetExpiredObjectsIn } from '../retention/expired.ts'
import type { Config } from '../../config.ts'
import { action, command, query } from '../../api/contract.ts'
import { refuse, refuseField } from '../../errors.ts'
import { mask } from '../../lib/crypto/mask.ts'
import { endpointUrl, isBucketName } from '../../lib/s3/endpoint.ts'
import { sealDestination, settingsOfDestination } from './settings.ts'
import type { DestinationTable, Reader } from '../../store/schema.ts'
import { probeBucket } from './probe.ts'
import { cutPage, Id, Name, page } from '../../api/fields.ts'

const Endpoint = z
  .string()
  .max(1000, 'must have at most 1,000 characters')
  .refine(
    (text) => endpointUrl(text) !== null,
    'must be a host like s3.eu-central-1.amazonaws.com, or a URL of http or https without a user, a query and a fragment',
  )

const Region = z
  .string()
  .regex(
    /^(?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?)?$/,
    "must be letters, digits and hyphens, like eu-central-1 (or empty for the storage's default)",
  )

const BucketName = z
  .string()
  .refine(
    isBucketName,
    'must be 3 to 63 small letters, digits, hyphens and dots, and begin and end with a letter or digit',
  )

/** Printable ASCII without spaces, because the key is sent in a header unchanged. */
const AccessKey = z
  .string()
  .max(255, 'must have at most 255 characters')
  .regex(/^[!-~]+$/, 'must be printable ASCII without spaces, and not be empty')

const SecretAccessKey = z
  .string()
  .max(1000, 'must have at most 1,000 characters')
  .regex(/^[^\s\u0000-\u001f\u007f-\u009f]+$/, 'must not be empty, nor contain spaces or control characters')

const fields = {
  name: Name,
  accessKey: AccessKey,
  bucket: BucketName,
  region: Region.describe("Empty: the storage's default"),
  endpoint: Endpoint.describe('A URL, or a host that is reached by https'),
  secretAccessKey: SecretAccessKey,
}

const Destination = z.object({
  destinationId: z.string(),
  name: z.string(),
  accessKey: z.string(),
  bucket: z.string(),
  region: z.string(),
  endpoint: z.string(),
  secretAccessKey: z.literal(mask).describe('Always this mask. Sent back to update it leaves what is stored'),
  createdAt: z.string(),
})

export const create = command({
  name: 'destination.create',
  summary: 'Make a destination',
  description: 'Nothing is asked of the storage: destination.testConnection does.',
  access: 'admin:admin',
  input: z.object(fields),
  output: Destination,
  async run({ tx, config, vault, now, newId }, { secretAccessKey, ...rest }) {
    checkNoMask(secretAccessKey)
    checkEndpoint(config, rest.endpoint)
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
  input: z.object({ destinationId: Id }),
  output: Destination,
  refusals: ['NOT_FOUND'],
  run: async ({ db }, { destinationId }) => toDestination(await find(db, destinationId)),
})

export const all = query({
  name: 'destination.all',
  summary: 'List the destinations, oldest first',
  access: 'user:read',
  input: z.object(page),
  output: z.array(Destination),
  async run({ db, more }, { limit, cursor = '' }) {
    let rows = db.selectFrom('destination').selectAll().where('id', '>', cursor).orderBy('id')
    if (limit !== undefined) rows = rows.limit(limit + 1)
    return cutPage(await rows.execute(), limit, more).map(toDestination)
  },
})

export const update = command({
  name: 'destination.update',
  summary: 'Change a destination; the masked secret stays',
  description: 'Runs that are under way go on as they began.',
  access: 'admin:admin',
  input: z.object({ destinationId: Id, ...fields }),
  output: Destination,
  refusals: ['NOT_FOUND'],
  async run({ tx, config, vault }, { destinationId, secretAccessKey, ...rest }) {
    const before = await find(tx, destinationId)
    checkEndpoint(config, rest.endpoint)
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
  summary: 'Remove a destination; what is in the bucket stays there',
  access: 'admin:admin',
  input: z.object({ destinationId: Id }),
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
          subjectKind === 'installation' ? "that of Berth's own state (state.schedule)" : `${id} (${prefix})`,
        )
        .join(', ')
      refuse('CONFLICT', `Backups go to it: ${names}. Give them another with backup.update, or remove them, first`)
    }
    await forgetExpiredObjectsIn(tx, row.id)
    await tx.deleteFrom('destination').where('id', '=', row.id).execute()
    return toDestination(row)
  },
})

export const testConnection = action({
  name: 'destination.testConnection',
  summary: 'Write, read back, list and delete a probe object with exactly these values',
  description:
    'Takes 15 seconds at most, and says what is wrong and what to do. Nothing is stored. With ' +
    '`destinationId` a masked secret means the one that is stored there.',
  access: 'admin:admin',
  input: z.object({ ...fields, destinationId: Id.optional().describe('Whose stored secret a mask stands for') }),
  output: z.object({
    message: z.string(),
    key: z.string().describe('Of the probe object, which is gone again'),
    steps: z.array(z.object({ did: z.enum(['write', 'read', 'list', 'delete']), tookMs: z.number() })),
  }),
  refusals: ['NOT_FOUND', 'BAD_GATEWAY', 'GATEWAY_TIMEOUT'],
  async run({ db, config, vault, newId }, { destinationId, secretAccessKey: given, ...settings }) {
    const stored = destinationId === undefined ? null : await find(db, destinationId)
    if (stored === null) checkNoMask(given)
    const secretAccessKey =
      stored !== null && given === mask ? settingsOfDestination(vault, stored).secretAccessKey : given
    return probeBucket({ ...settings, secretAccessKey }, newId(), config.egress)
  },
})

/** Refuses an endpoint whose host must not be reached. A DNS name is checked only when a connection is made. */
function checkEndpoint({ egress }: Config, endpoint: string) {
  const fault = egress.faultOf(endpointUrl(endpoint)!.hostname)
  if (fault !== null) refuseField('endpoint', fault.message)
}

function checkNoMask(secretAccessKey: string) {
  if (secretAccessKey === mask)
    refuseField('secretAccessKey', '"********" means "keep the stored secret", but none is stored. Send the real key')
}

async function find(db: Reader, id: string): Promise<DestinationTable> {
  const row = await db.selectFrom('destination').selectAll().where('id', '=', id).executeTakeFirst()
  return row ?? refuse('NOT_FOUND', 'There is no such destination. destination.all lists those there are')
}

function toDestination({ id, name, accessKey, bucket, region, endpoint, createdAt }: DestinationTable) {
  return { destinationId: id, name, accessKey, bucket, region, endpoint, secretAccessKey: mask, createdAt } as const
}
