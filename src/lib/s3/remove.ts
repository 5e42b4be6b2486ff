/**
 * Removes an object. In a bucket that keeps versions, a request without a version only hides the object behind a delete
 * marker, so the version that can be read is removed by its id. Source:
 * docs.aws.amazon.com/AmazonS3/latest/userguide/DeletingObjectVersions.html.
 */
import type { Connection } from './connection.ts'
import { isNoConnection, ObjectLocked, StorageFault } from '../storage/faults.ts'
import type { Removal } from '../storage/storage.ts'

/** @throws ObjectLocked */
export async function removeOn(connection: Connection, key: string, signal: AbortSignal): Promise<Removal> {
  const found = await inspect(connection, key, signal)
  if (found === 'missing') return 'gone'
  try {
    await removeVersion(connection, key, found?.versionId, signal)
    return 'gone'
  } catch (error) {
    if (!(error instanceof StorageFault) || error.isTransient || isNoConnection(error)) throw error
    if (error.kind === 'missing') return 'gone'
    if (found?.lock !== undefined) throw new ObjectLocked(found.lock)
    if (error.kind !== 'rights' || found?.versionId === undefined) throw error
    await removeVersion(connection, key, undefined, signal)
    return 'hidden'
  }
}

interface Found {
  versionId: string | undefined
  /** The end of the lock; null: it has no end; undefined: there is no lock. */
  lock: Date | null | undefined
}

/** @returns null if the storage refuses to tell */
async function inspect(connection: Connection, Key: string, signal: AbortSignal): Promise<Found | 'missing' | null> {
  try {
    const { VersionId, ObjectLockRetainUntilDate, ObjectLockLegalHoldStatus } = await connection.ask(
      'read',
      signal,
      ({ sdk, client, options }) => client.send(new sdk.HeadObjectCommand({ Bucket: connection.bucket, Key }), options),
    )
    const until = (ObjectLockRetainUntilDate?.getTime() ?? 0) > Date.now() ? ObjectLockRetainUntilDate : undefined
    return { versionId: VersionId, lock: ObjectLockLegalHoldStatus === 'ON' ? null : until }
  } catch (error) {
    if (!(error instanceof StorageFault) || error.isTransient || isNoConnection(error)) throw error
    if (error.kind === 'missing') return 'missing'
    if (error.kind === 'rights') return null
    throw error
  }
}

async function removeVersion(
  connection: Connection,
  Key: string,
  VersionId: string | undefined,
  signal: AbortSignal,
): Promise<void> {
  const object = { Bucket: connection.bucket, Key, ...(VersionId !== undefined && { VersionId }) }
  await connection.ask('delete', signal, ({ sdk, client, options }) =>
    client.send(new sdk.DeleteObjectCommand(object), options),
  )
}
