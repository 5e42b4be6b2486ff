/**
 * A kind describes a database product. It consists of data and pure functions. The only I/O of a kind is reading its
 * own program files (lib/text-file.ts). A kind does not call Docker. The source text of its programs contains no text
 * from an API request.
 */
import type { z } from 'zod'
import type { Exec } from '../engine/exec.ts'
import type { ServiceSpec } from '../engine/spec.ts'
import type { Backup } from './backup.ts'
import type { SeriesEnd } from './series-ends.ts'

/**
 * The arguments and files with which an image is started. Files contain hashes of the secrets, never the secrets. As in
 * the environment, these are the secrets of the first server on the volume.
 */
export interface Launch {
  /**
   * The program that runs before the server in each container, with its arguments. It gets the entry point of the image
   * and the arguments of the server, and has to execute them. Absent: the entry point runs at once.
   */
  before?: string[]
  /** Whether the host name of the container is that of the database. The server can then reach itself by this name. */
  needsHostname?: true
  args: string[]
  files: { path: string; content: string }[]
}

/** The host and the port of a server. */
export interface Address {
  host: string
  port: number
}

/** The account that Berth makes on a server for its own work. */
export interface OwnAccount {
  user: string
  password: string
}

/** The credentials for work that needs all rights on a server. */
export interface ServerLogin<S = Record<string, unknown>> {
  settings: S
  /** Null if Berth has no account of its own: programs then log in with the administrator's credentials in `settings`. */
  own: OwnAccount | null
}

/** How a server is started so that it first makes Berth's own account, whatever its accounts are. */
export interface MaintenanceStart extends Pick<ServiceSpec, 'args' | 'files'> {
  /** The words that replace the entry point of the image. */
  command: string[]
}

/** The programs that make Berth's own account on a server, with all rights. The account is on no other server. */
export interface OwnAccounts<S> {
  /** Logs in with the account. Fails if it does not have all rights. */
  check(own: OwnAccount, settings: S, address: Address): Exec
  /**
   * Logs in with the administrator's credentials in the settings. Makes the account, or gives it its password and its
   * rights again. Safe to repeat.
   */
  create(own: OwnAccount, settings: S, address: Address): Exec
  /**
   * Does the same through the server's socket, and so works only inside the container of the server. Absent if the
   * product lets nobody in there without the credentials that `create` needs.
   */
  createInside?(own: OwnAccount, settings: S, address: Address): Exec
  /**
   * Returns how the server is started in its maintenance mode: it makes the account, or gives it its password and its
   * rights again, before it accepts clients. It needs no login. Safe to repeat. Fails before it changes data that it
   * cannot open.
   *
   * @param start the entry point and the arguments of a usual start
   */
  maintenanceStart(own: OwnAccount, settings: S, start: Omit<MaintenanceStart, 'files'>): MaintenanceStart
}

/** How the version of the server in an image is found. */
export interface ImageVersion {
  /** Environment variables with which an image can declare the version, the most reliable first. */
  variables: readonly string[]
  /** The command that prints the version, for an image that declares none of the variables. */
  argv: readonly string[]
  /** The first group is the version in the output of `argv`. */
  printed: RegExp
}

/** How a kind deals with settings that the data keeps. */
export interface Lasting<S> {
  names: readonly (keyof S & string)[]
  /** Why the settings cannot change, and what to do instead, as a sentence. */
  remedy: string
  /** The exit code of `ready` for a server that `prepare` has to prepare. The login has succeeded. */
  unpreparedExitCode: number
  /** Logs in and prepares the server for its lasting settings. Safe to repeat. */
  prepare(settings: S, address: Address): Exec
  /** The lasting settings with which the arguments start a server. */
  found(args: readonly string[]): Partial<S>
}

/** The files of a server. */
export interface DataFiles {
  /** The folder of the data in the container: the folder of the mounted volume, or one below it. */
  folder: string
  /** Names of files and folders in it. All data of this kind has at least one of them. */
  names: readonly string[]
}

