/**
 * What a person should know about a good dump: what could not be dumped, what does not work in the dumped database, and
 * what a restore needs besides the dump. A closed union with parameters, as stored. dumps/finding-message.ts renders
 * sentences.
 */

/** An object of a database. `type` is as in the archive: VIEW, TRIGGER, PACKAGE BODY. */
export interface NamedObject {
  type: string
  name: string
}

export type DumpFinding = NamedObject &
  /** The server refuses to read the view. The dump has its definition as a comment. `code`, `detail`: the server's error. */
  (
    | { reason: 'ViewBroken'; code: string; detail: string }
    /** The object is in the dump, but the server refuses to use it, because the account `definer` does not exist. */
    | { reason: 'DefinerMissing'; definer: string }
    /** The object is in the dump, and needs another database of the server, which is not in the dump. */
    | { reason: 'DatabaseNeeded'; database: string }
    /** The index is not in the dump, because its construction has failed. */
    | { reason: 'IndexInvalid'; definition: string }
    /** A restore fills the object from a foreign server, which has to be reachable. */
    | { reason: 'ServerNeeded'; server: string }
    /** The rows of the foreign table are on the foreign server, and not in the dump. */
    | { reason: 'RowsElsewhere'; server: string }
  )

const line = /^Berth: (\w+) (\w+)((?: (?:[0-9a-f]{2})*)+)$/i

/**
 * Reads a line that a dump program has written: a reason, the type of the object with underscores for spaces, and its name
 * and parameters in hexadecimal digits. Null for any other line.
 */
export function findingIn(text: string): DumpFinding | null {
  const [, reason, words, digits] = line.exec(text) ?? []
  if (reason === undefined) return null
  const [name = '', ...parameters] = digits!
    .slice(1)
    .split(' ')
    .map((field) => Buffer.from(field, 'hex').toString())
  return parameters.length === 0 ? null : findingOf(reason, { type: words!.replaceAll('_', ' '), name }, parameters)
}

function findingOf(reason: string, object: NamedObject, [first = '', second = '']: string[]): DumpFinding | null {
  switch (reason) {
    case 'ViewBroken':
      return { reason, ...object, code: first, detail: second }
    case 'DefinerMissing':
      return { reason, ...object, definer: first }
    case 'DatabaseNeeded':
      return { reason, ...object, database: first }
    case 'IndexInvalid':
      return { reason, ...object, definition: first }
    case 'ServerNeeded':
    case 'RowsElsewhere':
      return { reason, ...object, server: first }
    default:
      return null
  }
}

/** The findings in the lines of a text. */
export const findingsIn = (text: string): DumpFinding[] =>
  text
    .split('\n')
    .map(findingIn)
    .filter((finding) => finding !== null)

const leftOutReasons: readonly DumpFinding['reason'][] = ['ViewBroken', 'IndexInvalid']
const faultReasons: readonly DumpFinding['reason'][] = [...leftOutReasons, 'DefinerMissing']

/** Whether the object of the finding is not in the dump, except its definition. */
export const isLeftOut = ({ reason }: DumpFinding): boolean => leftOutReasons.includes(reason)

/** Whether the database has a fault that somebody should correct. */
export const isFault = ({ reason }: DumpFinding): boolean => faultReasons.includes(reason)

/** Whether a restore cannot create the object unless what it needs exists. */
export const isCreatedOnlyIfWhole = ({ type }: NamedObject): boolean => type === 'VIEW'
