/** The clients of the products: berth psql, mysql, mariadb, mongosh and redis-cli. They run next to the database. */
import type { CommandDeclaration } from '../../command.ts'
import {
  databaseArgument,
  type DatabaseSummary,
  findDatabase,
  type Kind,
  pathOf,
  shellPathOf,
} from '../../databases.ts'
import { targetOf } from '../../connection/contexts.ts'
import type { CommonOptions, Session } from '../../connection/session.ts'
import { CommandError, ProgramExit } from '../../exit.ts'
import { connectSession } from '../../sessions/connection.ts'
import { isTerminal, terminalSize, useInput, useTerminal, written } from '../../sessions/terminal.ts'

interface ClientProgram {
  name: string
  kind: Kind
  label: string
  /** Arguments of the client, and an input for it, in examples. */
  args: string
  input: string
}

const programs: readonly ClientProgram[] = [
  { name: 'psql', kind: 'postgres', label: 'PostgreSQL', args: "-c 'select 1'", input: 'select 1' },
  { name: 'mysql', kind: 'mysql', label: 'MySQL', args: "-e 'select 1'", input: 'select 1' },
  { name: 'mariadb', kind: 'mariadb', label: 'MariaDB', args: "-e 'select 1'", input: 'select 1' },
  { name: 'mongosh', kind: 'mongo', label: 'MongoDB', args: "--eval 'db.stats()'", input: 'db.stats()' },
  { name: 'redis-cli', kind: 'redis', label: 'Redis', args: 'DBSIZE', input: 'DBSIZE' },
]

export const clientCommands: readonly CommandDeclaration[] = programs.map((program) => ({
  name: program.name,
  description: `run ${program.name} on a ${program.label} database, logged in`,
  arguments: [databaseArgument, ['[arguments...]', `arguments of ${program.name}, after --`]],
  notes: [
    'The client runs in a container of the image of the database, on its node. The container is removed at the end.',
    'On a terminal it is interactive; otherwise it reads standard input. The exit status is that of the client.',
    'The begin and the end are in the audit log, but nothing that you type.',
  ],
  examples: [
    `berth ${program.name} shop/orders`,
    `berth ${program.name} shop/orders -- ${program.args}`,
    `echo '${program.input}' | berth ${program.name} shop/orders`,
  ],
  run: (session: Session, options: CommonOptions, name: string, args: string[] = []) =>
    runClient(session, options, program, name, args),
}))

/** The hint for an option that is not of berth but of a client; null if the command runs no client. */
export function clientOptionHint(args: readonly string[]): string | null {
  const program = programs.find(({ name }) => args.includes(name))
  return program === undefined
    ? null
    : `Arguments of ${program.name} follow --: berth ${program.name} NAME -- ${program.args}`
}

async function runClient(
  session: Session,
  options: CommonOptions,
  program: ClientProgram,
  name: string,
  args: string[],
): Promise<undefined> {
  const database = await findDatabase(session.open(options), name)
  checkKind(database, program)
  const terminal = isTerminal() ? terminalSize() : null
  const connection = await connectSession(
    targetOf(session.env, options.context),
    { databaseId: database.databaseId, mode: 'client', args, ...(terminal === null ? {} : { terminal }) },
    { bytes: session.output.bytes, errors: (text) => written(process.stderr, text) },
  )
  const exitCode = await (terminal === null ? useInput(connection) : useTerminal(connection))
  if (exitCode !== 0) throw new ProgramExit(exitCode)
}

/** @throws CommandError with the command for the kind of the database */
function checkKind(database: DatabaseSummary, { name, kind }: ClientProgram): void {
  if (database.databaseType === kind) return
  const right = programs.find((each) => each.kind === database.databaseType)!
  const message = `${name} is not for ${pathOf(database)}, which is a ${right.label} database`
  throw new CommandError('usage', message, `Type berth ${right.name} ${shellPathOf(database)}`)
}
