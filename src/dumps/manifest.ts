/**
 * The manifest beside each dump in the bucket, and the keys of both. With its manifest, a dump can be restored without
 * Berth's records.
 */
import { z } from 'zod'
import type { ArchiveContents } from '../kinds/backup.ts'
import { readJson } from '../lib/json.ts'
import { readWhole } from '../lib/net/read-whole.ts'
import type { Storage } from '../lib/storage/storage.ts'
import { ServerProfile } from './server-profile.ts'

export interface Manifest {
  format: 1
  kind: string
  /** Name and image of the dumped service. */
  appName: string
  image: string
  serverVersion: string | null
  /** The settings of the kind, without secrets. */
  settings: Record<string, string>
  /** How the server was started. Null in manifests of older versions of Berth. */
  server: ServerProfile | null
  database: string
  runId: string
  startedAt: string
  finishedAt: string
  /** Size and SHA-256 of the object, compressed and perhaps encrypted. */
  sizeBytes: number
  sha256: string
  /** Size of the dump before compression. */
  rawBytes: number
  /** The age recipient; null: the object is not encrypted. */
  encryptedFor: string | null
  contents: ArchiveContents
}

/** The number of rows in all tables and collections. */
export const rowsIn = ({ tables }: ArchiveContents): number =>
  Object.values(tables).reduce((sum, table) => sum + table.rows, 0)

const Counts = z.record(z.string(), z.object({ rows: z.number(), checksum: z.string() }))

const NamedObject = z.object({ type: z.string(), name: z.string() })

const Finding = z.discriminatedUnion('reason', [
  NamedObject.extend({ reason: z.literal('ViewBroken'), code: z.string(), detail: z.string() }),
  NamedObject.extend({ reason: z.literal('DefinerMissing'), definer: z.string() }),
  NamedObject.extend({ reason: z.literal('DatabaseNeeded'), database: z.string() }),
  NamedObject.extend({ reason: z.literal('IndexInvalid'), definition: z.string() }),
  NamedObject.extend({ reason: z.literal('ServerNeeded'), server: z.string() }),
  NamedObject.extend({ reason: z.literal('RowsElsewhere'), server: z.string() }),
])

const Manifest = z.object({
  format: z.literal(1),
  kind: z.string(),
  appName: z.string(),
  image: z.string(),
  serverVersion: z.string().nullable(),
  settings: z.record(z.string(), z.string()),
  server: ServerProfile.nullable().default(null),
  database: z.string(),
  runId: z.string(),
  startedAt: z.string(),
  finishedAt: z.string(),
  sizeBytes: z.number(),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  rawBytes: z.number(),
  encryptedFor: z.string().nullable(),
  contents: z.object({
    tables: Counts,
    objects: Counts,
    roles: z.array(z.string()).nullable(),
    database: z.string().nullable(),
    boundBy: z.array(NamedObject).exactOptional(),
    findings: z.array(Finding).exactOptional(),
    server: z.object({ product: z.string(), version: z.string() }).optional(),
  }),
})

/** Parses a manifest, which is untrusted: others may write to the bucket. Returns null if it is not valid. */
export const readManifest = (text: string): Manifest | null => readJson(Manifest, text)

/** Parses a manifest that Berth has stored, perhaps an older version of it. */
export const storedManifest = (text: string): Manifest => ({
  server: null,
  ...(JSON.parse(text) as Omit<Manifest, 'server'>),
})

/** Maximum size of a manifest; enough for some hundred thousand tables. */
export const maxManifestBytes = 16 * 1024 ** 2

/** Reads the text of the manifest of the dump at `key`. Throws TooLarge, or the error of the bucket. */
export async function manifestTextAt(storage: Pick<Storage, 'get'>, key: string, signal: AbortSignal): Promise<string> {
  const at = manifestKeyOf(key)
  return (await readWhole(storage.get(at, signal), maxManifestBytes, `The manifest ${at}`)).toString()
}

export const manifestKeyOf = (key: string): string => `${key}.json`

interface KeyParts {
  prefix: string
  appName: string
  database: string
  runId: string
  extension: string
  at: Date
}

/** The key of a dump: `<prefix>/<appName>/<database>/<UTC time>-<runId>.<ext>`. Keys of one database sort by time. */
export function keyOf({ prefix, appName, database, runId, extension, at }: KeyParts): string {
  const time = at.toISOString().replace(/[-:]/g, '').replace(/\.\d+/, '')
  return `${foldersOf([...prefix.split('/'), appName, database])}${time}-${runId}.${extension}`
}

/** The folder of all keys with this prefix: '', or a path that ends in a slash. */
export const folderOf = (prefix: string): string => foldersOf(prefix.split('/'))

const foldersOf = (names: string[]): string =>
  names
    .map(partOf)
    .filter((part) => part !== '')
    .map((part) => `${part}/`)
    .join('')

/** The run id in a key that `keyOf` returned; null for another key. */
export const runIdIn = (key: string): string | null =>
  /\/\d{8}T\d{6}Z-([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.[^/]+$/.exec(key)?.[1] ?? null

/**
 * Trims a part of a key, and percent-encodes all characters but ASCII letters, digits and `-_.~`, because some storages
 * or programs do not accept them.
 */
const partOf = (text: string) =>
  encodeURIComponent(text.trim().toWellFormed()).replace(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16)}`)
