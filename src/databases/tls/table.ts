/** The tables of TLS in databases: the certificates, what is known of each server, and the volumes with the files. */
import type { TlsMode } from '../../kinds/kind.ts'
import type { Json } from '../../lib/json.ts'
import type { Flag, Sealed, Time } from '../../store/column-types.ts'
import type { CertificateReason } from './reason.ts'

/**
 * `current`: the server has it, or will have it when it starts. `next`: Berth is replacing the current one by it. A
 * database has at most one of each.
 */
export type CertificateState = 'current' | 'next'

export interface DatabaseCertificateTable {
  databaseId: string
  /** SHA-256 of the certificate, 64 hexadecimal digits. */
  fingerprint: string
  state: CertificateState
  /** The generation of the authority that signed it. */
  generation: number
  /** The names and addresses in it. */
  names: Json<readonly string[]>
  certificatePem: string
  /** The private key as PEM (PKCS #8). */
  key: Sealed
  notBefore: Time
  notAfter: Time
  createdAt: Time
}

/** One row for each database whose server accepts TLS, from its first start with TLS to its first without. */
export interface DatabaseTlsTable {
  databaseId: string
  /** The mode of the server that runs or starts. */
  mode: TlsMode
  /** Whether Berth may have made the server refuse connections without TLS by a change of its data. */
  isRequired: Flag
  /** The certificate that the server presented last. Null: none since its start. */
  servedFingerprint: string | null
  servedSince: Time | null
  /** Whether the server needs a new certificate and cannot take it while it runs. */
  waitsForDeploy: Flag
  /** Why the server does not present the certificate that it should. Null if it does, or if Berth has not compared. */
  reason: Json<CertificateReason> | null
  /** When to try again after a failure. */
  nextTryAt: Time | null
  /** The connections of clients without TLS when Berth asked the server last. Null: unknown. */
  plainConnections: number | null
  plainCountedAt: Time | null
}

/** A volume with the files of a certificate. The row exists before the volume and is deleted after it. */
export interface TlsVolumeTable {
  name: string
  /** The volume with the data of the server; the backup run, for a scratch server. */
  volumeId: string
  nodeId: string
  /** Identifies the files in the volume. Null: unknown, so Berth writes them before it relies on them. */
  digest: string | null
  createdAt: Time
}

/** The tables of this room. */
export interface TlsTables {
  databaseCertificate: DatabaseCertificateTable
  databaseTls: DatabaseTlsTable
  tlsVolume: TlsVolumeTable
}
