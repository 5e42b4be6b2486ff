/** The descriptions of collections in MongoDB's archives, in a form that is equal for equal collections. Pure. */
import { BrokenArchive, short } from '../backup.ts'

/** More than the indexes and the validator of a collection need. Each value needs some hundred bytes. */
const maxValues = 50_000
/** MongoDB allows a depth of 100 in documents; the description of one adds a few levels, and types of its own. */
const maxDepth = 500

/**
 * Returns the type of a collection and a canonical text of its description. The text omits the collection's id, which
 * changes with each restore, and the version of the format of each index, which mongorestore replaces by its own. Indexes
 * and their options are sorted, because mongorestore does not keep their order. The fields of an index are not sorted.
 * @throws BrokenArchive
 */
export function canonicalDescription(name: string, metadata: string): { type: string; text: string } {
  const { values, depth } = sizeOf(metadata)
  if (values > maxValues || depth > maxDepth) {
    const max = `Berth reads at most ${maxValues} values and ${maxDepth} levels`
    throw new BrokenArchive(`The description of the collection ${short(name)} is too large: ${max}`)
  }
  try {
    return canonical(name, JSON.parse(metadata))
  } catch (error) {
    throw new BrokenArchive(`The archive has an invalid description of the collection ${short(name)}`, { cause: error })
  }
}

interface Description {
  options?: { viewOn?: string }
  indexes?: { name: string; key: object; v?: unknown }[]
  uuid?: string
  type?: string
}

function canonical(name: string, value: Description): { type: string; text: string } {
  const { uuid: _, indexes = [], ...rest } = value
  const sorted = indexes
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .map(({ key, v: _version, ...options }) => [Object.entries(key), sortKeys(options)])
  return {
    type: value.options?.viewOn === undefined ? 'COLLECTION' : 'VIEW',
    text: JSON.stringify([name, rest, sorted]),
  }
}

/** How many values and levels a JSON text has. Counts before the text is parsed, because values need more memory. */
function sizeOf(json: string): { values: number; depth: number } {
  let [values, depth, level, isString] = [1, 0, 0, false]
  for (let at = 0; at < json.length; at++) {
    const character = json[at]
    if (isString && character === '\\') at++
    else if (character === '"') isString = !isString
    else if (isString) continue
    else if (character === '[' || character === '{') {
      values++
      depth = Math.max(depth, ++level)
    } else if (character === ',') values++
    else if (character === ']' || character === '}') level--
  }
  return { values, depth }
}

/** Replaces each object by a list of its fields, sorted by name. */
function sortKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortKeys)
  if (typeof value !== 'object' || value === null) return value
  return Object.entries(value)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, it]) => [name, sortKeys(it)])
}
