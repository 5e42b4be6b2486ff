/** Commands that look into a database: env, logs, stats. */
import { setTimeout as pause } from 'node:timers/promises'
import type { CommandDeclaration, Outcome } from '../../command.ts'
import { databaseArgument, findDatabase, idInput, pathOf, readDatabase, shellPathOf } from '../../databases.ts'
import { CommandError } from '../../exit.ts'
import { given, optionalNumber } from '../../names.ts'
import type { CommonOptions, Session } from '../../connection/session.ts'
import { readableSize } from '../../terminal/size.ts'
import { quotedWord } from '../../../shared/shell-word.ts'

/** Parts of the address that `berth env` prints alone. */
const parts = ['host', 'port', 'user', 'password', 'database'] as const
type Part = (typeof parts)[number]

export const envCommand: CommandDeclaration = {
  name: 'env',
  description: 'print the address and the credentials of a database as a shell variable',
  arguments: [databaseArgument],
  options: [
    ['--url', 'print only the URL'],
    ...parts.map((part) => [`--${part}`, `print only the ${part}`] as const),
    ['--root-password', 'print only the password of root in the record (MySQL and MariaDB)'],
    ['--inside', 'the address for clients in the swarm, also if a port is published'],
    ['--variable <name>', 'the name of the variable (DATABASE_URL)'],
  ],
  examples: [
    'psql "$(berth env shop/orders --url)"',
    'berth env shop/orders --inside > .env',
    'berth env shop/orders --password',
  ],
  run: env,
}

export const logsCommand: CommandDeclaration = {
  name: 'logs',
  description: 'print what the server of a database writes',
  arguments: [databaseArgument],
  options: [
    ['-f, --follow', 'print new lines as they come, until Ctrl-C'],
    ['--tail <lines>', 'how many of the newest lines (100)'],
    ['--since <time>', 'leave out older lines: 2030-01-31T12:00:00Z, or 90s, 15m, 2h, 3d'],
  ],
  examples: ['berth logs shop/orders --since 15m', 'berth logs -f shop/orders'],
  run: logs,
}

export const statsCommand: CommandDeclaration = {
  name: 'stats',
  description: 'print what a database uses of processor, memory and disk',
  arguments: [databaseArgument],
  options: [['--watch', 'print a line every two seconds, until Ctrl-C']],
  examples: ['berth stats shop/orders', 'berth stats shop/orders --watch'],
  run: stats,
}

interface EnvOptions extends CommonOptions, Partial<Record<Part | 'url' | 'rootPassword', true>> {
  inside?: true
  variable?: string
}

async function env({ open, output }: Session, options: EnvOptions, name: string): Promise<Outcome> {
  const chosen = ([...parts, 'url', 'rootPassword'] as const).filter((each) => options[each] === true)
  if (chosen.length > 1) throw new CommandError('usage', 'Choose one part. --json prints all parts')
  const [part] = chosen
  const client = open(options)
  const database = await findDatabase(client, name)
  const path = pathOf(database)
  const { connection, databasePassword, databaseRootPassword } = await readDatabase(client, database)
  const { internalUrl, externalUrl } = connection
  const url = options.inside === true ? internalUrl : (externalUrl ?? internalUrl)
  const values = { url, ...partsOf(url), rootPassword: databaseRootPassword ?? null }
  const hasSecret = options.json === true || part === undefined || ['url', 'password', 'rootPassword'].includes(part)
  if (hasSecret && databasePassword === mask) {
    const hint = 'Use a token of the scope admin (berth token create NAME --scope admin), or sign in: berth login URL'
    throw new CommandError('denied', `This token may not read the password of ${path}`, hint)
  }
  const value = part === undefined ? url : values[part]
  if (value === null) {
    const what = part === 'rootPassword' ? 'root password' : part
    throw new CommandError('failed', `${path} has no ${what}: its kind is ${database.databaseType}`)
  }
  return {
    json: { ...values, internalUrl, externalUrl },
    show() {
      if (externalUrl === null && options.inside !== true && isAddress(part)) {
        const hint = `Publish one: berth set ${shellPathOf(database)} --port 15432`
        output.remark(`${path} publishes no port: this address works only in the swarm. ${hint}`)
      }
      output.line(part === undefined ? `${options.variable ?? 'DATABASE_URL'}=${quotedWord(value)}` : value)
    },
  }
}

/** The API answers this text in place of a password that the token may not read. */
const mask = '********'

const isAddress = (part: Part | 'url' | 'rootPassword' | undefined) =>
  part === undefined || part === 'url' || part === 'host' || part === 'port'

/** The parts of the URL, decoded. The database is null for a kind whose URL names none. */
function partsOf(text: string): Record<Part, string | null> {
  const { hostname, port, username, password, pathname } = new URL(text)
  return {
    host: hostname.replace(/^\[|\]$/g, ''),
    port,
    user: decodeURIComponent(username),
    password: decodeURIComponent(password),
    database: decodeURIComponent(pathname.slice(1)) || null,
  }
}

interface LogOptions extends CommonOptions {
  follow?: true
  tail?: string
  since?: string
}

interface LogLine {
  at: string
  stream: 'stdout' | 'stderr'
  line: string
}

async function logs({ open, output, interrupted }: Session, options: LogOptions, name: string): Promise<undefined> {
  const tail = optionalNumber('--tail', options.tail)
  const client = open(options)
  const database = await findDatabase(client, name)
  const input = { ...idInput(database), ...given('tail', tail), ...given('since', options.since) }
  const print = (each: LogLine) =>
    output.line(
      options.json === true ? JSON.stringify(each) : `${output.styled('faint', each.at.slice(0, 19))} ${each.line}`,
    )
  if (database.applicationStatus === 'idle') {
    const hint = `Start it: berth start ${shellPathOf(database)}`
    output.remark(`${pathOf(database)} is stopped. The log of its last run may be gone. ${hint}`)
  }
  if (options.follow !== true) {
    for (const each of (await client.call(`${database.databaseType}.logs`, input)) as LogLine[]) print(each)
    return
  }
  const stream = client[database.databaseType].logs.follow(input as never, { signal: interrupted })
  for await (const each of stream) print(each)
  if (!interrupted.aborted) throw new CommandError('failed', `${pathOf(database)} has stopped. There are no more lines`)
}

interface Usage {
  cpuCores: number
  memoryBytes: number
  memoryLimitBytes: number | null
  volumeBytes: number | null
  at: string
}

const watchMs = 2000

async function stats(
  { open, output, interrupted }: Session,
  options: CommonOptions & { watch?: true },
  name: string,
): Promise<undefined> {
  const client = open(options)
  const database = await findDatabase(client, name)
  do {
    const usage = (await client.call(`${database.databaseType}.stats`, idInput(database))) as Usage
    if (options.json === true) output.line(JSON.stringify(usage))
    else output.line(usageText(usage))
    if (options.watch === true) await pause(watchMs, undefined, { signal: interrupted }).catch(() => undefined)
  } while (options.watch === true && !interrupted.aborted)
}

function usageText({ cpuCores, memoryBytes, memoryLimitBytes, volumeBytes, at }: Usage): string {
  const limit = memoryLimitBytes === null ? '' : ` of ${readableSize(memoryLimitBytes)}`
  const volume = volumeBytes === null ? '' : `, disk ${readableSize(volumeBytes)}`
  return `${at.slice(11, 19)}  processor ${cpuCores.toFixed(2)} cores, memory ${readableSize(memoryBytes)}${limit}${volume}`
}
