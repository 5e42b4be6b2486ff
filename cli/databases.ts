/** Finds databases by the names that people use. */
import { BerthError, type Client, type Operations } from '../client/client.ts'
import { CommandError } from './exit.ts'

export type DatabaseSummary = Awaited<ReturnType<Operations['database']['all']>>[number]
export type Kind = DatabaseSummary['databaseType']

export const pathOf = ({ projectName, name }: DatabaseSummary) => `${projectName}/${name}`

/**
 * Finds a database by its id, appName, project/name or name, or by the beginning of one of the last three.
 * @throws CommandError if there is none or if there are several
 */
export async function findDatabase(client: Client, name: string): Promise<DatabaseSummary> {
  const databases = await client.database.all({})
  const namesOf = (each: DatabaseSummary) => [each.databaseId, each.appName, pathOf(each), each.name]
  const exact = databases.filter((each) => namesOf(each).includes(name))
  const matching =
    exact.length > 0
      ? exact
      : databases.filter((each) =>
          namesOf(each)
            .slice(1)
            .some((it) => it.startsWith(name)),
        )
  if (matching.length === 1) return matching[0]!
  if (matching.length > 1) {
    const names = matching.map((each) => `${pathOf(each)} (${each.appName})`).join(', ')
    throw new CommandError('usage', `'${name}' can be one of ${matching.length} databases: ${names}`)
  }
  throw await unknown(client, name)
}

/** The server suggests names that are near. */
async function unknown(client: Client, name: string): Promise<Error> {
  const error = await client.database.find({ name }).then(
    () => null,
    (refused: unknown) => refused,
  )
  if (error instanceof BerthError && error.code !== 'NOT_FOUND') return error
  const message = error instanceof BerthError ? error.message : `There is no database with the name ${name}`
  return new CommandError('notFound', message, 'berth ls lists all databases')
}

/** The name of the field that holds the id of a database of this kind, for example postgresId. */
export const idInput = ({ databaseType, databaseId }: DatabaseSummary) => ({ [`${databaseType}Id`]: databaseId })
