/** Opens the storage of a destination. Outside of this folder, no code knows of which kind a storage is. */
import { openBucket } from '../../lib/s3/s3.ts'
import { endpointUrl } from '../../lib/s3/endpoint.ts'
import type { Storage, StorageOptions } from '../../lib/storage/storage.ts'
import type { DestinationTable } from '../../store/schema.ts'
import type { Vault } from '../../store/vault.ts'
import { settingsOfDestination } from './settings.ts'

/** Sends no request. Dispose of the storage to close its connections. */
export const openDestination = (vault: Vault, row: DestinationTable, options: StorageOptions): Storage =>
  openBucket(settingsOfDestination(vault, row), options)

/** The origin of a storage that answers with HTTP and so with its time; null for other storages. */
export const webOriginOf = ({ endpoint }: Pick<DestinationTable, 'endpoint'>): string | null =>
  endpointUrl(endpoint)?.origin ?? null
