/** Finds databases by the names that people use. */
import type { Client, Operations, Redis } from '../client/client.ts'
import { CommandError } from './exit.ts'
import { nearest } from './nearest.ts'
import { shellWord } from '../shared/shell-word.ts'

export type DatabaseSummary = Awaited<ReturnType<Operations['database']['all']>>[number]
export type Kind = DatabaseSummary['databaseType']
export const kinds = ['postgres', 'mysql', 'mariadb', 'mongo', 'redis'] as const satisfies readonly Kind[]

/** The argument of all commands that work on one database. */
export const databaseArgument = ['<database>', 'project/name, name or appName, or the beginning of one'] as const

export const pathOf = ({ projectName, name }: DatabaseSummary) => `${projectName}/${name}`

/** The path as a word of a shell, for commands in hints. */
export const shellPathOf = (database: DatabaseSummary) => shellWord(pathOf(database))

/**
 * Finds a database by its id, appName, project/name or name, or by the beginning of one of the last three.
 * @throws CommandError if there is none or if there are several
 */
export async function findDatabase(client: Client, name: string): Promise<DatabaseSummary> {
  const databases = await client.database.all({})
  const namesOf = (each: DatabaseSummary) => [each.appName, pathOf(each), each.name]
  const exact = databases.filter((each) => each.databaseId === name || namesOf(each).includes(name))
  const beginning = () => databases.filter((each) => namesOf(each).some((it) => it.startsWith(name)))
  const matching = exact.length > 0 ? exact : beginning()
  if (matching.length === 1) return matching[0]!
  if (matching.length > 1) {
    const names = matching.map((each) => `${pathOf(each)} (${each.appName})`).join(', ')
    const message = `'${name}' can be one of ${matching.length} databases: ${names}`
    throw new CommandError('usage', message, `Use a name in parentheses, such as ${matching[0]!.appName}`)
  }
  const paths = new Map(databases.flatMap((each) => namesOf(each).map((it) => [it, pathOf(each)])))
  const near = new Set(nearest(name, [...paths.keys()]).map((it) => paths.get(it)))
  const hint = near.size === 0 ? 'berth ls lists all databases' : `Did you mean ${[...near].join(' or ')}?`
  throw new CommandError('notFound', `There is no database '${name}'. ${hint}`)
}

/**
 * Checks the name of a new or renamed database.
 * @param project the id and the name of its project
 * @throws CommandError if the name has a slash, or if the project has a database of this name
 */
export async function checkNewName(
  client: Client,
  name: string,
  project: Pick<DatabaseSummary, 'projectId' | 'projectName'>,
) {
  refuseSlash(name)
  const databases = await client.database.all({ projectId: project.projectId })
  const taken = databases.find((each) => each.name === name)
  if (taken === undefined) return
  const message = `${project.projectName} already has a database ${name} (${taken.databaseType})`
  throw new CommandError('usage', message, `Change it: berth set ${shellPathOf(taken)}`)
}

/** @throws CommandError if the name of a new project or database has a slash */
export function refuseSlash(name: string): void {
  if (!name.includes('/')) return
  throw new CommandError('usage', `'${name}' must not contain a /: databases are written as project/name`)
}

/** The name of the field that holds the id of a database of this kind, for example postgresId. */
export const idInput = ({ databaseType, databaseId }: DatabaseSummary) => ({ [`${databaseType}Id`]: databaseId })

/** The fields that the records of all kinds have. */
export type DatabaseRecord = Omit<Redis, 'redisId'> & {
  databaseName?: string
  databaseRootPassword?: string
  replicaSet?: string | null
}

/** Reads all fields of a database. */
export const readDatabase = async (client: Client, database: DatabaseSummary) =>
  (await client.call(`${database.databaseType}.one`, idInput(database))) as DatabaseRecord
