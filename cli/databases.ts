/** Finds databases by the names that people use. */
import type { Client, Operations, Redis } from '../client/client.ts'
import { CommandError } from './exit.ts'
import { nearest } from './nearest.ts'
import { shellWord } from './shell-word.ts'

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
export type DatabaseRecord = Omit<Redis, 'redisId'> & { databaseName?: string; databaseRootPassword?: string }

/** Reads all fields of a database. */
export const readDatabase = async (client: Client, database: DatabaseSummary) =>
  (await client.call(`${database.databaseType}.one`, idInput(database))) as DatabaseRecord

/**
 * Whether the server refuses clients with the plain URL. Clients of these kinds never turn on TLS by themselves, and those
 * of the other kinds can.
 */
export const isPlainUrlRefused = ({ databaseType }: DatabaseSummary, { tls, connection }: DatabaseRecord): boolean =>
  tls === 'require' && connection.verifiedInternalUrl !== null && ['mongo', 'redis'].includes(databaseType)

/** The API answers this in place of a password that the token may not read. */
export const maskedPassword = '********'

/**
 * The refusal for a caller who may not read the password of a database.
 * @param subject what needs the password
 * @param refused what the token may not do, if the account may do it
 */
export async function passwordRefusal(
  client: Client,
  { projectId, projectName }: DatabaseSummary,
  { subject, refused }: { subject: string; refused: string },
): Promise<CommandError> {
  const { role } = await client.project.one({ projectId })
  if (role === 'viewer') {
    const command = `berth project set-role ${shellWord(projectName)} EMAIL --role developer`
    const message = `${subject} needs the role developer in the project ${projectName}, and yours is viewer`
    return new CommandError('denied', message, `An owner of the project can change it: ${command}`)
  }
  const hint = 'Use a token of the scope admin (berth token create NAME --scope admin), or sign in: berth login URL'
  return new CommandError('denied', `This token may not ${refused}`, hint)
}
