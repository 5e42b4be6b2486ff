/**
 * The description of a database product. A kind consists of data and pure functions. Its only I/O is reading its own
 * program files (lib/text-file.ts). A kind knows nothing of Docker, and no program contains a text of a caller.
 */
import type { z } from 'zod'
import type { Exec } from '../engine/exec.ts'
import type { Backup } from './backup.ts'

/** How the entry point of an image is called. Files contain hashes of secrets, never the secrets themselves. */
export interface Launch {
  args: string[]
  files: { path: string; content: string }[]
}

/** The host and port that a server listens on. */
export interface Address {
  host: string
  port: number
}

/** How the version of the server in an image is found. */
export interface ImageVersion {
  /** Environment variables that an image may declare, the most reliable first. */
  variables: readonly string[]
  /** The command that prints the version, for an image that declares none of the variables. */
  argv: readonly string[]
  /** Finds the version in the output of `argv`: the first group. */
  printed: RegExp
}

export interface Kind<S extends z.ZodObject = z.ZodObject> {
  /** The group of the kind's operations, and the kind's value of `databaseType`. */
  name: string
  label: string
  /** The API field that carries the id of a service of this kind. */
  idField: string
  defaultImage: string
  port: number
  /**
   * Whether `create` accepts an empty appName and derives one from the name. The API allows this for PostgreSQL only.
   */
  isAppNameOptional: boolean
  /** The fields of `create` beyond those of every database, with the limits of the product. */
  settings: S
  /** The fields of `settings` that are sealed in the store and masked in answers. */
  secrets: readonly (keyof z.output<S> & string)[]
  /** Environment variables that a caller cannot set, each with the text that says what to use instead. */
  reserved: Record<string, string>
  /**
   * The version that an image's tag names, or null. The version has as many parts as decide whether a server opens
   * data files (`15`, `8.4`), or fewer if the tag has fewer.
   */
  versionOf(tag: string | null): string | null
  /** Finds the version of the server in an image, whatever its tag. `versionOf` then cuts the version. */
  imageVersion: ImageVersion
  /** Whether a server of `serverVersion` starts on files that a server of `dataVersion` wrote. */
  opens(dataVersion: string, serverVersion: string): boolean
  /**
   * The path at which the volume is mounted.
   * @param version the version of the server; null for a path that keeps the data of every version on the volume
   */
  dataPath(version: string | null): string
  env(settings: z.output<S>): Record<string, string>
  /**
   * How the server is started. If absent, the arguments are the caller's command and there are no files.
   * @param words the caller's command, split into words
   */
  launch?(settings: z.output<S>, words: string[], memoryLimitMiB: number | null): Launch
  /** A connection URL that drivers accept unchanged. */
  url(settings: z.output<S>, address: Address): string
  /**
   * The health check inside the container. It needs no credentials and contains no caller's text. Status 0 is healthy.
   */
  health: string[]
  /**
   * Logs in at the address with every credential in the settings, and prints the version in the form of `versionOf`.
   */
  ready(settings: z.output<S>, address: Address): Exec
  /**
   * Logs in with the old credentials, sets the new ones on the running server, and creates a missing user or database.
   * Safe to repeat.
   */
  rotate(from: z.output<S>, to: z.output<S>, address: Address): Exec
  /** If absent, the product's data cannot be backed up. */
  backup?: Backup<z.output<S>>
  /** The API name of the operation that starts a backup immediately. */
  manualBackup?: string
}

/** Type-checks a kind against its own settings, then erases their type so that all kinds fit into one list. */
export const kind = <S extends z.ZodObject>(typed: Kind<S>): Kind => typed as unknown as Kind
