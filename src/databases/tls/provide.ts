/** Makes sure that a server finds its certificate when it starts. Most servers do not start without it. */
import { currentOf, trustBundle } from '../../authority/issue.ts'
import { generationsOf } from '../../authority/queries.ts'
import { kindNamed } from '../../kinds/index.ts'
import { tlsModeOf } from '../../kinds/server-tls.ts'
import type { Runtime } from '../../runtime.ts'
import type { DatabaseTable, VolumeTable } from '../../store/schema.ts'
import { filesDigest, writeVolumeFiles } from '../../volumes/files.ts'
import { imageOf } from '../reconcile/specs.ts'
import type { Target } from '../targets.ts'
import { tlsVolumeFiles } from './files.ts'
import { issueFor, wantedNames } from './issue.ts'
import * as queries from './queries.ts'
import { renewalCause } from './renewal.ts'
import type { DatabaseCertificateTable } from './table.ts'

/** A server with its data: it has a certificate if its target has one. */
export interface TlsSubject {
  row: DatabaseTable
  target: Target
  volume: VolumeTable
}

/**
 * Issues a certificate if the database has none or its certificate is due, and writes the files. Call this before a
 * container of the server starts. Does nothing for a server without TLS. Idempotent.
 * @throws EngineFailure if the files cannot be written
 */
export async function provideCertificate(runtime: Runtime, subject: TlsSubject, signal: AbortSignal): Promise<void> {
  const { row, target } = subject
  const mode = tlsModeOf(kindNamed(row.kind), target.tls)
  if (mode === 'off') return
  const certificate = await ensureCertificate(runtime, subject)
  await runtime.transact((tx) => queries.recordStart(tx, row.id, mode))
  await writeCertificate(runtime, subject, certificate, signal)
}

/**
 * Writes the certificate that the database has to the volume of another server on a copy of its data. Issues none,
 * unless the database has none.
 */
export async function copyCertificate(runtime: Runtime, subject: TlsSubject, signal: AbortSignal): Promise<void> {
  const { row, target } = subject
  if (tlsModeOf(kindNamed(row.kind), target.tls) === 'off') return
  const current = await queries.findCertificate(runtime.db, row.id, 'current')
  await writeCertificate(runtime, subject, current ?? (await ensureCertificate(runtime, subject)), signal)
}

/** Returns the current certificate, or a new one if there is none or it is due. */
async function ensureCertificate(runtime: Runtime, { row, volume }: TlsSubject): Promise<DatabaseCertificateTable> {
  const { db, vault, now, transact } = runtime
  const names = wantedNames(runtime, row, volume)
  const { generation } = currentOf(await generationsOf(db, 'installation'))
  const current = await queries.findCertificate(db, row.id, 'current')
  if (current !== null && renewalCause(current, names, generation, now()) === null) return current
  const issued = await issueFor(runtime, row, names)
  await transact(async (tx) => {
    await queries.deleteCertificate(tx, row.id, 'next')
    await queries.storeCertificate(tx, vault, row.id, 'current', issued, now())
  })
  return (await queries.findCertificate(db, row.id, 'current'))!
}

/** Writes the files of a certificate, unless the volume has them already. */
export async function writeCertificate(
  runtime: Runtime,
  subject: TlsSubject,
  certificate: DatabaseCertificateTable,
  signal: AbortSignal,
): Promise<void> {
  const { db, transact, now } = runtime
  const files = await certificateFiles(runtime, subject, certificate)
  const { volume: name, nodeId } = files
  const recorded = await queries.findTlsVolume(db, name)
  const written = recorded?.nodeId === nodeId ? recorded.digest : null
  // After a crash during the write, the content of the volume is unknown.
  if (written !== filesDigest(files)) {
    await transact((tx) => queries.recordTlsVolume(tx, { name, volumeId: subject.volume.id, nodeId }, now()))
  }
  const digest = await writeVolumeFiles(runtime, files, written, signal)
  if (digest !== written) await transact((tx) => queries.recordDigest(tx, name, digest))
}

/** Returns the files of a certificate as they should be in the volume. */
export async function certificateFiles(
  { db, vault, config }: Pick<Runtime, 'db' | 'vault' | 'config'>,
  { row, target, volume }: TlsSubject,
  certificate: DatabaseCertificateTable,
) {
  return tlsVolumeFiles(kindNamed(row.kind), row.id, volume, imageOf(target, config.imageAliases), {
    certificatePem: certificate.certificatePem,
    keyPem: queries.openKey(vault, certificate),
    ca: await trustBundle(db, 'installation'),
  })
}
