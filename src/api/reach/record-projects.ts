/** The input fields that name records, and how to find the project of the record. */
import { kinds } from '../../kinds/index.ts'
import { prepared } from '../../store/prepared.ts'
import type { Reader } from '../../store/schema.ts'

/** Returns the id of the project of a record. Null: the record does not exist, or belongs to no project. */
type ProjectOf = (db: Reader, id: string) => Promise<string | null>

const first =
  (find: (db: Reader, id: string) => Promise<{ projectId: string }[]>): ProjectOf =>
  async (db, id) =>
    (await find(db, id))[0]?.projectId ?? null

/** Also of a removed database: its deployments, backups and runs belong to its last project. */
const ofDatabase = first(
  prepared((db, id: string) => db.selectFrom('projectOfDatabase').select('projectId').where('databaseId', '=', id)),
)

const ofVolume = first(
  prepared((db, id: string) =>
    db
      .selectFrom('volume')
      .innerJoin('projectOfDatabase', 'projectOfDatabase.databaseId', 'volume.databaseId')
      .select('projectOfDatabase.projectId')
      .where('volume.id', '=', id),
  ),
)

const ofBackup = first(
  prepared((db, id: string) =>
    db
      .selectFrom('backup')
      .innerJoin('projectOfDatabase', 'projectOfDatabase.databaseId', 'backup.databaseId')
      .select('projectOfDatabase.projectId')
      .where('backup.id', '=', id),
  ),
)

const ofRun = first(
  prepared((db, id: string) =>
    db
      .selectFrom('backupRun')
      .innerJoin('projectOfDatabase', 'projectOfDatabase.databaseId', 'backupRun.databaseId')
      .select('projectOfDatabase.projectId')
      .where('backupRun.id', '=', id),
  ),
)

/** Registries belong to no project. */
const ofNone: ProjectOf = async () => null

/** By the name of the input field. `serviceId` of lists is the id of a database, of a published port or of a registry. */
export const projectOfField: Readonly<Record<string, ProjectOf>> = {
  projectId: async (_db, id) => id,
  ...Object.fromEntries(kinds.map(({ idField }) => [idField, ofDatabase])),
  databaseId: ofDatabase,
  serviceId: ofDatabase,
  volumeId: ofVolume,
  backupId: ofBackup,
  runId: ofRun,
  registryId: ofNone,
}

/**
 * The input fields with ids that the reach of a caller does not limit: everyone may name a destination for a backup,
 * without seeing more of it than its name, and members are accounts.
 */
export const unlimitedFields: readonly string[] = ['destinationId', 'accountId']
