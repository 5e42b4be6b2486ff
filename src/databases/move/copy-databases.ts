/**
 * Copies databases from the source server to the target server, loads the dump of a restore into the target server, and
 * compares what is there afterwards. Each dump is piped into its restore without intermediate storage.
 */
import { contentsOf, feedTool, readWhilePassing, toolOutput } from '../../dumps/archive.ts'
import { needsOf } from '../../dumps/finding-summary.ts'
import type { Bytes } from '../../dumps/streams.ts'
import { type ArchiveContents, databasesIn, differences, type Target } from '../../kinds/backup.ts'
import { isLeftOut, type NamedObject } from '../../kinds/dump-finding.ts'
import type { Server } from '../tool-server.ts'
import { type CopyContext, toolOf } from './copy-context.ts'
import { CopyFailure } from './copy-failure.ts'
import { maxItems } from './inventory.ts'
import type { RestoredDump } from './restored-dump.ts'

/**
 * Copies all databases in the lines of the inventory except the one that a restore replaces. Databases whose objects need
 * other ones are loaded without these objects first, and once more when all databases are there.
 *
 * @param loadReplaced loads the dump of the restore; null: nothing is to be loaded
 */
export async function copyDatabases(
  context: CopyContext,
  source: Server,
  target: Server,
  lines: string[],
  loadReplaced: (() => Promise<void>) | null,
): Promise<void> {
  const others = databasesIn(lines).filter((name) => name !== context.dump?.database)
  const needing: string[] = []
  for (const database of others) {
    const contents = await copyDatabase(context, source, target, database, true)
    if (needsOf(contents).length > 0) needing.push(database)
    else await compare(context, target, database, () => contents)
  }
  await loadReplaced?.()
  for (const database of needing) {
    const contents = await copyDatabase(context, source, target, database, false)
    await compare(context, target, database, () => contents)
  }
}

/**
 * Whether the dump of a restore can be loaded before the other databases are there. A server that ignores case in names
 * may take another name for that of the replaced database, and would then lose the dump.
 */
export function canLoadFirst({ database, needsOthers }: RestoredDump, lines: string[]): boolean {
  const isAlike = (name: string) => name !== database && name.toLowerCase() === database.toLowerCase()
  return !needsOthers && !databasesIn(lines).some(isAlike)
}

/**
 * Loads the dump of a restore, and compares the tables of the database with those of the dump. Other objects can differ: the
 * database keeps the privileges of its accounts, and a server of another version prints other definitions and values.
 */
export async function loadDump(context: CopyContext, dump: RestoredDump, target: Server): Promise<void> {
  const { database, options, contents, serverVersion } = dump
  await feed(context, target, { database, ...options }, dump.read())
  await compare(context, target, database, (actual) => {
    const isSameVersion = serverVersion === target.version
    const tables = Object.entries(contents.tables).map(([name, { rows, checksum }]) => {
      const other = Object.hasOwn(actual.tables, name) ? actual.tables[name] : undefined
      return [name, { rows, checksum: isSameVersion ? checksum : (other?.checksum ?? checksum) }]
    })
    return { ...actual, tables: Object.fromEntries(tables) as ArchiveContents['tables'] }
  })
}

/** Pipes the dump of one database into its restore. */
async function copyDatabase(
  context: CopyContext,
  source: Server,
  target: Server,
  database: string,
  withoutNeeds: boolean,
): Promise<ArchiveContents> {
  const { deploymentId } = context.moveContext.move
  const reading = readWhilePassing(context.runtime, source, deploymentId, context.signal)
  await feed(context, target, { database, withoutNeeds }, reading.through(dumpOf(context, source, database)))
  const contents = await reading.contents
  const leftOut = (contents.findings ?? []).filter(isLeftOut)
  if (leftOut.length > 0) throw new CopyFailure({ reason: 'CopyIncomplete', database, objects: namesOf(leftOut) })
  return contents
}

const namesOf = (findings: NamedObject[]) => findings.slice(0, maxItems).map(({ type, name }) => ({ type, name }))

function dumpOf(context: CopyContext, server: Server, database: string): Bytes {
  const { kind, host, version } = server
  const program = kind.backup!.dump(server, { host, port: kind.port, database }, version)
  return toolOutput(context.runtime, toolOf(context, 'dump', server, program), context.signal)
}

async function feed(
  context: CopyContext,
  server: Server,
  options: Omit<Target, 'host' | 'port'>,
  archive: Bytes,
): Promise<void> {
  const { kind, host, version } = server
  const place = { ...options, host, port: kind.port, isTemporary: true }
  const tool = toolOf(context, 'load', server, kind.backup!.restore(server, place, version))
  await feedTool(context.runtime, tool, archive, context.signal)
}

/** Throws CopyFailure if the database on the target differs from the expected contents. */
async function compare(
  context: CopyContext,
  target: Server,
  database: string,
  expected: (actual: ArchiveContents) => ArchiveContents,
): Promise<void> {
  const { runtime, moveContext, signal } = context
  const dump = dumpOf(context, target, database)
  const actual = await contentsOf(runtime, target, moveContext.move.deploymentId, dump, signal)
  const changed = differences(expected(actual), actual)
  if (changed.length > 0) throw new CopyFailure({ reason: 'CopyDiffers', database, differences: changed })
}
