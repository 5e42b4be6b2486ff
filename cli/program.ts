/** The command line: its commands, and how an error ends the program. */
import { setTimeout as pause } from 'node:timers/promises'
import { type Argument, Command, CommanderError, Help, Option } from 'commander'
import manifest from '../package.json' with { type: 'json' }
import { BerthError } from '../client/client.ts'
import { addCommand, addGroup, type CommandDeclaration, type GroupDeclaration, helpEnd } from './command.ts'
import { accountGroup } from './commands/accounts/account.ts'
import { apiCommand } from './commands/api.ts'
import { applyCommand, exportGroup } from './commands/apply.ts'
import { backupGroup } from './commands/backups/group.ts'
import { certificateGroup } from './commands/routing/certificates.ts'
import { clockGroup } from './commands/installation/clock.ts'
import { completeCommand, completionCommand } from './commands/completion.ts'
import { contextGroup } from './commands/accounts/contexts.ts'
import { createCommand, setCommand } from './commands/databases/create.ts'
import { envCommand, logsCommand, statsCommand } from './commands/databases/inspect.ts'
import { lifecycleCommands, moveCommand, rmCommand } from './commands/databases/lifecycle.ts'
import { lsCommand, showCommand } from './commands/databases/list.ts'
import { rotateCommand } from './commands/databases/passwords.ts'
import { regainCommand } from './commands/databases/regain.ts'
import { destinationGroup } from './commands/backups/destinations.ts'
import { eventsCommand } from './commands/events.ts'
import { historyCommand } from './commands/databases/history.ts'
import { loginCommand, logoutCommand } from './commands/accounts/login.ts'
import { nodeGroup } from './commands/installation/nodes.ts'
import { projectGroup } from './commands/projects.ts'
import { registryGroup } from './commands/installation/registries.ts'
import { routeGroup } from './commands/routing/routes.ts'
import { stateGroup } from './commands/installation/state.ts'
import { statusCommand } from './commands/status.ts'
import { auditCommand, tokenGroup } from './commands/accounts/tokens.ts'
import { userGroup } from './commands/accounts/users.ts'
import { volumeGroup } from './commands/databases/volumes.ts'
import { targetOf } from './connection/contexts.ts'
import { CommandError, exitClassOf, statuses } from './exit.ts'
import { textFor } from './terminal/harmless.ts'
import { outputOn, type Streams } from './terminal/output.ts'
import { inCommands, inOptions } from './terminal/words.ts'
import { hintOf, messageOf, type Session, sessionOn } from './connection/session.ts'

/** Headings of the help, each with its commands. */
const sections: readonly (readonly [heading: string, (CommandDeclaration | GroupDeclaration)[]])[] = [
  [
    'Look',
    [lsCommand, showCommand, statusCommand, envCommand, logsCommand, statsCommand, historyCommand, eventsCommand],
  ],
  [
    'Databases',
    [createCommand, setCommand, ...lifecycleCommands, rotateCommand, regainCommand, moveCommand, rmCommand],
  ],
  ['Data', [backupGroup, destinationGroup, volumeGroup, stateGroup]],
  [
    'Installation',
    [projectGroup, nodeGroup, registryGroup, routeGroup, certificateGroup, userGroup, tokenGroup, clockGroup],
  ],
  ['', [applyCommand, exportGroup, auditCommand]],
  ['You', [loginCommand, logoutCommand, accountGroup, contextGroup, apiCommand, completionCommand]],
]

const examples = [
  'berth login http://127.0.0.1:3000',
  'berth create postgres orders --project shop --port 15432',
  'psql "$(berth env shop/orders --url)"',
  'berth deploy --help',
]

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
  if (isVersionQuestion(args)) {
    output.line(manifest.version)
    return 0
  }
  const program = programOf(sessionOn(env, output, interrupted), streams)
  try {
    await Promise.race([program.parseAsync(wordsFor(program, args), { from: 'user' }), endOf(interrupted)])
    return interrupted.aborted ? statuses.interrupted : 0
  } catch (error) {
    if (error instanceof CommanderError) {
      if (error.code === 'commander.unknownOption' && args.includes('--version')) output.remark(versionHint)
      return error.exitCode === 0 ? 0 : statuses.usage
    }
    if (error instanceof CommandError) {
      const isFault = error.exitClass !== 'interrupted' && error.exitClass !== 'pending'
      report(error.message, error.hint, isFault)
      return statuses[error.exitClass]
    }
    if (interrupted.aborted) return statuses.interrupted
    if (!(error instanceof BerthError)) throw error
    const target = presentTarget(env, program.opts().context)
    report(inWordsOf(commandIn(program, args), messageOf(error, target)), hintOf(error, target))
    return statuses[exitClassOf(error)]
  }

  function report(message: string, hint: string | null, isFault = true) {
    if (isFault) output.fault(message)
    else output.remark(message)
    if (hint !== null) output.remark(hint)
  }
}

