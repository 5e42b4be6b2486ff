/** The command line: its commands, and how an error ends the program. */
import { Command, CommanderError } from 'commander'
import { BerthError } from '../client/client.ts'
import { addAccounts } from './commands/accounts.ts'
import { addApi } from './commands/api.ts'
import { addBackups } from './commands/backups.ts'
import { addCompletion } from './commands/completion.ts'
import { addDestinations } from './commands/destinations.ts'
import { addEvents } from './commands/events.ts'
import { addInspect } from './commands/inspect.ts'
import { addLifecycle } from './commands/lifecycle.ts'
import { addList } from './commands/list.ts'
import { addLogin } from './commands/login.ts'
import { addNodes } from './commands/nodes.ts'
import { addRoutes } from './commands/routes.ts'
import { targetOf } from './contexts.ts'
import { CommandError, exitClassOf, statuses } from './exit.ts'
import { outputOn, type Streams } from './output.ts'
import { hintOf, sessionOn } from './session.ts'

/**
 * Runs the command that the arguments name.
 * @returns the exit status
 */
export async function run(
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  streams: Streams,
  interrupted: AbortSignal,
): Promise<number> {
  const output = outputOn(streams, env)
  const program = programOf(sessionOn(env, output, interrupted), streams)
  try {
    await program.parseAsync([...args], { from: 'user' })
    return 0
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : statuses.usage
    if (interrupted.aborted) return statuses.interrupted
    if (error instanceof CommandError) {
      report(error.message, error.hint)
      return statuses[error.exitClass]
    }
    if (!(error instanceof BerthError)) throw error
    report(error.message, hintOf(error, presentTarget(env, program.opts().context)))
    return statuses[exitClassOf(error)]
  }

  function report(message: string, hint: string | null) {
    output.note(`${output.styled('bad', 'error:')} ${message}`)
    if (hint !== null) output.note(hint)
  }
}

function presentTarget(env: NodeJS.ProcessEnv, context: string | undefined) {
  try {
    return targetOf(env, context)
  } catch {
    return null
  }
}

function programOf(session: ReturnType<typeof sessionOn>, { stdout, stderr }: Streams): Command {
  const program = new Command('berth')
    .description('Run databases on your own servers.')
    .option('--context <name>', 'the installation to use (berth context lists them)')
    .option('--json', 'print the result as JSON')
    .option('-y, --yes', 'do not ask before data is destroyed')
    .exitOverride()
    .showHelpAfterError()
    .showSuggestionAfterError()
    .configureOutput({ writeOut: (text) => void stdout.write(text), writeErr: (text) => void stderr.write(text) })
  addLogin(program, session)
  addLifecycle(program, session)
  addInspect(program, session)
  addList(program, session)
  addBackups(program, session)
  addDestinations(program, session)
  addNodes(program, session)
  addRoutes(program, session)
  addAccounts(program, session)
  addEvents(program, session)
  addApi(program, session)
  addCompletion(program, session)
  return program
}
