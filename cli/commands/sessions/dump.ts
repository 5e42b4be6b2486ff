/** berth dump: a dump of a database on standard output, in the format of the tool. */
import { rmSync } from 'node:fs'
import { open, rename, stat } from 'node:fs/promises'
import { Option } from 'commander'
import type { CommandDeclaration } from '../../command.ts'
import { databaseArgument, findDatabase, pathOf } from '../../databases.ts'
import { targetOf } from '../../connection/contexts.ts'
import type { CommonOptions, Session } from '../../connection/session.ts'
import { CommandError, systemErrorText } from '../../exit.ts'
import { connectSession } from '../../sessions/connection.ts'
import { onExit } from '../../sessions/on-exit.ts'
import { written } from '../../sessions/terminal.ts'
import { readableSize } from '../../terminal/size.ts'

export const dumpCommand: CommandDeclaration = {
  name: 'dump',
  description: 'write a dump of a database to standard output',
  arguments: [databaseArgument],
  options: [
    new Option('-o, --output <file>', 'write this file, once the dump is complete; - is standard output'),
    ['--database <name>', 'the database within the server (MongoDB needs it)'],
  ],
  notes: [
    'The dump has the format of the tool, which runs in a container next to the database: pg_dump (custom format),',
    'mysqldump, mariadb-dump or mongodump. It is complete only if the exit status is 0. Scheduled dumps, which Berth',
    'checks and keeps, are made with berth backup.',
  ],
  examples: ['berth dump shop/orders > orders.dump', 'berth dump shop/orders --output orders.dump'],
  run: dump,
}

interface DumpOptions extends CommonOptions {
  output?: string
  database?: string
}

async function dump(session: Session, options: DumpOptions, name: string): Promise<undefined> {
  // As in `berth state backup -`, a dash means standard output.
  const path = options.output === '-' ? undefined : options.output
  if (path === undefined && process.stdout.isTTY === true) {
    const hint = 'Write it to a file: berth dump NAME > FILE, or --output FILE'
    throw new CommandError('usage', 'A dump is not written to a terminal', hint)
  }
  const database = await findDatabase(session.open(options), name)
  if (database.databaseType === 'redis') throw new CommandError('failed', 'Redis has no dumps')
  const target = targetOf(session.env, options.context)
  const { databaseId } = database
  const input = { databaseId, mode: 'dump' as const, args: options.database === undefined ? [] : [options.database] }
  let bytes = 0
  const receive = async (write: (bytes: Buffer) => Promise<unknown>) => {
    const connection = await connectSession(target, input, {
      async bytes(piece) {
        bytes += piece.length
        await write(piece)
      },
      errors: (text) => written(process.stderr, text),
    })
    const exitCode = await connection.ended
    if (exitCode !== 0) {
      throw new CommandError('failed', `The dump of ${pathOf(database)} failed with exit code ${exitCode}`)
    }
  }
  if (path === undefined) await receive(session.output.bytes)
  else await writeWhole(path, receive)
  session.output.remark(`${pathOf(database)}: ${readableSize(bytes)}`)
}

/** Writes a file that appears under its name only if all of it was written. */
async function writeWhole(path: string, receive: (write: (bytes: Buffer) => Promise<unknown>) => Promise<void>) {
  // If the path cannot be read, the attempt to write says why.
  const present = await stat(path).catch(() => null)
  if (present !== null && !present.isFile()) {
    throw new CommandError('usage', `${path} is not a file`, 'Write to standard output: berth dump NAME > PATH')
  }
  const partial = `${path}.${process.pid}.part`
  const file = await open(partial, 'wx', 0o600).catch(failure(partial))
  const removePartial = () => rmSync(partial, { force: true })
  const cancelRemoval = onExit(removePartial)
  const fail = failure(path)
  try {
    await receive((bytes) => file.writeFile(bytes).catch(fail))
    await file.sync().catch(fail)
    await rename(partial, path).catch(fail)
  } finally {
    removePartial()
    cancelRemoval()
    await file.close().catch(fail)
  }
}

/** Turns an error of the system into an error that names the file. */
const failure =
  (path: string) =>
  (error: Error): never => {
    throw new CommandError('failed', `${path} cannot be written: ${systemErrorText(error)}`)
  }
