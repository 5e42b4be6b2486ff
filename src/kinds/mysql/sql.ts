/** Reads SQL files of MySQL and MariaDB, and expands two functions that the servers do not have. */
import { textFile } from '../../lib/text-file.ts'

/** The argument of a function call. It can contain other calls, at most two levels deep. */
const argument = String.raw`((?:[^()]|\((?:[^()]|\([^()]*\))*\))*)`
const asBytes = new RegExp(String.raw`\bAS_BYTES\(${argument}\)`, 'g')
const asName = new RegExp(String.raw`\bAS_NAME\(${argument}\)`, 'g')

/**
 * Returns the text of an SQL file with both functions expanded. `AS_BYTES(text)` returns the bytes of a text, because
 * comparisons of text depend on collations. `AS_NAME(text)` returns the text as a name between backquotes. `values` are
 * those of `textFile`.
 */
export function sqlFile(path: string, values: Record<string, string> = {}): string {
  return textFile(path, values)
    .replace(asBytes, 'cast(convert($1 using utf8mb4) as binary)')
    .replace(asName, "concat('`', replace(convert($1 using utf8mb4) collate utf8mb4_bin, '`', '``'), '`')")
}
