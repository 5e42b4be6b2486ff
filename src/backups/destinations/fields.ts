/** The fields of destinations. The contract fixes their names, which are those of S3; the kind decides what they may be. */
import { z } from 'zod'
import { refuseInput } from '../../errors.ts'
import { Name } from '../../api/fields.ts'
import { endpointUrl, isBucketName } from '../../lib/s3/endpoint.ts'
import { isAbsoluteFolder, isFingerprint, isPrivateKey, sftpAddress } from '../../lib/sftp/address.ts'
import type { DestinationSettings } from './settings.ts'

export const Kind = z.enum(['s3', 'sftp'])

const HostKey = z
  .string()
  .refine(isFingerprint, 'must be a fingerprint as ssh-keygen -l prints it: SHA256: and 43 characters of Base64')

const maxLength = (length: number) =>
  z.string().max(length, `must have at most ${length.toLocaleString('en')} characters`)

/** What the fields of every kind have in common. `fieldsOfKind` has the rest. */
export const fields = {
  name: Name.describe('Display name of the destination'),
  accessKey: maxLength(255)
    .min(1, 'must not be empty')
    .describe('The access key id, the public half of the credentials. SFTP: the user'),
  bucket: maxLength(1024)
    .min(1, 'must not be empty')
    .describe('Name of the bucket, which must exist. SFTP: the absolute path of a folder on the server'),
  region: maxLength(63).describe("The region, such as eu-central-1. Empty: the storage's default. SFTP: always empty"),
  endpoint: maxLength(1000)
    .min(1, 'must not be empty')
    .describe(
      'The S3 API: a URL such as http://10.0.0.7:9000, or a host that is reached over HTTPS, such as ' +
        's3.eu-central-1.amazonaws.com. SFTP: a host, with its port if that is not 22, such as backup.example.org:2222',
    ),
  secretAccessKey: maxLength(16_384)
    .min(1, 'must not be empty')
    .describe(
      'The secret half of the credentials. SFTP: the password of the user, or a private key without a passphrase. ' +
        'Berth stores it sealed',
    ),
  kind: Kind.optional().describe(
    'The protocol of the storage. An update keeps it by default; otherwise the default is s3',
  ),
  hostKey: HostKey.nullable()
    .optional()
    .describe(
      'SFTP: the fingerprint of the host key of the server. Berth signs in only if the server has this key. An update ' +
        'keeps it by default. destination.testConnection answers the key that the server shows. S3: null',
    ),
}

const Endpoint = z
  .string()
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
const AccessKey = z.string().regex(/^[!-~]+$/, 'must be printable ASCII without spaces, and must not be empty')

const SecretAccessKey = maxLength(1000).regex(
  /^[^\s\u0000-\u001f\u007f-\u009f]+$/,
  'must not be empty, and must not contain spaces or control characters',
)

const Secret = z
  .string()
  .refine(
    (secret) => isPrivateKey(secret) || /^[^\u0000-\u001f\u007f-\u009f]{1,1000}$/.test(secret),
    'must be a password of at most 1,000 characters, or a private key that begins with -----BEGIN',
  )

const fieldsOfKind = {
  s3: z.object({
    accessKey: AccessKey,
    bucket: BucketName,
    region: Region,
    endpoint: Endpoint,
    secretAccessKey: SecretAccessKey,
    hostKey: z.null('must be null or left out: only SFTP servers have host keys'),
  }),
  sftp: z.object({
    accessKey: z.string().regex(/^[^\s:\p{Cc}]+$/u, 'must be a user, without spaces and control characters'),
    bucket: z.string().refine(isAbsoluteFolder, 'must be the absolute path of a folder, such as /srv/backups'),
    region: z.literal('', 'must be empty: SFTP servers have no region'),
    endpoint: z
      .string()
      .refine((text) => sftpAddress(text) !== null, 'must be a host, such as backup.example.org or 10.0.0.7:2222'),
    secretAccessKey: Secret,
    hostKey: z.string().nullable(),
  }),
}

/** Refuses values that the kind does not accept. */
export function checkFields(settings: DestinationSettings): void {
  const checked = fieldsOfKind[settings.kind].safeParse(settings)
  if (!checked.success) refuseInput(checked.error.issues)
}
