/** Which databases a list shows, and in which order. All functions are pure. */
import type { Database } from '../../../client/client.ts'
import { type DatabaseState, databaseState, databaseStates } from '../database-state.ts'

/** Empty: not limited. */
export interface DatabaseFilter {
  /** Words that all have to occur in the names, image or node. */
  search: string
  kind: string
  /** A state of `stateChoices`. */
  state: string
  node: string
  /** The id of a project. */
  project: string
}

/** The states that a person can choose, by the value in the URL. */
export const stateChoices = {
  down: 'down',
  restarting: 'restarting',
  working: 'working',
  up: 'up',
  stopped: 'stopped',
  changed: 'with changes to deploy',
} as const

export const wordsOf = (text: string): string[] => text.toLowerCase().split(/\s+/).filter(Boolean)

/** The texts that a search looks into. Events replace the record of a row, so the text belongs to a record. */
const searched = new WeakMap<Database, string>()

export function searchedText(database: Database): string {
  const known = searched.get(database)
  if (known !== undefined) return known
  const { projectName, name, appName, dockerImage, databaseType, node } = database
  const text = `${projectName}/${name} ${appName} ${dockerImage} ${databaseType} ${node ?? ''}`.toLowerCase()
  searched.set(database, text)
  return text
}

/** @param words of the filter's search, see `wordsOf` */
export function isShown(database: Database, filter: DatabaseFilter, words: readonly string[]): boolean {
  if (filter.kind !== '' && database.databaseType !== filter.kind) return false
  if (filter.node !== '' && database.node !== filter.node) return false
  if (filter.project !== '' && database.projectId !== filter.project) return false
  if (filter.state !== '' && !hasState(database, filter.state)) return false
  const text = searchedText(database)
  return words.every((word) => text.includes(word))
}

const hasState = (database: Database, state: string) =>
  state === 'changed' ? database.pendingChanges : databaseState(database) === state

/** The orders that a person can choose. The list is ordered by project and name before. */
export const orders = {
  '': 'project and name',
  state: 'state, down first',
  kind: 'kind',
  node: 'node',
  newest: 'newest first',
} as const

const sortTexts: Record<string, (database: Database) => string> = {
  state: (database) => String(databaseStates.indexOf(databaseState(database))),
  kind: ({ databaseType }) => databaseType,
  node: ({ node }) => node ?? '\uffff',
  newest: ({ createdAt }) => createdAt,
}

/** Compares two databases; null: the order of the list stays. */
export function comparison(order: string): ((a: Database, b: Database) => number) | null {
  const textOf = sortTexts[order]
  if (textOf === undefined) return null
  const sign = order === 'newest' ? -1 : 1
  return (a, b) => {
    const [first, second] = [textOf(a), textOf(b)]
    return first === second ? 0 : first < second ? -sign : sign
  }
}

/** How many databases have each state, the worst first. States without databases are left out. */
export function stateCounts(databases: readonly Database[]): { state: DatabaseState; count: number }[] {
  const counted = databaseStates.map((state) => ({
    state,
    count: databases.filter((database) => databaseState(database) === state).length,
  }))
  return counted.filter(({ count }) => count > 0)
}
