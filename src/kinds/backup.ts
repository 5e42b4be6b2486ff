/**
 * What Berth must know of a product to back it up: the programs that write and read its archives, and a reader that
 * proves an archive and counts what is in it without a server. No I/O: bytes are handed in, programs are handed out.
 */
import type { Counted } from './archive-sums.ts'
import type { Address } from './kind.ts'

/** Runs in a container of the service's image, its entry point bypassed; nothing of a caller's is in `argv`. */
export interface Program {
  argv: string[]
  env: Record<string, string>
  /** Root's alone. Secrets are here: argv and environment can be seen by others. */
  files?: { path: string; content: string; mode: number }[]
  /** The exit status by which it says that there is no such database; without: it cannot tell. */
  missingStatus?: number
}

/**
 * What a server holds beside what the dumps of its databases do, for one that is to take its place: its databases,
 * accounts, grants, settings.
 */
export interface Beside<S = Record<string, unknown>> {
  /** The sorts of things that come with the dumps of the databases. */
  dumped: readonly string[]
  /**
   * Prints a line for each thing, in any order: its sort, a tab, its name, and after another tab all of it. Of the sort
   * `database` are those to be dumped, the name in hexadecimal digits of UTF-8. Servers that print the same lines hold
   * the same. What is random is not in it; what comes after the name may be told to nobody.
   */
  list(settings: S, address: Address): Program
  /** Prints the statements that make what can be made of it, for `take`. Without both nothing can. */
  give?(settings: S, address: Address): Program
  /** Reads them from its standard input. Safe to repeat. */
  take?(settings: S, address: Address): Program
}

/** A database on a server. `lockSeconds`: so long a dump waits for a lock that another session holds. */
export interface Place {
  host: string
  port: number
  database: string
  lockSeconds?: number
}

/** Where nothing else is said: shorter than a run may go without a byte, so that the tool itself says why it ended. */
export const defaultLockSeconds = 300

/** Where an archive goes, and what it needs there: `roles` of its contents, which are made where they are missing. */
export interface Target extends Place {
  roles?: readonly string[]
}

/** What is in an archive, the same for archives of equal databases. */
export interface ArchiveContents {
  /** By table or collection, as the product writes its name; large objects of PostgreSQL are one more. */
  tables: Record<string, Counted>
  /** Everything else by its sort (VIEW, TRIGGER, INDEX, ...): how many there are, and over all their texts. */
  objects: Record<string, Counted>
  /** Roles that are named in it and are no part of it; null where the product needs none. */
  roles: string[] | null
  /** The database that it was made of, where it can be restored into one of that name only. */
  database: string | null
}

/** In memory that the data does not tell: a few MiB, and some hundred bytes for each table. */
export interface ArchiveReader {
  /** Throws a BrokenArchive. */
  write(chunk: Buffer): void
  /** Throws a BrokenArchive where the archive is not complete. */
  end(): ArchiveContents
}

export interface Backup<S = Record<string, unknown>> {
  /** What an archive's name ends with, before compression. */
  extension: string
  /** What an archive holds and what it cannot promise, to be said to who restores it. */
  promise: string
  /** What a restore does to the database as it was and to those who use it meanwhile. */
  restores: string
  /** Arguments with which a scratch server leaves the data as it was restored: nothing runs or expires by itself. */
  still: readonly string[]
  /** Whether the last step of a restore replaces the whole database, and every failure before leaves it as it was. */
  isAtomic?: true
  /** A database that is not there is dumped like one with nothing in it: neither is a good dump. */
  emptyIsMissing?: true
  /** Exit status 0 and an archive on standard output, or another and the reason on standard error. */
  dump(settings: S, place: Place, version: string | null): Program
  /** Reads an archive from its standard input to the end; the database then holds that and nothing else. */
  restore(settings: S, target: Target, version: string | null): Program
  /** Makes of an archive on its standard input what `reader` reads; without, it reads the archive itself. */
  unpack?(version: string | null): Program
  reader(): ArchiveReader
  /** Without: a server cannot be copied as a whole. */
  beside?: Beside<S>
}

/** The exit status of a dump program that found no such database. No shell and no tool ends with it by itself. */
export const missingStatus = 66

/** Where a program finds its secret, which ends where the file does: no secret has an end of line. */
export const secretPath = '/etc/berth/secret'

export const secretFile = (content: string) => [{ path: secretPath, content, mode: 0o600 }]

/** Checks a backup against its kind's settings, then forgets their type. */
export const backup = <S extends Record<string, unknown>>(it: Backup<S>): Backup => it as unknown as Backup

/** The archive itself is wrong, not what was done with it. */
export class BrokenArchive extends Error {
  override name = 'BrokenArchive'
}

const most = 20

/** In sentences, at most 20 and one that says how many more; none where both hold the same. */
export function differences(wanted: ArchiveContents, found: ArchiveContents): string[] {
  const all = unequal(wanted.tables, found.tables, tableWords)
  all.push(...unequal(wanted.objects, found.objects, sortWords))
  const roles = (it: ArchiveContents) => JSON.stringify([...(it.roles ?? [])].sort())
  if (roles(wanted) !== roles(found)) all.push(`The roles named are ${roles(found)} instead of ${roles(wanted)}`)
  return all.length <= most ? all : [...all.slice(0, most), `${all.length - most} more differences`]
}

interface Words {
  name(it: string): string
  one: string
  many: string
}

const short = (name: string) => (name.length > 100 ? `${name.slice(0, 100)}…` : name)
const tableWords: Words = { name: (it) => `Table ${short(it)}`, one: 'row', many: 'rows' }
const sortWords: Words = { name: (it) => `Sort ${short(it)}`, one: 'statement', many: 'statements' }

function unequal(wanted: Record<string, Counted>, found: Record<string, Counted>, words: Words): string[] {
  const names = [...new Set([...Object.keys(wanted), ...Object.keys(found)])].sort()
  return names.flatMap((name) => {
    const [left, right] = [own(wanted, name), own(found, name)]
    const count = ({ rows }: Counted) => `${rows} ${rows === 1 ? words.one : words.many}`
    if (left === undefined) return [`${words.name(name)} with ${count(right!)} should not be there`]
    if (right === undefined) return [`${words.name(name)} with ${count(left)} is missing`]
    if (left.rows !== right.rows) return [`${words.name(name)} has ${count(right)} instead of ${left.rows}`]
    return left.checksum === right.checksum ? [] : [`${words.name(name)} has other contents in its ${count(left)}`]
  })
}

const own = (all: Record<string, Counted>, name: string) => (Object.hasOwn(all, name) ? all[name] : undefined)