export interface Kind<S extends z.ZodObject = z.ZodObject> {
  /** The name of the kind's group of API operations, and the value of `databaseType` for the kind. */
  name: string
  label: string
  /** The API field that carries the id of a service of this kind. */
  idField: string
  defaultImage: string
  port: number
  /**
   * Whether `create` accepts an empty appName and derives the appName from the name. The API allows this for PostgreSQL
   * only.
   */
  isAppNameOptional: boolean
  /** The fields of `create` beyond the fields that all kinds share, with the limits of the product. */
  settings: S
  /** The fields of `settings` that are sealed in the store and masked in API responses. */
  secrets: readonly (keyof z.output<S> & string)[]
  /**
   * The optional settings that the data keeps. Once `prepare` has run with such a setting, every server on this data gets
   * it, and it cannot change. If null, such a setting is not stored.
   */
  lasting?: Lasting<z.output<S>>
  /** The names of the server's programs. They take the arguments of the server. Messages name the first. */
  serverPrograms: readonly string[]
  /**
   * Patterns that find, in the end of the server's log, why the server ended. The first that matches counts. Its groups
   * are the fault. Lines are separated by \n.
   */
  logFaults: readonly RegExp[]
  /**
   * Returns why the server cannot get an argument of the caller's command, as the end of "must not contain ...", or
   * null. Absent if every argument is accepted.
   */
  refusedArgument?(args: readonly string[]): string | null
  /** Environment variables that a caller cannot set. The value says what to do instead. */
  reserved: Record<string, string>
  /**
   * Returns the version that an image's tag names, or null. The version has the parts that decide whether a server
   * opens data files (`15`, `8.4`). It has fewer parts if the tag has fewer.
   */
  versionOf(tag: string | null): string | null
  /** How to find the version of the server in an image with any tag. `versionOf` truncates this version. */
  imageVersion: ImageVersion
  /** The release series whose end is known. */
  seriesEnds: readonly SeriesEnd[]
  /** Returns the product in an image, for a kind that stands for several products. */
  productOf?(image: string): string
  /** Whether Berth starts a server of `serverVersion` on files that a server of `dataVersion` wrote. */
  opens(dataVersion: string, serverVersion: string): boolean
  /**
   * Returns the path at which the volume is mounted.
   * @param version the version of the server, or null if it is unknown: the path then suits all versions
   */
  dataPath(version: string | null): string
  /** How data of this kind is recognized, and where in the container the server expects it. */
  dataFiles: DataFiles
  /**
   * The variables with which an image initializes an empty volume. Later servers on the volume get the same passwords as
   * the first, and not the present ones.
   */
  env(settings: z.output<S>): Record<string, string>
  /**
   * Returns how the server is started. If absent, the arguments are the caller's command and there are no files.
   * @param args the caller's command, split into arguments
   * @param memoryLimitMiB the memory limit of the container, or null if there is none
   */
  launch?(settings: z.output<S>, args: string[], memoryLimitMiB: number | null): Launch
  /**
   * Returns a connection URL that drivers accept unchanged.
   * @param isOutside whether the client is outside Berth's network, where the host name of the database is unknown
   */
  url(settings: z.output<S>, address: Address, isOutside?: boolean): string
  /**
   * The command of the health check inside the container. The command needs no credentials and contains no caller's
   * text. Exit status 0 means healthy. `healthCheck` makes it: it accepts the arguments of `clearedHealth`.
   */
  health: string[]
  /**
   * Whether the image initializes an empty data folder in several steps and skips them if the folder has files. If the
   * first start is interrupted, the files then stay incomplete.
   */
  initializesOnce: boolean
  /**
   * Logs in at the address with the user of the settings, and prints the version in the form of `versionOf`. Prints
   * `root refused` if the settings have an administrator's password too, and the server refuses it. Then prints the
   * absolute paths of all files and folders that the server needs after a crash, as the server itself knows them: a path
   * on each line, without temporary files. A path with `*` stands for the symbolic links that it matches. Prints no path
   * if the server has no data. Berth checks that all these paths are on the volume.
   */
  ready(settings: z.output<S>, address: Address): Exec
  /**
   * The paths that `ready` prints, if they cannot change while the server runs. If absent, only the server knows them.
   */
  fixedPaths?: readonly string[]
  /**
  /**
   * Sets the new credentials on the running server, for all later starts, too. Logs in with Berth's own account, or with
   * the old credentials if `own` is null. Creates a missing user or database. Ends no session. Safe to repeat.
   */
  rotate(from: z.output<S>, to: z.output<S>, address: Address, own: OwnAccount | null): Exec
  /**
   * Logs in and saves the credentials that the running server has, for its later starts. Absent if the server saves each
   * change by itself.
   */
  save?(settings: z.output<S>, address: Address): Exec
  /** Absent if the product has a single account. */
  ownAccounts?: OwnAccounts<z.output<S>>
  /** The field of `settings` with the password of the server's administrator, if that is not the user. */
  rootPassword?: keyof z.output<S> & string
  /** Absent if the product's data cannot be backed up. */
  backup?: Backup<z.output<S>>
  /** The API name of the operation that starts a backup immediately. */
  manualBackup?: string
  /** The API name of the operation that creates a backup. Absent if `backup.create` does. */
  createBackup?: string
}

