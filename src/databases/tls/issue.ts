/** Issues the certificates of databases. */
import { issueCertificate } from '../../authority/issue.ts'
import { fromJson } from '../../lib/json.ts'
import type { Runtime } from '../../runtime.ts'
import type { DatabaseTable, VolumeTable } from '../../store/schema.ts'
import { alternativeNames, certificateNames } from './names.ts'
import type { NewCertificate } from './queries.ts'
import { validDays } from './renewal.ts'

/** Returns the names that the certificate of a database should have while its data is on this volume. */
export const wantedNames = (
  { config }: Pick<Runtime, 'config'>,
  { appName, tlsNames }: Pick<DatabaseTable, 'appName' | 'tlsNames'>,
  { nodeName, nodeAddress }: Pick<VolumeTable, 'nodeName' | 'nodeAddress'>,
): string[] => certificateNames({ appName, tlsNames: fromJson(tlsNames), nodeName, nodeAddress }, config)

/** Issues a certificate with these names. Stores nothing. */
export async function issueFor(
  runtime: Pick<Runtime, 'db' | 'vault' | 'now'>,
  { appName }: Pick<DatabaseTable, 'appName'>,
  names: readonly string[],
): Promise<NewCertificate> {
  const request = { commonName: appName, use: 'server', ...alternativeNames(names), validDays } as const
  return { ...(await issueCertificate(runtime, 'installation', request)), names }
}
