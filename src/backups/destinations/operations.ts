/** Operations on destinations, the storages that backups are uploaded to. Answers never contain the secret. */
import { z } from 'zod'
import { forgetExpiredObjectsIn } from '../retention/expired.ts'
import type { Config } from '../../config.ts'
import { action, command, query } from '../../api/contract.ts'
import { refuse, refuseField } from '../../errors.ts'
import { mask } from '../../lib/crypto/mask.ts'
import { type DestinationSettings, sealDestination, settingsOfDestination } from './settings.ts'
import type { DestinationTable, Reader } from '../../store/schema.ts'
import { checkNames } from './checks.ts'
import { checkFields, fields, Kind } from './fields.ts'
import { storageKinds } from './open.ts'
import { probeDestination, probeReport } from './probe.ts'
import { answerShape } from '../../api/answer-shape.ts'
import { answeredIdOf, CreatedAt, cutPage, Id, idOf, page, refuseMask } from '../../api/fields.ts'

const { secretAccessKey: _, kind: __, hostKey: ___, ...openFields } = fields

const Destination = z.object({
  destinationId: answeredIdOf('destination'),
  ...answerShape(openFields),
  kind: Kind.describe('The protocol of the storage'),
  hostKey: z.string().nullable().describe('The fingerprint of the host key of an SFTP server; null: the kind is s3'),
  secretAccessKey: z
    .literal(mask)
    .describe('Always this mask. destination.update keeps the stored secret if it receives the mask'),
  createdAt: CreatedAt,
})

export const create = command({
  name: 'destination.create',
  summary: 'Create a destination: a bucket or a folder on an SFTP server that dumps are uploaded to',
  description: 'The call does not connect to the storage. destination.testConnection does.',
  access: 'admin:admin',
  input: z.object(fields),
  output: Destination,
  async run({ tx, config, vault, now, newId }, { secretAccessKey, kind = 's3', hostKey = null, ...rest }) {
    checkNoMask(secretAccessKey)
    const settings = { ...rest, kind, hostKey, secretAccessKey }
    check(config, settings)
    refuseMissingHostKey(settings)
    const id = newId()
    const secrets = sealDestination(vault, id, secretAccessKey)
    const row: DestinationTable = { ...rest, kind, hostKey, id, secrets, createdAt: now().toISOString() }
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
  async run({ tx, config, vault }, { destinationId, secretAccessKey, ...sent }) {
    const before = await find(tx, destinationId)
    const kind = sent.kind ?? before.kind
    const hostKey = sent.hostKey ?? (kind === before.kind ? before.hostKey : null)
    const settings = { ...sent, kind, hostKey, secretAccessKey }
    check(config, settings)
    refuseMissingHostKey(settings)
    if (secretAccessKey === mask) refuseMaskElsewhere(before, settings)
    const secrets = secretAccessKey === mask ? before.secrets : sealDestination(vault, before.id, secretAccessKey)
    const after: DestinationTable = { ...before, ...sent, kind, hostKey, secrets }
    await tx
      .updateTable('destination')
      .set({ ...sent, kind, hostKey, secrets })
      .where('id', '=', before.id)
      .execute()
    return toDestination(after)
  },
})

export const remove = command({
  name: 'destination.remove',
  summary: 'Remove a destination; the objects in it stay',
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
      'resolve: the address of the host is found. connect: the connection, with TLS for https and with the host key ' +
        'for SFTP, is made. sign: the storage accepts the credentials, and for S3 the region and the time. The others: ' +
        'what was done with the probe object',
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
    hostKey: z
      .string()
      .optional()
      .describe(
        'Only with report, and only if the server of SFTP shows another host key than the given one, or if none was ' +
          'given: the fingerprint of this key. Compare it with the key on the server before you use it',
      ),
  }),
  refusals: ['NOT_FOUND', 'BAD_GATEWAY', 'GATEWAY_TIMEOUT'],
  async run({ db, config, vault, newId }, { destinationId, report, secretAccessKey: sentSecret, ...sent }) {
    const stored = destinationId === undefined ? null : await find(db, destinationId)
    if (stored === null) checkNoMask(sentSecret)
    const secretAccessKey =
      stored !== null && sentSecret === mask ? settingsOfDestination(vault, stored).secretAccessKey : sentSecret
    const kind = sent.kind ?? stored?.kind ?? 's3'
    const hostKey = sent.hostKey ?? (stored?.kind === kind ? stored.hostKey : null)
    const settings = { ...sent, kind, hostKey, secretAccessKey }
    checkFields(settings)
    if (stored !== null && sentSecret === mask) refuseMaskElsewhere(stored, settings)
    const probe = report === true ? probeReport : probeDestination
    return probe(settings, newId(), config.egress)
  },
})

function check({ egress }: Config, settings: DestinationSettings): void {
  checkFields(settings)
  storageKinds[settings.kind].check(settings, egress)
}

/** Without a host key, Berth would send the password to whoever answers. */
function refuseMissingHostKey({ kind, hostKey }: Pick<DestinationTable, 'kind' | 'hostKey'>): void {
  if (kind !== 'sftp' || hostKey !== null) return
  refuseField('hostKey', 'must be given for SFTP. destination.testConnection answers the key that the server shows')
}

/** A stored password is sent to no other server, and no other secret is sent to a server of SFTP. */
function refuseMaskElsewhere(before: DestinationTable, after: Pick<DestinationTable, 'kind' | 'endpoint'>): void {
  if (after.kind === before.kind && (after.kind !== 'sftp' || after.endpoint === before.endpoint)) return
  refuseField('secretAccessKey', 'must be given again, because the stored one belongs to another server')
}

function checkNoMask(secretAccessKey: string) {
  if (secretAccessKey === mask) refuseMask('secretAccessKey')
}

async function find(db: Reader, id: string): Promise<DestinationTable> {
  const row = await db.selectFrom('destination').selectAll().where('id', '=', id).executeTakeFirst()
  return row ?? refuse('NOT_FOUND', 'No destination with this id. destination.all lists all destinations')
}

function toDestination({ id, secrets: _, ...row }: DestinationTable) {
  return { destinationId: id, ...row, secretAccessKey: mask } as const
}
