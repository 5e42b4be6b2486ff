/**
 * How a database product is backed up: the programs that write and read its archives, and a reader that verifies an
 * archive and counts its contents without a server. No I/O: the reader gets bytes, and programs are returned as data.
 */
import type { Counted } from './archive-sums.ts'
import type { Address } from './kind.ts'

/** A program that runs in a container of the service's image without its entry point. `argv` has no caller's text. */
export interface Program {
  argv: string[]
  env: Record<string, string>
  /** Files that only root can read. Secrets are passed here, because others can see `argv` and the environment. */
  files?: { path: string; content: string; mode: number }[]
  /** The exit status that means that the database does not exist. If absent, the program cannot detect this. */
  missingStatus?: number
}

/**
 * The inventory of a server beyond the contents of its databases: the databases, accounts, grants and settings. A new
 * server that replaces the server needs them too.
 */
export interface ServerInventory<S = Record<string, unknown>> {
  /** The sorts of entries that the dumps of the databases restore. */
  dumped: readonly string[]
  /**
   * Prints one line per entry, in any order: the sort, a tab, the name, another tab, the full definition. Entries of
   * the sort `database` are the databases to dump; their names are UTF-8 in hexadecimal digits. Two servers with equal
   * contents print the same lines: random values are left out. The definition can contain secrets, so never show it.
   */
  list(settings: S, address: Address): Program
  /** Prints the statements that recreate the entries, for `take`. If both are absent, no entry can be recreated. */
  give?(settings: S, address: Address): Program
  /** Runs the statements on standard input. Safe to repeat. */
  take?(settings: S, address: Address): Program
}

/** A database on a server. */
export interface ServerDatabase {
  host: string
  port: number
  database: string
  /** How long a dump waits for a lock that another session holds; `defaultLockSeconds` if absent. */
  lockSeconds?: number
}

/**
 * Less than the time that a run can go without a byte, so that the tool reports the reason before the run is stopped.
 */
export const defaultLockSeconds = 300

/** The database that an archive is restored into. */
export interface Target extends ServerDatabase {
  /** The roles that the archive names. The restore creates missing ones. */
  roles?: readonly string[]
}

/** The contents of an archive. Archives of equal databases have equal contents. */
export interface ArchiveContents {
  /** By table or collection, named as the product writes the name. PostgreSQL's large objects are one more entry. */
  tables: Record<string, Counted>
  /** All other objects by sort (VIEW, TRIGGER, INDEX, ...): their number, and a checksum of all their definitions. */
  objects: Record<string, Counted>
  /** Roles that the archive names but does not contain; null if the product's archives need none. */
  roles: string[] | null
  /** The name of the dumped database if the archive can be restored only into a database of that name, else null. */
  database: string | null
}

/** Its memory does not grow with the data: a few MiB, and some hundred bytes per table. */
export interface ArchiveReader {
  /** @throws BrokenArchive */
  write(chunk: Buffer): void
  /** @throws BrokenArchive if the archive is not complete */
  end(): ArchiveContents
}

export interface Backup<S = Record<string, unknown>> {
  /** The file extension of an archive, without the extension for compression. */
  extension: string
  /** The text that tells a caller what an archive contains and what it does not. */
  promise: string
  /** Server arguments that keep restored data unchanged on a scratch server: no scheduled events, no expiry. */
  still: readonly string[]
  /** Whether a restore replaces the whole database in its last step, so that an earlier failure changes nothing. */
  isAtomic?: true
  /** Whether the dump of a missing database looks like that of an empty one. Then neither counts as a good dump. */
  isMissingDumpedAsEmpty?: true
  /** Writes an archive to standard output and exits with 0, or writes the reason to standard error. */
  dump(settings: S, place: ServerDatabase, version: string | null): Program
  /** Reads a whole archive from standard input. Afterwards the database contains exactly the archive's contents. */
  restore(settings: S, target: Target, version: string | null): Program
  /** Converts an archive on standard input to the form that `reader` reads. If absent, `reader` reads the archive. */
  unpack?(version: string | null): Program
  reader(): ArchiveReader
  /** The inventory of a server. If absent, a whole server cannot be copied. */
  serverInventory?: ServerInventory<S>
}

/** The exit status of a dump program that found no such database. No shell or dump tool uses this status itself. */
export const missingStatus = 66

/** The file from which a program reads its secret. The file has no final newline; secrets contain no newlines. */
export const secretPath = '/etc/berth/secret'

export const secretFile = (content: string) => [{ path: secretPath, content, mode: 0o600 }]

/** Type-checks a backup against its kind's settings, then erases their type. */
export const backup = <S extends Record<string, unknown>>(typed: Backup<S>): Backup => typed as unknown as Backup

/** The archive is damaged or incomplete. */
export class BrokenArchive extends Error {
  override name = 'BrokenArchive'
}

const maxDifferences = 20

/** Returns one sentence per difference: at most 20, then one with the number of further differences. */
export function differences(expected: ArchiveContents, actual: ArchiveContents): string[] {
  const all = differencesOf(expected.tables, actual.tables, tableTerms)
  all.push(...differencesOf(expected.objects, actual.objects, sortTerms))
  const roles = (contents: ArchiveContents) => JSON.stringify([...(contents.roles ?? [])].sort())
  if (roles(expected) !== roles(actual)) all.push(`The roles named are ${roles(actual)} instead of ${roles(expected)}`)
  return all.length <= maxDifferences
    ? all
    : [...all.slice(0, maxDifferences), `${all.length - maxDifferences} more differences`]
}

interface Terms {
  name(key: string): string
  one: string
  many: string
}

const short = (name: string) => (name.length > 100 ? `${name.slice(0, 100)}…` : name)
const tableTerms: Terms = { name: (it) => `Table ${short(it)}`, one: 'row', many: 'rows' }
const sortTerms: Terms = { name: (it) => `Sort ${short(it)}`, one: 'statement', many: 'statements' }

function differencesOf(expected: Record<string, Counted>, actual: Record<string, Counted>, terms: Terms): string[] {
  const names = [...new Set([...Object.keys(expected), ...Object.keys(actual)])].sort()
  return names.flatMap((name) => {
    const [left, right] = [own(expected, name), own(actual, name)]
    const count = ({ rows }: Counted) => `${rows} ${rows === 1 ? terms.one : terms.many}`
    if (left === undefined) return [`${terms.name(name)} with ${count(right!)} should not be there`]
    if (right === undefined) return [`${terms.name(name)} with ${count(left)} is missing`]
    if (left.rows !== right.rows) return [`${terms.name(name)} has ${count(right)} instead of ${left.rows}`]
    return left.checksum === right.checksum ? [] : [`${terms.name(name)} has other contents in its ${count(left)}`]
  })
}

const own = (all: Record<string, Counted>, name: string) => (Object.hasOwn(all, name) ? all[name] : undefined)
