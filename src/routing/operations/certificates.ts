/** Operations on certificates of applications: upload, read, list and remove. */
import { z } from 'zod'
import { action, query } from '../../api/contract.ts'
import { refuse, refuseField } from '../../errors.ts'
import { mask } from '../../lib/crypto/mask.ts'
import {
  daysLeft,
  type CertificateDescription,
  readPair,
  relativePathFault,
  renewalFault,
  renewFrom,
} from '../caddy/certificate.ts'
import { describedFrom } from '../caddy/described.ts'
import { type Rules, sealPairs } from '../queries.ts'
import type { CertificateTable, IssuanceTable } from '../table.ts'
import type { Reader } from '../../store/schema.ts'
import { answeredIdOf, CreatedAt, cutPage, Id, idOf, Name, page } from '../../api/fields.ts'

const CertificateId = Id.regex(
  /^[A-Za-z0-9][A-Za-z0-9._-]*$/,
  'must consist of letters, digits, dots, hyphens and underscores, and begin with a letter or digit',
)

const Path = z.string().superRefine((text, context) => {
  const message = relativePathFault(text)
  if (message !== null) context.addIssue({ code: 'custom', message })
})

const Certificate = z.object({
  certificateId: answeredIdOf('certificate'),
  name: z.string().describe('Display name of the certificate'),
  certificatePath: z
    .string()
    .nullable()
    .describe('A label in the form of a relative path. Berth writes no file at this path'),
  autoRenew: z.boolean().describe('Whether the proxy renews the certificate by ACME'),
  privateKey: z.literal(mask).describe('Always this mask: the API never returns a key'),
  subject: z.string().describe('The subject in the certificate, such as CN=shop.example.org'),
  names: z.array(z.string()).describe('The host names and IP addresses that the certificate covers'),
  issuer: z.string().describe('The authority that signed the certificate'),
  missingIssuer: z
    .string()
    .nullable()
    .describe(
      'An authority whose certificate is neither in certificateData nor a root that clients know, so that many clients ' +
        'refuse the certificate. Upload the full chain, or nothing if your clients trust this authority. Null: the chain ' +
        'is complete',
    ),
  serialNumber: z.string().describe('The serial number, in hexadecimal'),
  fingerprint256: z.string().describe('The SHA-256 fingerprint: bytes in hexadecimal, separated by colons'),
  keyType: z.string().describe('Type and size of the key, such as `rsa 2048` or `ec prime256v1`'),
  notBefore: z.string().describe('When the certificate becomes valid'),
  notAfter: z.string().describe('When the certificate expires'),
  daysLeft: z.number().describe('Whole days until the certificate expires. Negative after it has expired'),
  createdAt: CreatedAt,
  renewedAt: z.string().nullable().describe('When the certificate was last renewed; null: never'),
  renewsAt: z.string().nullable().describe('When renewal begins. Null without autoRenew'),
  renewal: z
    .object({
      error: z.string().describe('Why the last attempt failed'),
      nextTryAt: z.string().nullable().describe('When the proxy tries again. Null if no attempt is planned'),
    })
    .nullable()
    .describe('The last failure of a renewal. Null if the last attempt did not fail'),
})

export const create = action({
  name: 'certificates.create',
  summary: 'Upload a certificate with its private key',
  description:
    'A certificate without the certificates of its issuers is accepted, and `missingIssuer` names what is missing. ' +
    'The proxy serves the certificate before the call is answered. If several certificates cover a name, the proxy ' +
    'serves the newest valid one. With `autoRenew`, the proxy renews the certificate by ACME in the last third of ' +
    'its validity period.',
  access: 'admin:admin',
  input: z.object({
    name: Name.describe('Display name of the certificate'),
    certificateData: z
      .string()
      .min(1, 'must not be empty')
      .describe('PEM: the certificate of the host, followed by each issuer in order'),
    privateKey: z
      .string()
      .min(1, 'must not be empty')
      .describe('PEM: the private key of the first certificate, without a passphrase'),
    certificateId: CertificateId.optional().describe(
      'The id of the new certificate. Without this field, Berth generates an id',
    ),
    certificatePath: Path.optional().describe(
      'A label in the form of a relative path. Berth writes no file at this path',
    ),
    autoRenew: z
      .boolean()
      .nullable()
      .optional()
      .describe('Whether the proxy renews the certificate by ACME. Default and null: false'),
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
      if (rules.certificates.some((certificate) => certificate.id === id)) {
        const message = `is already the id of another certificate: ${id}. Choose another id or leave the field out`
        refuseField('certificateId', message, 'CONFLICT')
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
  summary: 'Read a certificate without its private key',
  access: 'user:read',
  input: z.object({ certificateId: idOf('certificate') }),
  output: Certificate,
  refusals: ['NOT_FOUND'],
  // A renewal replaces the certificate.
  tag: {
    observed: [
      'subject',
      'names',
      'issuer',
      'missingIssuer',
      'serialNumber',
      'fingerprint256',
      'keyType',
      'notBefore',
      'notAfter',
      'daysLeft',
      'renewedAt',
      'renewsAt',
      'renewal',
    ],
  },
  run: async ({ db, now }, { certificateId }) =>
    toCertificate(await find(db, certificateId), await readIssuances(db), now()),
})

export const all = query({
  name: 'certificates.all',
  summary: 'List the certificates with their expiry and renewal',
  access: 'user:read',
  input: z.object(page),
  output: z.array(Certificate),
  async run({ db, now, setNextCursor }, { limit, cursor = '' }) {
    let rows = db.selectFrom('certificate').selectAll().where('id', '>', cursor).orderBy('id')
    if (limit !== undefined) rows = rows.limit(limit + 1)
    const issuances = await readIssuances(db)
    return cutPage(await rows.execute(), limit, setNextCursor).map((row) => toCertificate(row, issuances, now()))
  },
})

export const remove = action({
  name: 'certificates.remove',
  summary: 'Remove a certificate',
  description: 'The proxy stops serving the certificate before the call is answered.',
  access: 'admin:admin',
  input: z.object({ certificateId: idOf('certificate') }),
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
  refuse('NOT_FOUND', 'No certificate with this id. certificates.all lists all certificates')
}

/**
 * Returns the certificate in the form of API answers. After a renewal, a certificate may consist of several pairs: the
 * answer then describes the pair that expires first.
 */
function toCertificate(row: CertificateTable, issuances: IssuanceTable[], now: Date) {
  const described = describedFrom(row.described)
  const names = [...new Set(described.flatMap((it) => it.names))]
  const earliest = described.toSorted((a, b) => a.notAfter.getTime() - b.notAfter.getTime())[0]!
  const { subject, issuer, missingIssuer, serialNumber, fingerprint256, keyType, notBefore, notAfter } = earliest
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
    missingIssuer,
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

const isDue = ({ notBefore, notAfter }: CertificateDescription, now: Date) => renewFrom(notBefore, notAfter) <= now

/** Returns the last error of ACME for one of these names, or null if no name has an error. */
function renewalFailure(issuances: IssuanceTable[], names: string[]) {
  const failed = issuances.find(({ name, error }) => error !== null && names.includes(name))
  return failed === undefined ? null : { error: failed.error!, nextTryAt: failed.nextTryAt }
}
