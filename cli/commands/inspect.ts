/** Commands that look into a database: env, logs, stats. */
import { setTimeout as pause } from 'node:timers/promises'
import type { Command } from 'commander'
import { readableSize } from '../size.ts'
import { findDatabase, idInput, pathOf } from '../databases.ts'
import { CommandError } from '../exit.ts'
import type { CommonOptions, Session } from '../session.ts'

export function addInspect(program: Command, session: Session): void {
  program
    .command('env')
    .argument('<database>', 'project/name, name or appName')
    .description('print the address and the credentials as shell variables')
    .option('--url', 'print only the URL')
    .option('--inside', 'the address for clients in the swarm, also if a port is published')
    .addHelpText('after', '\nExample:\n  psql "$(berth env shop/orders --url)"\n')
    .action((name: string, _, command: Command) => env(session, name, command.optsWithGlobals()))
  program
    .command('logs')
    .argument('<database>', 'project/name, name or appName')
    .description('print what the server of a database writes')
    .option('-f, --follow', 'print new lines as they come, until Ctrl-C')
    .option('--tail <lines>', 'how many of the newest lines (100)')
    .option('--since <time>', 'leave out older lines: 2030-01-31T12:00:00Z, or 90s, 15m, 2h, 3d')
    .action((name: string, _, command: Command) => logs(session, name, command.optsWithGlobals()))
  program
    .command('stats')
    .argument('<database>', 'project/name, name or appName')
    .description('print what a database uses of processor, memory and disk')
    .option('--watch', 'print a line every two seconds, until Ctrl-C')
    .action((name: string, _, command: Command) => stats(session, name, command.optsWithGlobals()))
}

async function env(
  { open, output }: Session,
  name: string,
  { url: isUrl, inside, ...common }: CommonOptions & { url?: boolean; inside?: boolean },
): Promise<void> {
  const client = open(common)
  const database = await findDatabase(client, name)
  const record = (await client.call(`${database.databaseType}.one`, idInput(database))) as {
    connection: { internalUrl: string; externalUrl: string | null }
  }
  const { internalUrl, externalUrl } = record.connection
  const url = inside === true ? internalUrl : (externalUrl ?? internalUrl)
  if (common.json === true) return output.json({ url, internalUrl, externalUrl })
  if (externalUrl === null && inside !== true) {
    output.note(`${pathOf(database)} publishes no port. This address works only inside the swarm.`)
  }
  output.line(isUrl === true ? url : `DATABASE_URL=${quoted(url)}`)
}

/** Quotes a text as one shell word. */
const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`

interface LogOptions extends CommonOptions {
  follow?: boolean
  tail?: string
  since?: string
}

interface LogLine {
  at: string
  stream: 'stdout' | 'stderr'
  line: string
}

async function logs({ open, output, interrupted }: Session, name: string, options: LogOptions): Promise<void> {
  const client = open(options)
  const database = await findDatabase(client, name)
  const input = {
    ...idInput(database),
    ...(options.tail === undefined ? {} : { tail: Number(options.tail) }),
    ...(options.since === undefined ? {} : { since: options.since }),
  }
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
  name: string,
  options: CommonOptions & { watch?: boolean },
): Promise<void> {
  const client = open(options)
  const database = await findDatabase(client, name)
  do {
    const usage = (await client.call(`${database.databaseType}.stats`, idInput(database))) as Usage
    if (options.json === true) output.json(usage)
    else output.line(usageText(usage))
    if (options.watch === true) await pause(watchMs, undefined, { signal: interrupted }).catch(() => undefined)
  } while (options.watch === true && !interrupted.aborted)
}

function usageText({ cpuCores, memoryBytes, memoryLimitBytes, volumeBytes, at }: Usage): string {
  const limit = memoryLimitBytes === null ? '' : ` of ${readableSize(memoryLimitBytes)}`
  const volume = volumeBytes === null ? '' : `, disk ${readableSize(volumeBytes)}`
  return `${at.slice(11, 19)}  processor ${cpuCores.toFixed(2)} cores, memory ${readableSize(memoryBytes)}${limit}${volume}`
}
