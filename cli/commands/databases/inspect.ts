/** Commands that look into a database: env, logs, stats. */
import { setTimeout as pause } from 'node:timers/promises'
import type { CommandDeclaration, Outcome } from '../../command.ts'
import { databaseArgument, findDatabase, idInput, pathOf, readDatabase } from '../../databases.ts'
import { CommandError } from '../../exit.ts'
import { given, optionalNumber } from '../../names.ts'
import type { CommonOptions, Session } from '../../connection/session.ts'
import { readableSize } from '../../terminal/size.ts'

export const envCommand: CommandDeclaration = {
  name: 'env',
  description: 'print the address and the credentials of a database as a shell variable',
  arguments: [databaseArgument],
  options: [
    ['--url', 'print only the URL'],
    ['--inside', 'the address for clients in the swarm, also if a port is published'],
    ['--variable <name>', 'the name of the variable (DATABASE_URL)'],
  ],
  examples: ['psql "$(berth env shop/orders --url)"', 'berth env shop/orders --inside > .env'],
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

interface EnvOptions extends CommonOptions {
  url?: true
  inside?: true
  variable?: string
}

async function env({ open, output }: Session, options: EnvOptions, name: string): Promise<Outcome> {
  const client = open(options)
  const database = await findDatabase(client, name)
  const { internalUrl, externalUrl } = (await readDatabase(client, database)).connection
  const url = options.inside === true ? internalUrl : (externalUrl ?? internalUrl)
  return {
    json: { url, internalUrl, externalUrl },
    show() {
      if (externalUrl === null && options.inside !== true) {
        const hint = `Publish one: berth set ${pathOf(database)} --port 15432`
        output.remark(`${pathOf(database)} publishes no port: this address works only in the swarm. ${hint}`)
      }
      output.line(options.url === true ? url : `${options.variable ?? 'DATABASE_URL'}=${quoted(url)}`)
    },
  }
}

/** Quotes a text as one shell word. */
const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`

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
