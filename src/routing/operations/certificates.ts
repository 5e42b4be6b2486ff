/** Operations on certificates of applications: upload, read, list and remove. */
import { z } from 'zod'
import { action, query } from '../../api/contract.ts'
import { refuse, refuseField } from '../../errors.ts'
import { mask } from '../../lib/crypto/mask.ts'
import { daysLeft, type Described, readPair, relativePathFault, renewalFault, renewFrom } from '../caddy/certificate.ts'
import { describedFrom } from '../caddy/described.ts'
import { type Rules, sealPairs } from '../queries.ts'
import type { CertificateTable, IssuanceTable } from '../table.ts'
import type { Reader } from '../../store/schema.ts'
import { cutPage, Id, Name, page } from '../../api/fields.ts'

const CertificateId = Id.regex(
  /^[A-Za-z0-9][A-Za-z0-9._-]*$/,
  'must be letters, digits, dots, hyphens and underscores, and begin with a letter or digit',
)

const Path = z.string().superRefine((text, context) => {
  const message = relativePathFault(text)
  if (message !== null) context.addIssue({ code: 'custom', message })
})

const Certificate = z.object({
  certificateId: z.string(),
  name: z.string(),
  certificatePath: z.string().nullable().describe("A label of the caller's: no file is written by it"),
  autoRenew: z.boolean(),
  privateKey: z.literal(mask).describe('Always this mask: a key is never read again'),
  subject: z.string(),
  names: z.array(z.string()).describe('The host names it is served for'),
  issuer: z.string(),
  serialNumber: z.string(),
  fingerprint256: z.string(),
  keyType: z.string(),
  notBefore: z.string(),
  notAfter: z.string(),
  daysLeft: z.number().describe('Whole days; negative once it has expired'),
  createdAt: z.string(),
  renewedAt: z.string().nullable(),
  renewsAt: z.string().nullable().describe('From when on it is renewed; null: it is not'),
  renewal: z
    .object({ error: z.string().describe('Of the last try'), nextTryAt: z.string().nullable() })
    .nullable()
    .describe('Where renewing fails; null where nothing failed'),
})

export const create = action({
  name: 'certificates.create',
  summary: 'Upload a certificate with its key',
  description:
    'It is served by its names when the answer comes; of several for a name the newest that is valid. With ' +
    '`autoRenew` its names are renewed by ACME from the last third of its life on.',
  access: 'admin:admin',
  input: z.object({
    name: Name,
    certificateData: z
      .string()
      .min(1, 'must not be empty')
      .describe('PEM: the certificate itself, then each issuer in order'),
    privateKey: z.string().min(1, 'must not be empty').describe('PEM, without a passphrase'),
    certificateId: CertificateId.optional().describe('Taken when it is free'),
    certificatePath: Path.optional().describe('A label that looks like a relative path'),
    autoRenew: z.boolean().nullable().optional(),
  }),
  output: Certificate,
  refusals: ['CONFLICT', 'SERVICE_UNAVAILABLE'],
  async run({ vault, proxy, conclude, now, newId }, input) {
    const pair = readPair(input.certificateData, input.privateKey, now())
    if ('message' in pair) refuseField(pair.path, pair.message)
    const autoRenew = input.autoRenew === true
    const fault = autoRenew ? renewalFault(pair.names) : null
    if (fault !== null) refuseField('autoRenew', fault)
    const { chain, key, ...described } = pair
    const id = input.certificateId ?? newId()
    const row: CertificateTable = {
      id,
      name: input.name,
      path: input.certificatePath ?? null,
      autoRenew: autoRenew ? 1 : 0,
      described: JSON.stringify([described]),
      pairs: sealPairs(vault, id, [{ chain, key }]),
      createdAt: now().toISOString(),
      renewedAt: null,
    }
    const edit = (rules: Rules) => {
      if (rules.certificates.some((it) => it.id === id)) {
        refuseField('certificateId', `${id} is a certificate already. Choose another, or none`, 'CONFLICT')
      }
      return { ...rules, certificates: [...rules.certificates, row] }
    }
    return proxy.change(edit, () =>
      conclude(async (tx) => {
        await tx.insertInto('certificate').values(row).execute()
        return toCertificate(row, [], now())
      }),
    )
  },
})

