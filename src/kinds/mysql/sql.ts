/** Reads SQL files of MySQL and MariaDB, and expands two functions that the servers do not have. */
import { textFile } from '../../lib/text-file.ts'

/** The argument of a function. It contains parentheses only as nested calls, at most two levels deep. */
const argument = String.raw`((?:[^()]|\((?:[^()]|\([^()]*\))*\))*)`
const asBytes = new RegExp(String.raw`\bAS_BYTES\(${argument}\)`, 'g')
const asName = new RegExp(String.raw`\bAS_NAME\(${argument}\)`, 'g')

/**
 * Returns the text of a file in which
 * `AS_BYTES(text)` stands for the bytes of a text, because comparisons of the server depend on collations, and
 * `AS_NAME(text)` for a text as a name between backquotes.
 */
export function sqlFile(path: string): string {
  return textFile(path)
    .replace(asBytes, 'cast(convert($1 using utf8mb4) as binary)')
    .replace(asName, "concat('`', replace(convert($1 using utf8mb4) collate utf8mb4_bin, '`', '``'), '`')")
}
