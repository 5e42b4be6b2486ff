/**
 * How a database product is backed up: the programs that write and restore its archives, and a reader that verifies an
 * archive and counts its contents without a server. Nothing here does I/O. The reader receives bytes, and programs are
 * returned as data.
 */
import type { Exec } from '../engine/exec.ts'
import type { Counted } from './archive-sums.ts'
import type { DumpFinding, NamedObject } from './dump-finding.ts'
import type { Address, ServerLogin } from './kind.ts'

/**
 * A program that runs in a container of the service's image, without the entry point of the image. `argv` contains no
 * text from an API request.
 */
export interface Program {
  argv: string[]
  env: Record<string, string>
  /** Files that only root can read. Secrets are passed here, because other users can see `argv` and the environment. */
  files?: { path: string; content: string; mode: number }[]
  /** The exit status for a database that does not exist. Absent if the program cannot detect this. */
  missingStatus?: number
  /** Finds the fault in the last lines that the failed program printed. Null if they show no fault with a remedy. */
  faultIn?(text: string): ToolFault | null
  /** Finds the findings in the last lines on standard error of the program, which succeeded. */
  findingsIn?(text: string): DumpFinding[]
  /**
   * Finds the part of the server that works again only after a restart, such as a scheduler, in the last lines on standard
   * error of the program, which succeeded.
   */
  restartNeededBy?(text: string): string | null
}

/**
 * Why a program failed, if there is a remedy. NameNotFound: the function `routine`, which `object` needs, uses the name
 * `missing` without its schema. LocksExhausted: a transaction locked more tables than the server has room for. ReadRefused:
 * `role` lacks `right` to read `object`.
 */
export type ToolFault =
  | { reason: 'NameNotFound'; missing: string; routine: string; object: string | null }
  | { reason: 'LocksExhausted' }
  | { reason: 'ReadRefused'; object: string; role: string; right: string }

/**
 * The inventory of a server beyond the contents of its databases: the names of the databases, the accounts, grants and
 * settings. A new server that replaces this server needs them too.
 */
export interface ServerInventory<S = Record<string, unknown>> {
  /** The types of entries that a restore of the databases' dumps recreates. */
  dumped: readonly string[]
  /**
   * Prints one line per entry, in any order: the type, a tab, the name, and, if the entry has a definition, another tab
   * and the full definition. Entries of the type `database` are the databases to dump. Their names are UTF-8 in
   * hexadecimal digits. Two servers with equal contents print the same lines, because random values are omitted. The
   * definition can contain secrets, so never show it. Berth's own account is omitted, because each server gets a new one.
   */
  list(login: ServerLogin<S>, address: Address): Program
  /** Whether an entry of one of the types in `dumped` belongs to this database. Absent if no type is dumped. */
  concerns?(line: string, database: string): boolean
  /**
   * Prints what `importEntries` needs to give another server of the same version these entries. Absent if entries cannot be
   * recreated.
   */
  exportEntries?(login: ServerLogin<S>, address: Address): Program
  /**
   * Recreates the entries from standard input. Entries of the types `dumped` that belong to a database may be recreated, too.
   * Safe to repeat. Absent if entries cannot be recreated.
   */
  importEntries?(login: ServerLogin<S>, address: Address): Program
}

/** The names of the databases in the lines of an inventory. */
export const databasesIn = (lines: readonly string[]): string[] =>
  lines
    .map((line) => line.split('\t'))
    .filter(([type]) => type === 'database')
    .map(([, name = '']) => Buffer.from(name, 'hex').toString())

/** A database on a server. */
export interface ServerDatabase {
  host: string
  port: number
  database: string
  /** How many seconds a dump waits for a lock that another session holds. The default is `defaultLockSeconds`. */
  lockSeconds?: number
}

/** The name that stands for all databases of a server. */
export const wholeServer = 'all'

/**
 * The default of `ServerDatabase.lockSeconds`. Berth also stops a dump that makes no progress, by default after a
 * longer time. So the dump program can report the lock as the reason first.
 */
export const defaultLockSeconds = 300

