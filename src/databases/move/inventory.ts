/** The inventory of the servers of a copy: what dumps do not contain, such as accounts. Lists, copies and compares it. */
import { createHash } from 'node:crypto'
import { feedTool, toolOutput } from '../../dumps/archive.ts'
import { readWhole } from '../../lib/net/read-whole.ts'
import type { Server } from '../tool-server.ts'
import { type CopyContext, toolOf } from './copy-context.ts'
import { CopyFailure, maxDetailLength } from './copy-failure.ts'

/** The maximum size of a server's inventory. The inventory has a line for each account and each database. */
const maxListedBytes = 64 * 1024 ** 2
/** The maximum number of items that an error names. */
export const maxItems = 10

/** The lines of the inventory, sorted. */
export async function inventoryOf(context: CopyContext, server: Server): Promise<string[]> {
  const { kind, settings, own, host } = server
  const program = context.serverInventory.list({ settings, own }, { host, port: kind.port })
  const output = toolOutput(context.runtime, toolOf(context, 'list', server, program), context.signal)
  const text = await readWhole(output, maxListedBytes, `The inventory of ${host}`)
  return text
    .toString()
    .split('\n')
    .filter((line) => line !== '')
    .sort()
}

/**
 * Copies the content that dumps do not contain, such as the roles that the dumps refer to. Does nothing if the kind of
 * the database has no program for this.
 */
export async function copyEntries(context: CopyContext, source: Server, target: Server): Promise<void> {
  const {
    runtime,
    serverInventory: { exportEntries, importEntries },
    signal,
  } = context
  if (exportEntries === undefined || importEntries === undefined) return
  const port = source.kind.port
  const exportTool = toolOf(context, 'give', source, exportEntries(source, { host: source.host, port }))
  const importTool = toolOf(context, 'take', target, importEntries(target, { host: target.host, port }))
  await feedTool(runtime, importTool, toolOutput(runtime, exportTool, signal), signal)
}

/** A checksum of an inventory, with which a later one can be compared. It reveals none of the secrets in the lines. */
export const inventorySumOf = (lines: readonly string[]): string =>
  createHash('sha256').update(lines.join('\n')).digest('hex')

/** Throws CopyFailure if the target lacks entries that no dump has, or has other ones. */
export function checkUndumped({ serverInventory: { dumped } }: CopyContext, source: string[], target: string[]): void {
  const isUndumped = (line: string) => !dumped.includes(line.split('\t', 1)[0]!)
  checkEqual(source.filter(isUndumped), target.filter(isUndumped))
}

/** Throws CopyFailure if two inventories differ. */
export function checkEqual(expected: string[], actual: string[]): void {
  const [expectedLines, actualLines] = [new Set(expected), new Set(actual)]
  refuseDifferences([...expectedLines.difference(actualLines), ...actualLines.difference(expectedLines)])
}

/**
 * Throws CopyFailure if the target lacks an entry, except those of the database that a restore replaces. The target can
 * have more entries: the dump adds accounts and privileges.
 */
export function checkKept({ dump, serverInventory }: CopyContext, expected: string[], actual: string[]): void {
  const missing = new Set(expected).difference(new Set(actual))
  const isReplaced = (line: string) =>
    serverInventory.dumped.includes(line.split('\t', 1)[0]!) && serverInventory.concerns!(line, dump!.database)
  refuseDifferences([...missing].filter((line) => !isReplaced(line)))
}

/** The failure contains only the type and name of each item, because the rest of a line may be a password hash. */
function refuseDifferences(changed: string[]): void {
  const items = [...new Set(changed.map((line) => line.split('\t', 2).join(' ')))].sort()
  if (items.length === 0) return
  const listed = items.slice(0, maxItems).map((item) => item.slice(0, maxDetailLength))
  throw new CopyFailure({ reason: 'ContentNotCopied', items: listed, more: items.length - listed.length })
}
