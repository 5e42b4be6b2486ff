/**
 * A kind describes a database product. It consists of data and pure functions. The only I/O of a kind is reading its
 * own program files (lib/text-file.ts). A kind does not call Docker. The source text of its programs contains no text
 * from an API request.
 */
import type { z } from 'zod'
import type { Exec } from '../engine/exec.ts'
import type { Backup, Program } from './backup.ts'
import type { Sampler } from './sampler.ts'

/** The arguments and files with which an image is started. Files contain hashes of the secrets, never the secrets. */
export interface Launch {
  args: string[]
  files: { path: string; content: string }[]
  /** Replaces `Kind.health`, which connects without TLS. */
  health?: string[]
}

/** The host and the port of a server. */
export interface Address {
  host: string
  port: number
  /**
   * How a program of the kind protects the connection. Absent or null: it connects as it can, and verifies nothing.
   * Otherwise it connects with TLS only, and verifies that the certificate comes from the authority in `tlsPaths.ca`
   * and, where the client of the product can, that it names `serverName`.
   */
  tls?: { serverName: string } | null
}

/**
 * The address for a program in a container of its own, in the network of the server. With TLS, it connects to the name,
 * because the clients of several products compare the certificate with the host that they connect to.
 */
export const namedAddress = <A extends Address>(address: A): A =>
  address.tls ? { ...address, host: address.tls.serverName } : address

/** Whether a server accepts TLS: it must (`require`), it can (`allow`), or it cannot (`off`). */
export const tlsModes = ['allow', 'require', 'off'] as const
export type TlsMode = (typeof tlsModes)[number]

/** The folder of the small volume with the certificate of a database, in the container of its server and of its tools. */
export const tlsFolder = '/etc/berth/tls'

/**
 * The files in that folder. `ca`: the authorities to trust. `certificate`: the certificate of the server with its chain.
 * `key`: its private key, PKCS #8. `combined`: certificate, chain and key in one file.
 */
export const tlsPaths = {
  ca: `${tlsFolder}/ca.pem`,
  certificate: `${tlsFolder}/server.pem`,
  key: `${tlsFolder}/server-key.pem`,
  combined: `${tlsFolder}/server-combined.pem`,
} as const

/** How the servers of a kind use a certificate. All servers find it in `tlsPaths`. */
export interface KindTls<S = Record<string, unknown>> {
  /**
   * The user of the image that runs the server, and so owns the private key. Several names, separated by spaces: the
   * first that the image has.
   */
  user: string
  /** The port with TLS, if it is another one than `Kind.port`. */
  port(mode: TlsMode): number
  /** How a client begins TLS on that port: at once, or after the messages of the product's protocol. */
  handshake: 'direct' | 'postgres' | 'mysql'
  /** Whether a running server of this version can take a new certificate without dropping a connection. */
  canReload(version: string | null): boolean
  /** Makes the running server read its files again. Only for versions that can. Fails if the server refuses them. */
  reload(settings: S, address: Address): Exec
  /**
   * Makes the running server refuse or accept connections without TLS, where its arguments do not decide this. Safe to
   * repeat. Absent if the arguments decide it. Call it whenever a server has started, because the setting is among the
   * data: with `require` after a login with TLS, and otherwise before the first login, which the setting of an earlier
   * `require` would refuse.
   */
  applyMode?(settings: S, address: Address, mode: TlsMode): Exec
  /**
   * Prints the number of connections of clients, other than Berth's own, that use no TLS now. Absent if the server does
   * not know.
   */
  plainConnections?(settings: S, address: Address): Exec
  /**
   * Returns a connection URL with which a client verifies the authority and the name of the server.
   * @param caPath the path of the authority's certificate on the machine of the client
   */
  verifiedUrl(settings: S, address: Address, caPath: string): string
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
  /** Environment variables that a caller cannot set. The value says what to do instead. */
  reserved: Record<string, string>
  /**
   * Returns the version that an image's tag names, or null. The version has the parts that decide whether a server
   * opens data files (`15`, `8.4`). It has fewer parts if the tag has fewer.
   */
  versionOf(tag: string | null): string | null
  /** How to find the version of the server in an image with any tag. `versionOf` truncates this version. */
  imageVersion: ImageVersion
  /** Whether Berth starts a server of `serverVersion` on files that a server of `dataVersion` wrote. */
  opens(dataVersion: string, serverVersion: string): boolean
  /**
   * Returns the path at which the volume is mounted.
   * @param version the version of the server, or null if it is unknown: the path then suits all versions
   */
  dataPath(version: string | null): string
  env(settings: z.output<S>): Record<string, string>
  /**
   * Returns how the server is started. If absent, the arguments are the caller's command and there are no files.
   * @param args the caller's command, split into arguments
   * @param memoryLimitMiB the memory limit of the container, or null if there is none
   * @param tls absent: off
   * @param version the version of the server, or null if it is unknown
   */
  launch?(
    settings: z.output<S>,
    args: string[],
    memoryLimitMiB: number | null,
    tls?: TlsMode,
    version?: string | null,
  ): Launch
  /** Returns a connection URL that drivers accept unchanged. */
  url(settings: z.output<S>, address: Address): string
  /**
   * The command of the health check inside the container. The command needs no credentials and contains no caller's
   * text. Exit status 0 means healthy.
   */
  health: string[]
  /**
   * Logs in at the address with every credential in the settings, and prints the version in the form of `versionOf`.
   */
  ready(settings: z.output<S>, address: Address): Exec
  /**
   * Logs in with the old credentials and sets the new credentials on the running server. Creates a missing user or
   * database. Safe to repeat.
   */
  rotate(from: z.output<S>, to: z.output<S>, address: Address): Exec
  /**
   * The client with which a person works on the server, logged in as the user of the settings. It runs in a container
   * of the service's image, and finds the password in a file.
   * @param args arguments of the client, from the caller. They follow those of Berth
   */
  client(settings: z.output<S>, address: Address, args: readonly string[]): Program
  /** How the servers of the kind use a certificate. */
  tls?: KindTls<z.output<S>>
  /** Absent if the servers of the kind report no figures. */
  sampler?: Sampler<z.output<S>>
  /** Absent if the product's data cannot be backed up. */
  backup?: Backup<z.output<S>>
  /** The API name of the operation that starts a backup immediately. */
  manualBackup?: string
}

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
    `Password of ${user}. Empty: Berth makes a random one. A changed one is set in the running server by the next ` +
    'deploy. Only `one` answers it; other answers contain ********, and an update with ******** keeps it',
}

/**
 * Type-checks a kind against its own settings, then erases the type of the settings. All kinds then fit into one list.
 */
export const kind = <S extends z.ZodObject>(typed: Kind<S>): Kind => typed as unknown as Kind