type Named = Pick<Kind, 'lasting'>
/** The settings of a database. */
type Stored = Record<string, string>

const isLasting = ({ lasting }: Named, name: string) => lasting?.names.includes(name) === true

function filtered(settings: Stored, isKept: (name: string) => boolean): Stored {
  return Object.fromEntries(Object.entries(settings).filter(([name]) => isKept(name)))
}

/** The lasting ones of the settings. */
export const lastingIn = (kind: Named, settings: Stored) => filtered(settings, (name) => isLasting(kind, name))

/** The settings for a server on data that was not prepared for lasting settings. */
export const withoutLasting = (kind: Named, settings: Stored) => filtered(settings, (name) => !isLasting(kind, name))

/** The settings with the lasting ones of `from`. They then differ from `from` only in credentials and names. */
export const withLastingOf = (kind: Named, settings: Stored, from: Stored): Stored => ({
  ...withoutLasting(kind, settings),
  ...lastingIn(kind, from),
})

/** The names of the settings that a login needs. */
export const credentialNames = (kind: Kind): string[] =>
  Object.keys(kind.settings.shape).filter((name) => !isLasting(kind, name))

/** The descriptions of settings that several kinds have. */
export const settingTexts = {
  databaseName:
    'Name of the database that the first deploy creates. After a change, the next deploy creates a database with the ' +
    'new name if there is none, and keeps the old one',
  /** @param rights what the user can do */
  databaseUser: (rights: string) =>
    `${rights}. After a change, the next deploy creates a user with equal rights, and the old one can no longer log in`,
  /** @param user whose password it is */
  password: (user: string) =>
    `Password of ${user}. Empty: Berth makes a random one. The next deploy sets a changed one in the running server, ` +
    'whose sessions stay open. Only `one` answers it; other answers contain ********, and an update with ******** keeps it',
}

/**
 * Type-checks a kind against its own settings, then erases the type of the settings. All kinds then fit into one list.
 */
export const kind = <S extends z.ZodObject>(typed: Kind<S>): Kind => typed as unknown as Kind

const ownPrefix = 'berth_'

/** The name of Berth's own account on the server of a database. Every product accepts it. */
export const ownNameOf = (databaseId: string) => ownPrefix + databaseId.replaceAll('-', '').slice(-16)

/** The arguments of `refine` for the name of a user. */
export const isNotOwnName = [
  (name: string) => !name.startsWith(ownPrefix),
  `must not start with ${ownPrefix}, as the accounts that Berth makes for its own work do: choose another name`,
] as const
