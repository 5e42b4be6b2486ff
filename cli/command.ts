/** How a command is declared: its arguments, options and examples, and the function that carries it out. */
import { Argument, type Command, InvalidArgumentError, Option } from 'commander'
import { CommandError } from './exit.ts'
import { suggestion } from './nearest.ts'
import type { CommonOptions, Session } from './connection/session.ts'
import { shellWord } from '../shared/shell-word.ts'

/** An option that takes one of a few values. A wrong value is answered with the nearest one. */
export function choiceOption(flags: string, description: string, choices: readonly string[]): Option {
  return new Option(flags, description).choices(choices).argParser((value: string) => {
    if (choices.includes(value)) return value
    throw new InvalidArgumentError(suggestion(value, choices) || `It is one of ${choices.join(', ')}.`)
  })
}

/** An option that takes some of a few values, separated by commas. */
export function listOption(flags: string, description: string, choices: readonly string[]): Option {
  return new Option(flags, description).choices(choices).argParser((text: string) => {
    const values = text.split(',')
    const wrong = values.find((each) => !choices.includes(each))
    if (wrong === undefined) return values
    throw new InvalidArgumentError(suggestion(wrong, choices) || `They are ${choices.join(', ')}.`)
  })
}

/** The result of a command: `json` is printed with --json; otherwise `show` prints the result for a person. */
export interface Outcome {
  json: unknown
  show(): void
  /** Ends the program with an error after the result was printed. */
  failure?: CommandError
}

export interface CommandDeclaration {
  name: string
  alias?: string
  description: string
  arguments?: readonly (readonly [name: string, description: string])[]
  options?: readonly (Option | readonly [flags: string, description: string])[]
  /** Lines for a shell. test/cli/help.test.ts checks that the program accepts them. */
  examples: readonly string[]
  /** Sentences of the help, before the examples. */
  notes?: readonly string[]
  /** Takes options that are declared nowhere as arguments. */
  takesAnyOption?: true
  isHidden?: true
  /** Carries out the command. A command that prints while it runs, such as `logs`, returns nothing. */
  run(session: Session, options: CommonOptions, ...args: never[]): Promise<Outcome | undefined>
}

export interface GroupDeclaration {
  name: string
  description: string
  /** Sentences of the help, before the examples. */
  notes?: readonly string[]
  examples: readonly string[]
  commands: readonly CommandDeclaration[]
  /** The command that a person may mean who writes another word, such as a name, after the name of the group. */
  meant?(word: string): string
}

/** Adds a group with its commands. */
export function addGroup(program: Command, session: Session, group: GroupDeclaration): Command {
  const command = program.command(group.name).description(group.description)
  command.addHelpText('after', helpEnd(group))
  for (const each of group.commands) addCommand(command, session, each)
  const { name, meant, commands } = group
  if (meant !== undefined) {
    command.on('command:*', ([word = '']: string[]) => {
      const near = suggestion(
        word,
        commands.map((each) => each.name),
      )
      throw new CommandError('usage', `${name} has no command '${word}'. ${near || `Did you mean ${meant(word)}?`}`)
    })
  }
  return command
}

/** Adds a command to the program or to a group. */
export function addCommand(parent: Command, session: Session, declaration: CommandDeclaration): Command {
  const { name, alias, description, arguments: args = [], options = [], takesAnyOption, isHidden } = declaration
  const command = parent.command(name, { hidden: isHidden === true }).description(description)
  if (alias !== undefined) command.alias(alias)
  for (const [argument, about] of args) command.addArgument(new Argument(argument, about))
  for (const each of options) command.addOption(each instanceof Option ? each : new Option(...each))
  // Such a command explains itself, because its help depends on its arguments.
  if (takesAnyOption === true) command.allowUnknownOption().helpOption(false)
  else command.addHelpText('after', helpEnd(declaration))
  if (args.length === 0) suggestProject(command, session)
  command.action(async (...all: unknown[]) => {
    const values = all.slice(0, command.registeredArguments.length) as never[]
    await finish(session, command.optsWithGlobals(), (common) => declaration.run(session, common, ...values))
  })
  return command
}

/** A name after a command such as `ls`, which takes none, is often that of a project. */
function suggestProject(command: Command, { output }: Session): void {
  command.exitOverride((error) => {
    const isExcess = error.code === 'commander.excessArguments'
    if (isExcess && command.options.some(({ long }) => long === '--project')) {
      output.remark(`Did you mean --project ${shellWord(command.args[0]!)}?`)
    }
    throw error
  })
}

async function finish(
  { output }: Session,
  options: CommonOptions,
  run: (options: CommonOptions) => Promise<Outcome | undefined>,
): Promise<void> {
  const outcome = await run(options)
  if (outcome === undefined) return
  if (options.json === true) output.json(outcome.json)
  else outcome.show()
  if (outcome.failure !== undefined) throw outcome.failure
}

/** The notes and the examples, for the end of the help. */
export const helpEnd =
  ({ notes = [], examples }: Pick<CommandDeclaration, 'notes' | 'examples'>) =>
  ({ command }: { command: Command }): string => {
    const help = command.createHelp()
    const about = notes.length === 0 ? '' : `\n${help.boxWrap(notes.join(' '), help.helpWidth ?? 80)}\n`
    return `${about}\nExamples:\n${examples.map((each) => `  ${each}\n`).join('')}`
  }