/** What the program parses. Commander would answer the help of an unknown command with the help of the program. */
function wordsFor({ commands }: Command, args: readonly string[]): string[] {
  if (args.length === 0) return ['--help']
  const [first, name = '-'] = args
  const isKnown = name.startsWith('-') || commands.some((each) => [each.name(), ...each.aliases()].includes(name))
  return first === 'help' && !isKnown ? [name] : [...args]
}

/** The command that the arguments name. */
const commandIn = (program: Command, args: readonly string[]): Command =>
  args.reduce(
    (found, word) => found.commands.find((each) => [each.name(), ...each.aliases()].includes(word)) ?? found,
    program,
  )

/** A message of the API as the command says it. `berth api` takes fields and operations as they are. */
const inWordsOf = (command: Command, message: string): string =>
  command.name() === apiCommand.name
    ? message
    : inCommands(
        inOptions(
          message,
          command.options.flatMap(({ long }) => long ?? []),
        ),
      )

/** Only a line of the help. Commander offers options with a `long` name also after a command. */
const versionOption = Object.assign(new Option('-V', 'print the version'), { flags: '-V, --version' })
const versionHint = 'berth --version prints the version of the program. --image chooses the version of a database.'

/** Whether the arguments ask for the version. The option belongs to the program and not to its commands. */
const isVersionQuestion = (args: readonly string[]) =>
  args.some((each) => each === '-V' || each === '--version') && args.every((each) => each.startsWith('-'))

/** A command that is interrupted has this time to tell what goes on. */
const lastWordsMs = 300

async function endOf(interrupted: AbortSignal): Promise<void> {
  if (!interrupted.aborted)
    await new Promise((resolve) => interrupted.addEventListener('abort', resolve, { once: true }))
  await pause(lastWordsMs)
}

function presentTarget(env: NodeJS.ProcessEnv, context: string | undefined) {
  try {
    return targetOf(env, context)
  } catch {
    return null
  }
}

const argumentText = (argument: Argument) => {
  const name = `${argument.name()}${argument.variadic ? '...' : ''}`
  return argument.required ? `<${name}>` : `[${name}]`
}

const defaultHelp = new Help()

/** The whole program; also for the tests of the help. */
export function programOf(session: Session, { stdout, stderr }: Streams): Command {
  const program = new Command('berth')
    .description('Run databases on your own servers.')
    .option('--context <name>', 'the installation to use (berth context ls)')
    .option('--json', 'print the result as JSON')
    .option('-y, --yes', 'do not ask before something is removed')
    .addHelpText('after', helpEnd({ examples }))
    .exitOverride()
    .showSuggestionAfterError()
    .showHelpAfterError('(--help shows the options and examples)')
    .helpOption('-h, --help', 'show the help of a command')
    .configureHelp({
      showGlobalOptions: true,
      helpWidth: Math.min(stdout.columns ?? 100, 120),
      visibleOptions: (command) => [
        ...(command.parent === null ? [versionOption] : []),
        ...defaultHelp.visibleOptions(command),
      ],
      subcommandTerm: (each) => [each.name(), ...each.registeredArguments.map(argumentText)].join(' '),
    })
    .configureOutput({
      writeOut: (text) => void stdout.write(textFor(stdout, text)),
      writeErr: (text) => void stderr.write(textFor(stderr, text)),
    })
  for (const [heading, declarations] of sections) {
    if (heading !== '') program.commandsGroup(`${heading}:`)
    for (const each of declarations) {
      if ('commands' in each) addGroup(program, session, each)
      else addCommand(program, session, each)
    }
  }
  // In the last section.
  program.helpCommand('help [command]', 'show the help of a command')
  addCommand(program, session, completeCommand(program))
  return program
}
