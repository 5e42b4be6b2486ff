/**
 * Checks whether a file is an undamaged store. SQLite's check covers all pages and indexes. It does not detect a
 * changed byte in a text that is in no index. Sealed texts and the chain of the audit log detect that themselves.
 */
import { existsSync, statSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { setImmediate as turn } from 'node:timers/promises'

/** The store is damaged. Nothing was changed in it. */
export class StoreDamaged extends Error {
  constructor(path: string, fault: string, cause?: unknown) {
    // The first line of SQLite's message names the database.
    super(
      `The store ${path} is damaged (${fault.split('\n').at(-1)}). Nothing was changed in it. Put a backup of the ` +
        'state in its place: ./berth state restore FILE --replace, which keeps the damaged one beside it',
      { cause },
    )
  }
}

/**
 * Checks a store and changes nothing. Reads the whole file, which takes 0.5 s for 50 MB.
 * @throws StoreDamaged
 */
export function refuseDamaged(path: string): void {
  const fault = existsSync(path) ? faultIn(path) : faultOfOrphanedLog(path)
  if (fault !== null) throw fault
}

function faultOfOrphanedLog(path: string): StoreDamaged | null {
  const log = `${path}-wal`
  if (!existsSync(log) || statSync(log).size === 0) return null
  return new StoreDamaged(path, 'it is gone, and its log is there')
}

function faultIn(path: string): StoreDamaged | null {
  if (statSync(path).size === 0) return new StoreDamaged(path, 'it is empty')
  const file = new DatabaseSync(path, { readOnly: true, timeout: 5000 })
  try {
    const result = file.prepare('pragma integrity_check(1)').get() as { integrity_check: string }
    if (result.integrity_check !== 'ok') return new StoreDamaged(path, result.integrity_check)
    if (isCutOff(file, path)) return new StoreDamaged(path, 'its end is cut off')
    const isStore = file.prepare('select 1 from sqlite_schema where "name" = \'kysely_migration\'').get() !== undefined
    return isStore ? null : new StoreDamaged(path, 'it is a database of something else')
  } catch (error) {
    if (!isDamage(error)) throw error
    return new StoreDamaged(path, (error as Error).message, error)
  } finally {
    file.close()
  }
}

/** SQLite accepts half a page at the end. With a WAL, the file can be shorter than its number of pages. */
function isCutOff(file: DatabaseSync, path: string): boolean {
  if (existsSync(`${path}-wal`) && statSync(`${path}-wal`).size > 0) return false
  const { page_count: pages } = file.prepare('pragma page_count').get() as { page_count: number }
  const { page_size: pageBytes } = file.prepare('pragma page_size').get() as { page_size: number }
  return statSync(path).size !== pages * pageBytes
}

/** SQLITE_CORRUPT and SQLITE_NOTADB. */
const [corrupt, notADatabase] = [11, 26]

const isDamage = (error: unknown) => [corrupt, notADatabase].includes((error as { errcode?: number }).errcode! & 0xff)

/**
 * Checks all tables of an open store. Returns to the event loop after each table, which takes 2 ms per MB.
 * @throws StoreDamaged
 */
export async function checkTables(file: DatabaseSync, path: string): Promise<void> {
  const tables = file.prepare('select "name" from sqlite_schema where "type" = \'table\'').all() as { name: string }[]
  const check = file.prepare('select * from pragma_quick_check(?)')
  for (const { name } of tables) {
    const result = check.get(name) as { quick_check: string }
    if (result.quick_check !== 'ok') throw new StoreDamaged(path, result.quick_check)
    await turn()
  }
}