export const one = query({
  name: 'certificates.one',
  summary: 'Read a certificate; its key cannot be read',
  access: 'user:read',
  input: z.object({ certificateId: Id }),
  output: Certificate,
  refusals: ['NOT_FOUND'],
  run: async ({ db, now }, { certificateId }) =>
    toCertificate(await find(db, certificateId), await readIssuances(db), now()),
})

export const all = query({
  name: 'certificates.all',
  summary: 'List the certificates, with the days that each has left and what becomes of it then',
  access: 'user:read',
  input: z.object(page),
  output: z.array(Certificate),
  async run({ db, now, more }, { limit, cursor = '' }) {
    let rows = db.selectFrom('certificate').selectAll().where('id', '>', cursor).orderBy('id')
    if (limit !== undefined) rows = rows.limit(limit + 1)
    const issuances = await readIssuances(db)
    return cutPage(await rows.execute(), limit, more).map((row) => toCertificate(row, issuances, now()))
  },
})

export const remove = action({
  name: 'certificates.remove',
  summary: 'Remove a certificate',
  description: 'It is no longer served when the answer comes.',
  access: 'admin:admin',
  input: z.object({ certificateId: Id }),
  output: Certificate,
  refusals: ['NOT_FOUND', 'SERVICE_UNAVAILABLE'],
  async run({ db, proxy, conclude, now }, { certificateId }) {
    const row = await find(db, certificateId)
    const edit = (rules: Rules) => {
      const certificates = rules.certificates.filter(({ id }) => id !== row.id)
      if (certificates.length === rules.certificates.length) refuseUnknown()
      return { ...rules, certificates }
    }
    return proxy.change(edit, () =>
      conclude(async (tx) => {
        await tx.deleteFrom('certificate').where('id', '=', row.id).execute()
        return toCertificate(row, [], now())
      }),
    )
  },
})

const readIssuances = (db: Reader): Promise<IssuanceTable[]> => db.selectFrom('issuance').selectAll().execute()

async function find(db: Reader, id: string): Promise<CertificateTable> {
  return (await db.selectFrom('certificate').selectAll().where('id', '=', id).executeTakeFirst()) ?? refuseUnknown()
}

function refuseUnknown(): never {
  refuse('NOT_FOUND', 'There is no such certificate. certificates.all lists those there are')
}

/** The certificate as answered. After a renewal there may be several pairs; the one that expires first is described. */
function toCertificate(row: CertificateTable, issuances: IssuanceTable[], now: Date) {
  const described = describedFrom(row.described)
  const names = [...new Set(described.flatMap((it) => it.names))]
  const earliest = described.toSorted((a, b) => a.notAfter.getTime() - b.notAfter.getTime())[0]!
  const { subject, issuer, serialNumber, fingerprint256, keyType, notBefore, notAfter } = earliest
  const { id, name, path, createdAt, renewedAt } = row
  const autoRenew = row.autoRenew === 1
  return {
    certificateId: id,
    name,
    certificatePath: path,
    autoRenew,
    privateKey: mask,
    subject,
    names,
    issuer,
    serialNumber,
    fingerprint256,
    keyType,
    notBefore: notBefore.toISOString(),
    notAfter: notAfter.toISOString(),
    daysLeft: daysLeft(notAfter, now),
    createdAt,
    renewedAt,
    renewsAt: autoRenew ? renewFrom(notBefore, notAfter).toISOString() : null,
    renewal: autoRenew && isDue(earliest, now) ? renewalFailure(issuances, names) : null,
  } as const
}

const isDue = ({ notBefore, notAfter }: Described, now: Date) => renewFrom(notBefore, notAfter) <= now

/** Returns the last failed renewal of one of these names, or null. */
function renewalFailure(issuances: IssuanceTable[], names: string[]) {
  const failed = issuances.find(({ name, error }) => error !== null && names.includes(name))
  return failed === undefined ? null : { error: failed.error!, nextTryAt: failed.nextTryAt }
}
