/** The migrations of the store, oldest first. A released migration is never edited. */
import { type Kysely, sql } from 'kysely'
import { type Migration, Migrator } from 'kysely/migration'
import { first } from './migrations/0001-first.ts'
import { kinds } from './migrations/0002-kinds.ts'
import { namedDeployments } from './migrations/0003-named-deployments.ts'
import { accounts } from './migrations/0004-accounts.ts'
import { sealing } from './migrations/0005-sealing.ts'
import { destinations } from './migrations/0006-destinations.ts'
import { backups } from './migrations/0007-backups.ts'
import { routing } from './migrations/0008-routing.ts'
import { registries } from './migrations/0009-registries.ts'
import { nodes } from './migrations/0010-nodes.ts'
import { moves } from './migrations/0011-moves.ts'
import { attemptedCredentials } from './migrations/0012-tried.ts'
import { expiredObjects } from './migrations/0013-expired-objects.ts'
import { attemptsByNetwork } from './migrations/0018-accounts.ts'
import { backupIdentity } from './migrations/0021-backup-identity.ts'
import { dataIdentity } from './migrations/0022-data-identity.ts'
import { restores } from './migrations/0023-restores.ts'
import { safetyDumps } from './migrations/0024-safety-dumps.ts'
import { runs } from './migrations/0026-runs.ts'
import { deploymentSubjects } from './migrations/0027-deployment-subjects.ts'
import { runReasons } from './migrations/0028-run-reasons.ts'
import { volumeOwners } from './migrations/0030-volume-owners.ts'
import { backupSubjects } from './migrations/0031-backup-subjects.ts'
import { reasons } from './migrations/0032-reasons.ts'
import { fieldNames } from './migrations/0033-field-names.ts'
import { events } from './migrations/0034-events.ts'
import { conditions } from './migrations/0035-conditions.ts'
import { entityTags } from './migrations/0036-entity-tags.ts'
import { replacements } from './migrations/0037-replacements.ts'
import { knownDevices } from './migrations/0038-known-devices.ts'
import { generations } from './migrations/0040-generations.ts'
import { starts } from './migrations/0042-starts.ts'
import { startSecrets } from './migrations/0043-start-secrets.ts'
import { dataPlaces } from './migrations/0047-data-places.ts'
import { restoreSettings } from './migrations/0047-restore-settings.ts'
import { serverProfiles } from './migrations/0049-server-profiles.ts'
import { ownAccounts } from './migrations/0050-own-accounts.ts'
import { findings } from './migrations/0051-findings.ts'
import { restoresInPlace } from './migrations/0052-restores-in-place.ts'
import { preflights } from './migrations/0053-preflights.ts'
import { returnedNodes } from './migrations/0054-returned-nodes.ts'
import { destinationKinds } from './migrations/0055-destination-kinds.ts'
import { copiedVolumes } from './migrations/0056-copied-volumes.ts'
import type { Sealer } from './vault.ts'

const versions = (sealer: Pick<Sealer, 'seal'>): Record<string, Migration> => ({
  '0001-first': first,
  '0002-kinds': kinds,
  '0003-named-deployments': namedDeployments,
  '0004-accounts': accounts,
  '0005-sealing': sealing(sealer),
  '0006-destinations': destinations,
  '0007-backups': backups,
  '0008-routing': routing,
  '0009-registries': registries,
  '0010-nodes': nodes,
  '0011-moves': moves,
  '0012-tried': attemptedCredentials,
  '0013-lapsed': expiredObjects,
  '0018-accounts': attemptsByNetwork,
  '0021-backup-identity': backupIdentity,
  '0022-data-identity': dataIdentity,
  '0023-restores': restores,
  '0024-safety-dumps': safetyDumps,
  '0026-runs': runs,
  '0027-deployment-subjects': deploymentSubjects,
  '0028-run-reasons': runReasons,
  '0030-volume-owners': volumeOwners,
  '0031-backup-subjects': backupSubjects,
  '0032-reasons': reasons,
  '0033-field-names': fieldNames,
  '0034-events': events,
  '0035-conditions': conditions,
  '0036-entity-tags': entityTags,
  '0037-replacements': replacements,
  '0038-known-devices': knownDevices,
  '0040-generations': generations,
  '0042-starts': starts,
  '0043-start-secrets': startSecrets,
  '0047-data-places': dataPlaces,
  '0047-restore-settings': restoreSettings,
  '0049-server-profiles': serverProfiles,
  '0050-own-accounts': ownAccounts,
  '0051-findings': findings,
  '0052-restores-in-place': restoresInPlace,
  '0053-preflights': preflights,
  '0054-returned-nodes': returnedNodes,
  '0055-destination-kinds': destinationKinds,
  '0056-copied-volumes': copiedVolumes,
})

/** Whether this Berth knows the migration. Only then can it upgrade a store that has run this migration. */
export const isKnownVersion = (name: string): boolean => Object.hasOwn(versions(noSealer), name)

const noSealer: Pick<Sealer, 'seal'> = { seal: (_, text) => text }

/**
 * Migrates the store in one transaction.
 * @param version the name of the last migration to run; the newest by default
 * @throws if a newer Berth has written the store
 */
export async function migrate<S>(db: Kysely<S>, sealer: Pick<Sealer, 'seal'>, version?: string): Promise<void> {
  const newer = (await namesIn(db)).filter((name) => !isKnownVersion(name))
  if (newer.length > 0) {
    throw new Error(
      `This store was written by a newer Berth (store version ${newer.at(-1)}). Nothing was changed in it. Start ` +
        'that version of Berth again, or restore a backup of the state from before the upgrade: ' +
        'berth state restore FILE --replace',
    )
  }
  const migrator = new Migrator({ db, provider: { getMigrations: async () => versions(sealer) } })
  const { error } = await (version === undefined ? migrator.migrateToLatest() : migrator.migrateTo(version))
  if (error !== undefined) throw new Error('The migration of the store to this version failed', { cause: error })
}

/** Whether the store has exactly the migrations of this Berth. Changes nothing. */
export async function isOfThisVersion<S>(db: Kysely<S>): Promise<boolean> {
  return (await namesIn(db)).join() === Object.keys(versions(noSealer)).join()
}

/** Returns the names of the migrations that the store has run, oldest first. */
async function namesIn<S>(db: Kysely<S>): Promise<string[]> {
  const tables = await db.introspection.getTables({ withInternalKyselyTables: true })
  if (!tables.some(({ name }) => name === 'kysely_migration')) return []
  const { rows } = await sql<{ name: string }>`select "name" from "kysely_migration" order by "name"`.execute(db)
  return rows.map(({ name }) => name)
}
