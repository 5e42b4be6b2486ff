/** The dump with which a restore replaces one of the databases of a server. src/backups opens it. */
import type { Bytes } from '../../dumps/streams.ts'
import type { ArchiveContents, Target } from '../../kinds/backup.ts'

export interface RestoredDump extends Disposable {
  /** The database that gets the content of the dump. */
  database: string
  options: Pick<Target, 'roles' | 'databaseSettings' | 'withoutNeeds'>
  contents: ArchiveContents
  /** The version of the server that was dumped; null: unknown. */
  serverVersion: string | null
  /** Whether objects of the dump can be created only if other databases exist. */
  needsOthers: boolean
  /** Reads the dump from its storage, decrypted and decompressed. */
  read(): Bytes
}

/** The functions of src/backups for restores. app.ts passes them. */
export interface RestoredDumps {
  open(runId: string, signal: AbortSignal): Promise<RestoredDump>
  /** Records why the dump could not be loaded, as the reason of the run. */
  recordFailure(runId: string, error: unknown): Promise<void>
}
