/** The certificate of a database in its record. */
import { z } from 'zod'
import { trustBundle } from '../../authority/issue.ts'
import { fromJson } from '../../lib/json.ts'
import type { Reader } from '../../store/schema.ts'
import { prepared } from '../../store/prepared.ts'
import { certificateReasonMessage, certificateReasons } from './reason-message.ts'

export const Certificate = z.object({
  names: z.array(z.string()).describe('Names and addresses by which clients can verify the server'),
  notBefore: z.string().describe('The time from which it is valid'),
  notAfter: z.string().describe('The time at which it expires. Berth replaces it when a third of its time is left'),
  fingerprint256: z.string().describe('SHA-256 of the certificate: 64 hexadecimal digits'),
  servedSince: z
    .string()
    .nullable()
    .describe('Since when the server has presented it in a handshake with Berth; null: not yet'),
  waitsForDeploy: z
    .boolean()
    .describe('Whether a new certificate waits for the next deploy, because the server takes none while it runs'),
  reason: z
    .string()
    .nullable()
    .describe('Why the server does not present the certificate that it should, as a message; null without a reason'),
  reasonCode: z.enum(certificateReasons).nullable().describe('Code of the reason, for programs; null without a reason'),
  plainConnections: z
    .number()
    .nullable()
    .describe('Connections of clients without TLS, when Berth counted them last; null: unknown'),
})

const certificateOf = prepared((db, databaseId: string) =>
  db
    .selectFrom('databaseCertificate as certificate')
    .innerJoin('databaseTls as tls', 'tls.databaseId', 'certificate.databaseId')
    .select(['certificate.names', 'certificate.notBefore', 'certificate.notAfter', 'certificate.fingerprint'])
    .select(['tls.servedFingerprint', 'tls.servedSince', 'tls.waitsForDeploy', 'tls.reason', 'tls.plainConnections'])
    .where('certificate.databaseId', '=', databaseId)
    .where('certificate.state', '=', 'current'),
)

/** Returns the certificate that a server has or should have; null for a server without TLS. */
export async function certificateAnswer(db: Reader, databaseId: string): Promise<z.input<typeof Certificate> | null> {
  const [row] = await certificateOf(db, databaseId)
  if (row === undefined) return null
  const reason = fromJson(row.reason)
  const isServed = row.servedFingerprint === row.fingerprint
  return {
    names: [...fromJson(row.names)],
    notBefore: row.notBefore,
    notAfter: row.notAfter,
    fingerprint256: row.fingerprint,
    servedSince: isServed ? row.servedSince : null,
    waitsForDeploy: row.waitsForDeploy === 1,
    reason: reason === null ? null : certificateReasonMessage(reason),
    reasonCode: reason?.reason ?? null,
    plainConnections: row.plainConnections,
  }
}

/** Returns the certificates that clients have to trust. */
export const caCertificate = (db: Reader): Promise<string> => trustBundle(db, 'installation')

/** The path of these certificates in the verified URLs: a file in the folder where the client runs. */
export const caPath = 'ca.pem'
