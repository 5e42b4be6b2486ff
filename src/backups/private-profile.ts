/** The private part of the profile of a dumped server, in the row of its dump. Sealed, because it can contain secrets. */
import { noPrivateProfile, PrivateProfile } from '../dumps/server-profile.ts'
import type { Vault } from '../store/vault.ts'
import type { BackupRunTable } from './table.ts'

const cellOf = (row: string) => ({ table: 'backupRun', column: 'privateProfile', row })

export const sealPrivateProfile = (vault: Pick<Vault, 'seal'>, runId: string, profile: PrivateProfile): string =>
  vault.seal(cellOf(runId), JSON.stringify(profile))

/** Empty for a dump of an older version of Berth. */
export const openPrivateProfile = (
  vault: Pick<Vault, 'open'>,
  { id, privateProfile }: Pick<BackupRunTable, 'id' | 'privateProfile'>,
): PrivateProfile =>
  privateProfile === null ? noPrivateProfile : PrivateProfile.parse(JSON.parse(vault.open(cellOf(id), privateProfile)))
