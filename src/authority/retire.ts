/** Ends a rotation of the authority of databases and Berth when no certificate of the older generation is in use. */
import type { Reader, Writer } from '../store/schema.ts'
import type { Vault } from '../store/vault.ts'
import { currentOf } from './issue.ts'
import { readOwnCertificate } from './own-certificate.ts'
import { generationsOf, removeRetiring } from './queries.ts'
import { rotationStep } from './rotation.ts'
import type { AuthorityName } from './table.ts'

/** Certificates that an older generation signed. */
export interface OlderCertificates {
  /** The names of the databases that have one, in their order. */
  databases: readonly string[]
  /** Whether Berth itself has one for its public URL. */
  isOwn: boolean
}

/**
 * Returns who uses certificates of an older generation. A stopped database does not: its next start begins with a new one.
 */
export async function olderCertificates(db: Reader, vault: Vault, name: AuthorityName): Promise<OlderCertificates> {
  const { generation } = currentOf(await generationsOf(db, name))
  const databases = await db
    .selectFrom('databaseCertificate')
    .innerJoin('database', 'database.id', 'databaseCertificate.databaseId')
    .select('database.appName')
    .distinct()
    .where('generation', '<', generation)
    .where(({ eb, and, not }) =>
      // `unknown`: no container of it is left.
      not(
        and([
          eb('database.goal', '=', 'stopped'),
          eb('database.deploymentId', 'is', null),
          eb('database.observed', '=', 'unknown'),
        ]),
      ),
    )
    .orderBy('database.appName')
    .execute()
  const own = await readOwnCertificate({ db, vault })
  return { databases: databases.map(({ appName }) => appName), isOwn: own !== null && own.generation < generation }
}

/** Ends the trust in the older generation, if a rotation waits for this and nothing uses its certificates. */
export async function retireAuthority(tx: Writer, vault: Vault, name: AuthorityName): Promise<void> {
  if (rotationStep(await generationsOf(tx, name)) !== 'replacing') return
  const { databases, isOwn } = await olderCertificates(tx, vault, name)
  if (databases.length === 0 && !isOwn) await removeRetiring(tx, name)
}
