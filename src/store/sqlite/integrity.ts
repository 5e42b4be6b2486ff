/**
 * Whether a file is a whole store. SQLite's own check follows every page and index; a byte that changed within a text
 * that no index holds escapes it (sealed texts say so themselves, and the audit log's chain).
 */
import { existsSync, statSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { setImmediate as turn } from 'node:timers/promises'

/** The store cannot be read as it is: nothing was changed in it. */
export class StoreDamaged extends Error {
  constructor(path: string, fault: string, cause?: unknown) {
    // SQLite puts a line before it that names the database.
    super(
      `The store ${path} is damaged (${fault.split('\n').at(-1)}). Nothing was changed in it. Put a backup of the ` +
        'state in its place: ./berth state restore FILE --replace, which keeps the damaged one beside it',
      { cause },
    )
  }
}

/** Reads all of it, and changes nothing: half a second for 50 MB. Throws StoreDamaged. */
export function refuseDamaged(path: string): void {
  const fault = existsSync(path) ? faultIn(path) : faultOfLogAlone(path)
  if (fault !== null) throw fault
}

function faultOfLogAlone(path: string): StoreDamaged | null {
  const log = `${path}-wal`
  if (!existsSync(log) || statSync(log).size === 0) return null
  return new StoreDamaged(path, 'it is gone, and its log is there')
}

function faultIn(path: string): StoreDamaged | null {
  if (statSync(path).size === 0) return new StoreDamaged(path, 'it is empty')
  const file = new DatabaseSync(path, { readOnly: true, timeout: 5000 })
  try {
    const found = file.prepare('pragma integrity_check(1)').get() as { integrity_check: string }
    if (found.integrity_check !== 'ok') return new StoreDamaged(path, found.integrity_check)
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

/** SQLite takes half a page at the end for a whole one. With a log the file may be shorter than it is going to be. */
function isCutOff(file: DatabaseSync, path: string): boolean {
  if (existsSync(`${path}-wal`) && statSync(`${path}-wal`).size > 0) return false
  const { page_count: pages } = file.prepare('pragma page_count').get() as { page_count: number }
  const { page_size: pageBytes } = file.prepare('pragma page_size').get() as { page_size: number }
  return statSync(path).size !== pages * pageBytes
}

/** SQLite's numbers for: the image of the database is malformed; the file is not a database. */
const [corrupt, notADatabase] = [11, 26]

const isDamage = (error: unknown) => [corrupt, notADatabase].includes((error as { errcode?: number }).errcode! & 0xff)

/** Table by table, so that others have their turn in between: 2 ms for each MB of one. Throws StoreDamaged. */
export async function checkTables(file: DatabaseSync, path: string): Promise<void> {
  const tables = file.prepare('select "name" from sqlite_schema where "type" = \'table\'').all() as { name: string }[]
  const check = file.prepare('select * from pragma_quick_check(?)')
  for (const { name } of tables) {
    const found = check.get(name) as { quick_check: string }
    if (found.quick_check !== 'ok') throw new StoreDamaged(path, found.quick_check)
    await turn()
  }
}
