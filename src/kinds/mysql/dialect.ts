/** Functions that the kinds MySQL and MariaDB share: versions, paths and the URL. Both use the same protocol. */
import { isSameVersion } from '../../lib/text/version.ts'
import type { Address } from '../kind.ts'
import type { Credentials } from './programs.ts'
import { authorityOf, encoded } from '../url.ts'

/** Returns the series that a tag names: 8.4 for 8.4.3-oraclelinux9, 11.8 for 11.8-noble, 8 for 8. */
export const versionOf = (tag: string | null): string | null =>
  /^[1-9]\d?(?:\.\d{1,2})?(?=$|[-._])/.exec(tag ?? '')?.[0] ?? null

/**
 * Berth opens data files only with a server of the same series. A newer server would upgrade them irreversibly, and an
 * older server refuses or misreads newer files. Data moves to another series by backup and restore.
 */
export const opens = isSameVersion

export const dataPath = () => '/var/lib/mysql'

/** Drivers of both products accept this scheme. */
export function url({ databaseUser, databasePassword, databaseName }: Credentials, address: Address): string {
  const login = `${encoded(databaseUser)}:${encoded(databasePassword)}`
  return `mysql://${login}@${authorityOf(address)}/${encoded(databaseName)}`
}

/** Lines of both products begin with [ERROR]. Only MySQL adds a code and the component. */
export const errorLogFaults = [
  /\[ERROR\](?: \[MY-\d+\])?(?: \[\w+\])? (.*(?:unknown (?:variable|option)|ambiguous option|requires an argument).*)/,
  // These lines follow the one that names the fault.
  /\[ERROR\](?: \[MY-\d+\] \[\w+\])? (?!\[|Aborting|The designated data directory|Plugin '|Failed to initialize)(.+)/,
]