/** The database that an archive is restored into. */
export interface Target extends ServerDatabase {
  /** The roles that the archive names. The restore creates the missing roles. */
  roles?: readonly string[]
  /** The settings that the dumped database had, as NAME=value. A database that has settings of its own keeps them. */
  databaseSettings?: readonly string[]
  /** The run of the restore, for `AtomicRestore.identify`. Absent if nothing identifies the data. */
  runId?: string
  /** Whether to leave out objects that need other databases, and that the server cannot create without them. */
  withoutNeeds?: boolean
  /**
   * Whether the server only serves to compare its data. Nothing may change the data after the restore, such as the expiry
   * of keys.
   */
  isTemporary?: boolean
}

/** The contents of an archive. Archives of equal databases have equal contents. */
export interface ArchiveContents {
  /**
   * The rows of each table or collection, by its name in the archive. PostgreSQL's large objects are an additional
   * entry.
   */
  tables: Record<string, Counted>
  /** All other objects by type (VIEW, TRIGGER, INDEX, ...): their number, and a checksum of all their definitions. */
  objects: Record<string, Counted>
  /** The roles that the archive names but does not contain. Null if the product's archives need no roles. */
  roles: string[] | null
  /**
   * The name of the dumped database if the archive can be restored only into a database of that name. Null if it can be
   * restored into any database.
   */
  database: string | null
  /**
   * At most 20 objects that name the dumped database, for which `database` is not null. Absent if the archive does not say,
   * because an older version of Berth wrote it, or if the product's archives never name their database.
   */
  boundBy?: NamedObject[]
  /** Absent if there are none. Archives of equal databases can have other findings, for example on another server. */
  findings?: DumpFinding[]
  /** The server that wrote the archive. Absent if archives of the kind do not say. */
  server?: ArchiveServer | undefined
}

/** A product, such as Valkey, and its version as the product itself writes it. */
export interface ArchiveServer {
  product: string
  version: string
}

/**
 * Reads an archive. The needed memory is a few MiB and some hundred bytes per table, for any amount of data, and at
 * most 64 MiB (reading-costs.ts). The work for each byte is bounded, whatever the archive contains.
 */
export interface ArchiveReader {
  /** What the reading has cost so far. */
  readonly costs: { readonly steps: number; readonly keptBytes: number }
  /** @throws BrokenArchive */
  write(chunk: Buffer): void
  /** @throws BrokenArchive if the archive is not complete */
  end(): ArchiveContents
}

/** The settings of the whole server that a restore changes. Their values are numbers. */
export interface RestoreSettings<S = Record<string, unknown>> {
  /** Prints the present values. Runs in the container of the server. */
  read(login: ServerLogin<S>, address: Address): Exec
  /** The values that `read` printed, by the names of the settings. Null if the output is incomplete. */
  parse(stdout: string): Record<string, number> | null
  /** Sets the values. Runs in the container of the server. */
  write(login: ServerLogin<S>, address: Address, values: Readonly<Record<string, number>>): Exec
}

/**
 * The programs around a restore that replaces a database in one step. They say afterwards whether it has done so, also if
 * its program or the server was killed. All of them are safe to repeat.
 */
export interface AtomicRestore<S = Record<string, unknown>> {
  /** Prints a text that a restore changes together with the data, and that nothing else changes. */
  identify(login: ServerLogin<S>, place: ServerDatabase, runId: string): Program
  /**
   * After the program of `restore` was ended: waits until the data is old or new, also on disk, and makes the server usable
   * again.
   */
  end(login: ServerLogin<S>, place: ServerDatabase): Program
  /** Removes what the restore has left. Then `identify` no longer tells anything. */
  clear(login: ServerLogin<S>, place: ServerDatabase, runId: string): Program
}

