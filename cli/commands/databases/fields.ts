/** Options of berth create and berth set, and the fields of a database that they stand for. */
import { Option } from 'commander'
import type { Client } from '../../../client/client.ts'
import { envText, isWritable } from '../../../shared/env-text.ts'
import { mebibytesIn, variablesOf } from '../../units.ts'
import type { Kind } from '../../databases.ts'
import { CommandError } from '../../exit.ts'
import { findRegistry, given, optionalNumber } from '../../names.ts'
import type { WaitOptions } from '../../progress.ts'
import { askSecret } from '../../terminal/prompt.ts'
import type { CommonOptions, Session } from '../../connection/session.ts'
import { textFile } from '../../text-file.ts'

export interface FieldOptions extends CommonOptions, WaitOptions {
  image?: string
  registry?: string
  port?: string
  memory?: string
  cpu?: string
  startTimeout?: string
  description?: string
  command?: string
  label?: string
  envFile?: string
  env?: string[]
  user?: string
  databaseName?: string
  replicaSet?: string
  askPassword?: true
  askRootPassword?: true
  deploy: boolean
}

/** An option that may be repeated. */
export const repeatedOption = (flags: string, description: string): Option =>
  new Option(flags, description).argParser((value: string, former: string[] | undefined) => [...(former ?? []), value])

export const fieldOptions = [
  ['--image <image>', 'the image, for example postgres:17'],
  ['--registry <name>', 'the registry of the image (berth registry ls)'],
  ['--memory <size>', 'limit of the memory: 512 MiB, 2GiB, or a number of MiB'],
  ['--cpu <cores>', 'limit of the processor'],
  ['--start-timeout <minutes>', 'the longest start; without it Berth waits as long as the container lives'],
  ['--command <arguments>', 'arguments of the server, quoted as in a shell'],
  ['--env-file <file>', 'variables of the container, lines of NAME=value; - reads them from standard input'],
  repeatedOption('--env <NAME=value>', 'one variable of the container; may be repeated'),
  ['--user <name>', 'the user that Berth creates in the server'],
  ['--database-name <name>', 'the database that Berth creates in the server'],
  ['--replica-set <name>', 'the replica set of one that the server becomes (MongoDB), for transactions'],
  ['--ask-password', 'ask for the password of the user'],
  ['--ask-root-password', 'ask for the password of root (MySQL and MariaDB)'],
  ['--label <name=value>', 'a label of the node that gets the data, such as disk=ssd'],
  ['--description <text>', 'a text for people'],
] as const

export const secretsNote =
  'Other users of the machine can read the arguments of a program: put secrets of the container into --env-file. In ' +
  'scripts, BERTH_DATABASE_PASSWORD and BERTH_DATABASE_ROOT_PASSWORD answer --ask-password and --ask-root-password.'

/** The text, or null for `none`. */
const orNone = (text: string | undefined) => (text === 'none' ? null : text)

/** The limit in MiB. @throws CommandError if the text is no size */
function memoryOf(text: string | undefined): number | null | undefined {
  if (text === undefined) return undefined
  if (text === 'none') return null
  const size = mebibytesIn(/^[\d.]+$/.test(text) ? `${text} MiB` : text)
  if (size !== null && size > 0) return size
  throw new CommandError('usage', `--memory must be a size such as 512MiB or 2GiB, or none, and not '${text}'`)
}

const limitOf = (option: string, text: string | undefined) => (text === 'none' ? null : optionalNumber(option, text))

/**
 * The fields that need neither the server nor a person.
 * @throws CommandError if a number is none
 */
export const plainFields = (options: FieldOptions) => ({
  ...given('memoryLimit', memoryOf(options.memory)),
  ...given('cpuLimit', limitOf('--cpu', options.cpu)),
  ...given('startTimeout', limitOf('--start-timeout', options.startTimeout)),
  ...given('description', options.description),
  ...given('command', orNone(options.command)),
  ...given('nodeLabel', orNone(options.label)),
  ...given('dockerImage', options.image),
})

export const registryField = async (client: Client, { registry }: FieldOptions) =>
  registry === undefined ? {} : { registryId: (await findRegistry(client, registry)).registryId }

/** The user, the names inside the server and the passwords. @throws CommandError if the kind has no such field */
export async function loginFields({ env }: Session, options: FieldOptions, kind: Kind, subject: string) {
  const hasRoot = kind === 'mysql' || kind === 'mariadb'
  if (options.user !== undefined && kind === 'redis') throw lacks('--user', kind)
  if (options.databaseName !== undefined && (kind === 'redis' || kind === 'mongo')) throw lacks('--database-name', kind)
  if (options.replicaSet !== undefined && kind !== 'mongo') throw lacks('--replica-set', kind)
  if (options.askRootPassword === true && !hasRoot) throw lacks('--ask-root-password', kind)
  const asked = (isAsked: true | undefined, variable: string, what: string) =>
    isAsked === true ? askSecret(env, variable, `${what} of ${subject}`) : undefined
  return {
    ...given('databaseUser', options.user),
    ...given('databaseName', options.databaseName),
    ...given('replicaSet', orNone(options.replicaSet)),
    ...given('databasePassword', await asked(options.askPassword, 'BERTH_DATABASE_PASSWORD', 'Password')),
    ...given(
      'databaseRootPassword',
      await asked(options.askRootPassword, 'BERTH_DATABASE_ROOT_PASSWORD', 'Root password'),
    ),
  }
}

const lacks = (option: string, kind: Kind) =>
  new CommandError('usage', `${option} cannot be used: databases of the kind ${kind} have no such field`)

/**
 * The variables of the container as the API stores them. A file replaces all variables; single ones change the rest.
 * @param readPresent reads the stored text; null if there is none
 * @throws CommandError if a variable is not written as NAME=value
 */
export async function envField(
  { envFile, env = [], unset = [] }: FieldOptions & { unset?: string[] },
  readPresent: () => Promise<string | null>,
): Promise<{ env?: string | null }> {
  if (envFile === undefined && env.length === 0 && unset.length === 0) return {}
  const text = envFile === undefined ? null : textFile('--env-file', envFile)
  if (env.length === 0 && unset.length === 0) return { env: text }
  const variables = variablesOf(envFile === undefined ? await readPresent() : text)
  for (const name of unset) {
    if (!(name in variables)) throw new CommandError('usage', `--unset: there is no variable ${name}`)
    delete variables[name]
  }
  return { env: envText({ ...variables, ...Object.fromEntries(env.map(variableIn)) }) }
}

function variableIn(text: string): [name: string, value: string] {
  const [, name, value = ''] = /^([^=]+)=([\s\S]*)$/.exec(text) ?? []
  if (name === undefined) throw new CommandError('usage', `--env: '${text}' is no variable. Write NAME=value`)
  if (!isWritable(value)) throw new CommandError('usage', `--env: the value of ${name} has all kinds of quotes`)
  return [name, value]
}
