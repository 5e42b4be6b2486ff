/** Finds records by the names that people use. */
import { CommandError } from './exit.ts'

/**
 * Finds a record by one of its names, or by the beginning of one.
 * @param kind what the record is, for messages
 * @param namesOf the names of a record; the first one is shown
 * @throws CommandError if there is none or if there are several
 */
export function findNamed<T>(kind: string, name: string, records: readonly T[], namesOf: (record: T) => string[]): T {
  const exact = records.filter((each) => namesOf(each).includes(name))
  const matching = exact.length > 0 ? exact : records.filter((each) => namesOf(each).some((it) => it.startsWith(name)))
  if (matching.length === 1) return matching[0]!
  const list = (many: readonly T[]) => many.map((each) => namesOf(each)[0]).join(', ')
  if (matching.length > 1) throw new CommandError('usage', `'${name}' can be one of several: ${list(matching)}`)
  const known = records.length === 0 ? `There is no ${kind} at all` : `There are: ${list(records)}`
  throw new CommandError('notFound', `There is no ${kind} '${name}'. ${known}`)
}
