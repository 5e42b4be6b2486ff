/** What MySQL and MariaDB share as kinds of database: versions, paths, the URL. Both speak one protocol. */
import { isSameVersion } from '../../lib/text/version.ts'
import type { Address } from '../kind.ts'
import type { Credentials } from './programs.ts'
import { authorityOf, encoded } from '../url.ts'

/** The series: 8.4.3-oraclelinux9 is 8.4, 11.8-noble is 11.8; 8 where the tag says no more. */
export const versionOf = (tag: string | null): string | null =>
  /^[1-9]\d?(?:\.\d{1,2})?(?=$|[-._])/.exec(tag ?? '')?.[0] ?? null

/**
 * Files of an older series are upgraded at the first start of a newer one, which cannot be undone, and a newer one's
 * are refused or misread by an older: from one to the other leads a backup.
 */
export const opens = isSameVersion

export const dataPath = () => '/var/lib/mysql'

/** The scheme that drivers of either product take. */
export function url({ databaseUser, databasePassword, databaseName }: Credentials, address: Address): string {
  const login = `${encoded(databaseUser)}:${encoded(databasePassword)}`
  return `mysql://${login}@${authorityOf(address)}/${encoded(databaseName)}`
}
