/**
 * Finds in the last lines of pg_dump and pg_restore why they failed, for the faults that have a remedy. The tools print no
 * codes. So this only explains a failure, and decides nothing. Pure.
 */
import type { ToolFault } from '../backup.ts'

const missingName = /ERROR: +((?:function|relation|type|operator|collation|text search \w+) .+?) does not exist/
/** The function whose body has the name. The first line is the innermost call. */
const calledFunction = /CONTEXT: +(?:PL\/pgSQL function (.+?\)) line|SQL function "(.+?)" (?:statement|during))/
const copied = /COPY failed for table "(.+?)":/
const command = /^Command was: (.+?);?$/m
const createdIndex = /^CREATE (?:UNIQUE )?INDEX (\S+) ON (?:ONLY )?(\S+)/
const refreshedView = /^REFRESH MATERIALIZED VIEW (\S+?);?$/
/** A line of restore.sh. */
const column = /^Berth: column (\S+) calls (.+)$/gm

const outOfLocks = /ERROR: +out of shared memory[\s\S]*max_locks_per_transaction/
const denied = /ERROR: +permission denied for (.+)/
const hiddenRows = /ERROR: +query would be affected by row-level security policy for table "(.+?)"/

/** @param role the role that the tool logs in with */
export function postgresToolFault(text: string, role: string): ToolFault | null {
  if (outOfLocks.test(text)) return { reason: 'LocksExhausted' }
  const [, object] = denied.exec(text) ?? []
  if (object !== undefined) return { reason: 'ReadRefused', object, role, right: 'pg_read_all_data' }
  const [, table] = hiddenRows.exec(text) ?? []
  if (table !== undefined) return { reason: 'ReadRefused', object: `table ${table}`, role, right: 'BYPASSRLS' }
  const [, missing] = missingName.exec(text) ?? []
  const [, procedural, routine = procedural] = calledFunction.exec(text) ?? []
  if (missing === undefined || routine === undefined) return null
  return { reason: 'NameNotFound', missing, routine, object: objectIn(text, routine) }
}

/** The object that needs the function, such as `column public.p.s`; null if the tool does not say. */
function objectIn(text: string, routine: string): string | null {
  const [, table] = copied.exec(text) ?? []
  if (table !== undefined) {
    const calls = [...text.matchAll(column)].filter(([, , called]) => called === routine)
    const own = calls.find(([, name]) => name!.split('.').at(-2) === table) ?? calls[0]
    return own === undefined ? `table ${table}` : `column ${own[1]}`
  }
  const [, statement = ''] = command.exec(text) ?? []
  const [, index, on] = createdIndex.exec(statement) ?? []
  if (index !== undefined) return `index ${index} of ${on}`
  const [, view] = refreshedView.exec(statement) ?? []
  return view === undefined ? null : `materialized view ${view}`
}
