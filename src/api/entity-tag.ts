/**
 * Entity tags. The tag of a record changes with each edit of the record. It stays the same while only the state changes
 * that Berth observes, and it is the same for all callers. Source: RFC 9110, section 8.8.3. Pure.
 */
import type { Vault } from '../store/vault.ts'

/** Which fields of the answer of `<group>.one` are no part of the tag of its record. */
export interface TagRule<Field extends string = string> {
  /** Fields that Berth observes or derives. `a.b` is the field b of the object a. */
  observed: readonly (Field | `${Field}.${string}`)[]
  /** Fields that some callers receive masked. The handler passes their stored values to `addToTag`. */
  masked?: readonly string[]
  /** Lists of other records, which have tags of their own. */
  records?: readonly string[]
}

/** Part of a tag: 132 bits, so that two states of a record do not get the same tag by chance. */
const length = 22

/**
 * The tag of a record.
 *
 * The hash is keyed, because a record may contain secrets. An unkeyed hash would let an attacker test guesses.
 *
 * @param name the operation that answered the record
 * @param stored values that the answer masks
 */
export function entityTagOf(vault: Vault, name: string, rule: TagRule, answer: unknown, stored: unknown[]): string {
  const omitted = new Set<string>(omittedFields(rule))
  const text = JSON.stringify([without(answer as Fields, omitted, ''), stored])
  const hash = vault.fingerprint({ table: 'entityTag', column: name, row: '' }, text)
  return Buffer.from(hash, 'hex').toString('base64url').slice(0, length)
}

/** The paths of all fields that are no part of the tag. */
export const omittedFields = ({ observed, masked = [], records = [] }: TagRule): string[] => [
  ...observed,
  ...masked,
  ...records,
]

type Fields = Record<string, unknown>

/** @param prefix the path of these fields in the answer, with a dot at its end */
function without(fields: Fields, omitted: ReadonlySet<string>, prefix: string): Fields {
  const kept = Object.entries(fields).filter(([name]) => !omitted.has(prefix + name))
  return Object.fromEntries(
    kept.map(([name, value]) => [name, isObject(value) ? without(value, omitted, `${prefix}${name}.`) : value]),
  )
}

const isObject = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