export interface Backup<S = Record<string, unknown>> {
  /** The file extension of an archive, without the extension for compression. */
  extension: string
  /** A text for users of the API: what an archive contains and what it does not contain. */
  promise: string
  /**
   * Arguments of temporary servers (restore drills, moves to a new volume). The arguments keep the data unchanged: no
   * scheduled events, no expiry. Nothing leaves the server, such as archived files of a log.
   */
  temporaryServerArgs: readonly string[]
  /** Further arguments of the scratch server of a drill, which the contents of the archive need. */
  scratchServerArgs?(contents: ArchiveContents): string[]
  /**
   * The value of `ServerDatabase.database` if an archive always has all databases of a server. Absent if a caller names
   * the database.
   */
  database?: typeof wholeServer
  /**
   * Present if `restore` replaces the database on a running server in one step. Absent if it does not: Berth then restores
   * into a new volume.
   */
  atomicRestore?: AtomicRestore<S>
  /**
   * Whether a missing database dumps like an empty database. Berth then refuses a dump without tables. A safety dump
   * without tables is accepted if it has other objects.
   */
  isMissingDumpedAsEmpty?: true
  /**
   * The types of objects that can name the database in their text. An archive without `boundBy` that has such objects may be
   * bound to the name of its database. Absent if archives can be restored under any name, or say that they cannot.
   */
  boundTypes?: readonly string[]
  /** Writes an archive to standard output and exits with 0, or writes the reason of a failure to standard error. */
  dump(login: ServerLogin<S>, place: ServerDatabase, version: string | null): Program
  /**
   * Prints the settings of the database itself as JSON, an array of NAME=value. Absent if databases of the product have
   * none. An archive does not contain them, but its objects can need them.
   */
  databaseSettings?(login: ServerLogin<S>, place: ServerDatabase): Exec
  /** Restores the archive on standard input. Afterwards the database contains exactly the archive's contents. */
  restore(login: ServerLogin<S>, target: Target, version: string | null): Program
  /**
   * The settings that `restore` leaves changed on the server. The caller stores their values before the restore and sets
   * them back afterwards, unless the server is temporary. Absent if a restore changes none.
   */
  restoreSettings?: RestoreSettings<S>
  /** Whether a server loads the archive of another one. Absent if the tools of the kind decide. */
  loads?(from: ArchiveServer, to: { product: string; version: string | null }): boolean
  /** Converts the archive on standard input to the form that `reader` reads. Absent if `reader` reads the archive. */
  unpack?(version: string | null): Program
  reader(): ArchiveReader
  /** The inventory of a server. Absent if a complete server cannot be copied. */
  serverInventory?: ServerInventory<S>
}

/** The exit status of a dump program if the database does not exist. No shell or dump tool itself uses this status. */
export const missingStatus = 66

/** The file from which a program reads its secret. The file has no final newline, and secrets contain no newlines. */
export const secretPath = '/etc/berth/secret'

export const secretFile = (content: string) => [{ path: secretPath, content, mode: 0o600 }]

/** Type-checks a backup against its kind's settings, then erases the type of the settings. */
export const backup = <S extends Record<string, unknown>>(typed: Backup<S>): Backup => typed as unknown as Backup

/** The archive is damaged or incomplete. */
export class BrokenArchive extends Error {
  override name = 'BrokenArchive'
}

const maxDifferences = 20

/** Returns one sentence per difference: at most 20, then one with the number of further differences. */
export function differences(expected: ArchiveContents, actual: ArchiveContents): string[] {
  const all = differencesOf(expected.tables, actual.tables, tableTerms)
  all.push(...differencesOf(expected.objects, actual.objects, objectTerms))
  const roles = (contents: ArchiveContents) => JSON.stringify([...(contents.roles ?? [])].sort())
  if (roles(expected) !== roles(actual)) all.push(`The named roles are ${roles(actual)} instead of ${roles(expected)}`)
  return all.length <= maxDifferences
    ? all
    : [...all.slice(0, maxDifferences), `${all.length - maxDifferences} more differences`]
}

/** The words for the entries of a map in `ArchiveContents`. */
interface Terms {
  name(key: string): string
  one: string
  many: string
}

/** A name for a message. Names in archives can be of any length. */
export const short = (name: string) => (name.length > 100 ? `${name.slice(0, 100)}…` : name)
const tableTerms: Terms = { name: (it) => `Table ${short(it)}`, one: 'row', many: 'rows' }
const objectTerms: Terms = { name: (it) => `Object type ${short(it)}`, one: 'statement', many: 'statements' }

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
