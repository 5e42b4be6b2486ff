/**
 * Finds the objects of a dump whose text names the dumped database. Under another name of the database they would read
 * and change the database of the old name. Pure.
 */
import type { NamedObject } from '../dump-finding.ts'
import type { ReadingCosts } from '../reading-costs.ts'

/** The types of objects whose text can name a database. The texts of tables name no other table of their database. */
export const boundTypes: readonly string[] = [
  'VIEW',
  'TRIGGER',
  'PROCEDURE',
  'FUNCTION',
  'EVENT',
  'PACKAGE',
  'PACKAGE BODY',
]

/** How many objects are named. One is enough to know that the name of the database cannot change. */
const maxNamed = 20
/** How many characters of a statement are searched for its name. */
const maxHeadLength = 16 * 1024

const part = '`(?:[^`]|``){1,64}`|[^\\s`.(]{1,64}'
const nameAfter = (type: string) =>
  new RegExp(
    `\\b${type.replace(' ', '\\s{1,8}')}\\s{1,8}(?:IF\\s{1,8}NOT\\s{1,8}EXISTS\\s{1,8})?(?:(?:${part})\\.)?(${part})`,
    'i',
  )
const names = new Map(boundTypes.map((type) => [type, nameAfter(type)]))

const escaped = (text: string) => text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')

export class BoundObjects {
  #costs: ReadingCosts
  #naming: RegExp | null = null
  #objects: NamedObject[] = []
  database: string | null = null

  constructor(costs: ReadingCosts) {
    this.#costs = costs
  }

  /** Sets the name of the dumped database. Statements before this call are not examined. */
  open(database: string): void {
    this.database = database
    const quoted = escaped(`\`${database.replaceAll('`', '``')}\``)
    const plain = /^[\w$]+$/.test(database) ? `|(?<![\\w$.\`])${escaped(database)}` : ''
    this.#naming = new RegExp(`(?:${quoted}${plain})\\s*\\.`, 'i')
  }

  /** @param isComplete false if `text` is only the beginning of the statement; the rest may name the database */
  add(type: string, text: string, isComplete: boolean): void {
    if (this.#naming === null || this.#objects.length >= maxNamed || !boundTypes.includes(type)) return
    this.#costs.steps += 2 * text.length
    if (isComplete && !this.#naming.test(text)) return
    const [, name = ''] = names.get(type)!.exec(text.slice(0, maxHeadLength)) ?? []
    const unquoted = name.startsWith('`') ? name.slice(1, -1).replaceAll('``', '`') : name
    this.#objects.push({ type, name: this.#costs.keepName(unquoted) })
  }

  /** Null if the archive does not say how the database was called. */
  objects(): NamedObject[] | null {
    return this.#naming === null ? null : this.#objects
  }
}
