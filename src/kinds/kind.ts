/**
 * What Berth must know of a database product. A kind is data and pure functions: no I/O but the reading of its own
 * program files (lib/text-file), no Docker, and no program that a caller's text has been put into.
 */
import type { z } from 'zod'
import type { Exec } from '../engine/exec.ts'
import type { Backup } from './backup.ts'

/** How an image's entry point is called. No file holds a secret that could be read out of it. */
export interface Launch {
  args: string[]
  files: { path: string; content: string }[]
}

/** Where a server listens. */
export interface Address {
  host: string
  port: number
}

export interface ImageVersion {
  /** Variables that an image may declare, the surest first. */
  variables: readonly string[]
  /** Where it declares none of them: what prints the version in it, and where in the text that is. */
  argv: readonly string[]
  printed: RegExp
}

export interface Kind<S extends z.ZodObject = z.ZodObject> {
  /** The group of its operations, and its name in `databaseType`. */
  name: string
  label: string
  /** The wire's name for the id of such a service. */
  idField: string
  defaultImage: string
  port: number
  /** An empty appName is taken, and made from the name; the contract has it for PostgreSQL alone. */
  mayNameItself: boolean
  /** The fields of `create` beyond those that every database has: limits, and what the product itself refuses. */
  settings: S
  /** Those of `settings` that are sealed in the store and masked in answers. */
  secrets: readonly (keyof z.output<S> & string)[]
  /** Environment variables that a caller may not set, each with what to use instead. */
  reserved: Record<string, string>
  /**
   * The version that an image's tag names, if it names one: numbers with dots, as many as tell whose files open
   * (`15`, `8.4`); fewer where the tag says no more.
   */
  versionOf(tag: string | null): string | null
  /** What tells the version of the server in an image, whatever its tag: in these parts once `versionOf` has cut it. */
  imageVersion: ImageVersion
  /** Whether a server of version `wanted` starts on the files that one of version `held` wrote. */
  opens(held: string, wanted: string): boolean
  /** Where the volume is mounted; `version` null: a path at which every version's data lies in the volume. */
  dataPath(version: string | null): string
  env(settings: z.output<S>): Record<string, string>
  /** `words`: those of the caller's command, the entry point's arguments by themselves. Without: those and no files. */
  launch?(settings: z.output<S>, words: string[], memoryLimitMiB: number | null): Launch
  /** A URL that a driver takes as it stands. */
  url(settings: z.output<S>, address: Address): string
  /** A check inside the container that needs no credentials: exit status 0 is healthy. A fixed text, never built. */
  health: string[]
  /** Logs in over the address with all that the settings hold, and prints the version, in the parts of `versionOf`. */
  ready(settings: z.output<S>, address: Address): Exec
  /** Run with the old credentials: gives the live server the new ones and makes what is missing. Safe to repeat. */
  rotate(from: z.output<S>, to: z.output<S>, address: Address): Exec
  /** Without: the product's data is not backed up. */
  backup?: Backup<z.output<S>>
  /** The contract's name of the operation that dumps one at once. */
  manualBackup?: string
}

/** Checks a kind against its own settings, then forgets their type so that all kinds fit one list. */
export const kind = <S extends z.ZodObject>(it: Kind<S>): Kind => it as unknown as Kind
