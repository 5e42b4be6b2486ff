/** The certificates of scratch servers: servers that a backup run starts for itself and that only its tools use. */
import { issueCertificate, trustBundle } from '../../authority/issue.ts'
import type { JobVolume } from '../../engine/job.ts'
import { type Kind, tlsFolder } from '../../kinds/kind.ts'
import { type ServerTls, serverTlsOf } from '../../kinds/server-tls.ts'
import type { Runtime } from '../../runtime.ts'
import { openTarget } from '../targets.ts'
import { tlsVolumeFiles } from './files.ts'
import { recordTlsVolume } from './queries.ts'

/** No run takes longer than this. */
const validDays = 7

/** The TLS of a scratch server, with its certificate. */
export interface ScratchTls extends ServerTls {
  certificatePem: string
  keyPem: string
}

/**
 * Issues a certificate for a scratch server, which accepts connections with TLS only. Stores nothing.
 * @param databaseId the database whose data the server gets. With `tls: off`, its image may have no TLS
 * @param serverName the name of the server, and the only name in the certificate
 * @returns null if the server has no TLS
 */
export async function issueScratchTls(
  runtime: Runtime,
  kind: Kind,
  databaseId: string | null,
  serverName: string,
): Promise<ScratchTls | null> {
  const { db, vault } = runtime
  const row = await db
    .selectFrom('database')
    .selectAll()
    .where('id', '=', databaseId ?? '')
    .executeTakeFirst()
  if (row !== undefined && openTarget(vault, 'target', row)?.tls === 'off') return null
  const tls = serverTlsOf(kind, 'require', serverName, await trustBundle(db, 'installation'))
  if (tls === null) return null
  const request = { commonName: serverName, use: 'server', dnsNames: [serverName], validDays } as const
  const { certificatePem, keyPem } = await issueCertificate(runtime, 'installation', request)
  return { ...tls, certificatePem, keyPem }
}

/** The scratch server of a run. */
export interface ScratchSubject {
  runId: string
  kind: Kind
  image: string
  nodeId: string
}

/**
 * Writes the certificate of a scratch server to a volume of its own. The loop of the certificates removes the volume
 * when the run has ended.
 * @returns the volume, as the server mounts it
 * @throws EngineFailure if the files cannot be written
 */
export async function writeScratchCertificate(
  { engine, transact, now }: Runtime,
  { runId, kind, image, nodeId }: ScratchSubject,
  tls: ScratchTls,
  signal: AbortSignal,
): Promise<JobVolume> {
  // A volume on another node has another name, so that both are removed.
  const data = { id: `${runId}-${nodeId}`, nodeId, appName: tls.serverName }
  const files = tlsVolumeFiles(kind, runId, data, image, tls)
  await transact((tx) => recordTlsVolume(tx, { name: files.volume, volumeId: runId, nodeId }, now()))
  await engine.writeFiles(files, signal)
  return { name: files.volume, path: tlsFolder }
}
