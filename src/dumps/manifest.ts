/** What lies beside each dump in the bucket: what it is, and what it holds. Enough to restore it without any record. */
import { z } from 'zod'
import type { ArchiveContents } from '../kinds/backup.ts'
import { readWhole } from '../lib/net/read-whole.ts'
import type { Bucket } from '../lib/s3/s3.ts'

export interface Manifest {
  format: 1
  kind: string
  /** Of the service that it was made of, and what it ran. */
  appName: string
  image: string
  serverVersion: string | null
  /** The kind's own fields that are no secrets. */
  settings: Record<string, string>
  database: string
  runId: string
  startedAt: string
  finishedAt: string
  /** Of the object. */
  sizeBytes: number
  sha256: string
  /** Of the dump before it was compressed. */
  rawBytes: number
  encryptedFor: string | null
  contents: ArchiveContents
}

/** In all tables and collections. */
export const rowsIn = ({ tables }: ArchiveContents): number =>
  Object.values(tables).reduce((sum, table) => sum + table.rows, 0)

const Counts = z.record(z.string(), z.object({ rows: z.number(), checksum: z.string() }))

const Manifest = z.object({
  format: z.literal(1),
  kind: z.string(),
  appName: z.string(),
  image: z.string(),
  serverVersion: z.string().nullable(),
  settings: z.record(z.string(), z.string()),
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
  }),
})

/** Null where the text is no manifest: it lies in a bucket that others may write to. */
export function readManifest(text: string): Manifest | null {
  try {
    const parsed = Manifest.safeParse(JSON.parse(text))
    return parsed.success ? parsed.data : null
  } catch {
    return null
  }
}

/** Of one in a bucket: some hundred thousand tables. */
export const maxManifestBytes = 16 * 1024 ** 2

/** The text beside the dump at `key`, manifest or not. Throws TooLarge, or what the bucket does. */
export async function manifestTextAt(bucket: Pick<Bucket, 'get'>, key: string, signal: AbortSignal): Promise<string> {
  const at = manifestKeyOf(key)
  return (await readWhole(bucket.get(at, signal), maxManifestBytes, `The manifest ${at}`)).toString()
}

export const manifestKeyOf = (key: string): string => `${key}.json`

interface Named {
  prefix: string
  appName: string
  database: string
  runId: string
  extension: string
  at: Date
}

/** `<prefix>/<appName>/<database>/<UTC time>-<runId>.<ext>`: sorts by time. */
export function keyOf({ prefix, appName, database, runId, extension, at }: Named): string {
  const time = at.toISOString().replace(/[-:]/g, '').replace(/\.\d+/, '')
  return `${foldersOf([...prefix.split('/'), appName, database])}${time}-${runId}.${extension}`
}

/** Where the keys with this prefix lie: empty, or with a slash at its end. */
export const folderOf = (prefix: string): string => foldersOf(prefix.split('/'))

const foldersOf = (names: string[]): string =>
  names
    .map(partOf)
    .filter((part) => part !== '')
    .map((part) => `${part}/`)
    .join('')

/** Of a key that `keyOf` made; null: of another. */
export const runIdIn = (key: string): string | null =>
  /\/\d{8}T\d{6}Z-([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.[^/]+$/.exec(key)?.[1] ?? null

/** As a part of a key that every store and program takes: all else is percent-encoded. */
const partOf = (text: string) =>
  encodeURIComponent(text.trim().toWellFormed()).replace(/[!'()*]/g, (it) => `%${it.charCodeAt(0).toString(16)}`)
