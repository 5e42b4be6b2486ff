/**
 * berth completion: scripts for shells, which ask the hidden command `__complete` for the words that can follow. The
 * names of databases, projects and so on come from the installation.
 */
import { type Command, Option } from 'commander'
import type { Client } from '../../client/client.ts'
import type { CommandDeclaration } from '../command.ts'
import { readContexts } from '../connection/contexts.ts'
import { kinds, pathOf } from '../databases.ts'
import { type Description, operationsIn } from '../description.ts'
import { CommandError } from '../exit.ts'
import { suggestion } from '../nearest.ts'
import type { CommonOptions, Session } from '../connection/session.ts'

/** Without candidates, the shells complete the names of files, for options such as --ca. */
const scripts: Record<string, string> = {
  bash: `_berth() {
  local word
  COMPREPLY=()
  while IFS= read -r word; do
    COMPREPLY+=("$(printf %q "$word")")
  done < <(berth __complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -o bashdefault -o default -F _berth berth`,
  zsh: `#compdef berth
_berth() {
  local -a candidates
  candidates=("\${(@f)$(berth __complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  if [[ -n "\${candidates[1]}" ]]; then compadd -- "\${candidates[@]}"; else _files; fi
}
compdef _berth berth`,
  fish: `function __berth_complete
  set -l candidates (berth __complete -- (commandline -opc)[2..] (commandline -ct) 2>/dev/null)
  if test (count $candidates) -gt 0
    printf '%s\\n' $candidates
  else
    __fish_complete_path (commandline -ct)
  end
end
complete -c berth -f -a '(__berth_complete)'`,
}

export const completionCommand: CommandDeclaration = {
  name: 'completion',
  description: 'print a script that completes commands and names in a shell',
  arguments: [['<shell>', Object.keys(scripts).join(', ')]],
  notes: ['Put the line into the file that your shell reads at its start: ~/.bashrc, ~/.zshrc or config.fish.'],
  examples: ['source <(berth completion bash)', 'source <(berth completion zsh)', 'berth completion fish | source'],
  async run({ output }: Session, _: CommonOptions, shell: string) {
    const script = scripts[shell]
    if (script === undefined) {
      const hint = suggestion(shell, Object.keys(scripts)) || `Use one of ${Object.keys(scripts).join(', ')}`
      throw new CommandError('usage', `'${shell}' is no known shell. ${hint}`)
    }
    return { json: { script }, show: () => output.line(script) }
  },
}

/** The command that the scripts call. */
export const completeCommand = (program: Command): CommandDeclaration => ({
  name: '__complete',
  description: 'print the words that can stand in place of the last one',
  arguments: [['[words...]', 'the words after `berth`']],
  examples: [],
  isHidden: true,
  takesAnyOption: true,
  async run(session: Session, _: CommonOptions, words: string[]) {
    for (const candidate of await candidatesFor(program, session, words)) session.output.line(candidate)
    return undefined
  },
})

async function candidatesFor(program: Command, session: Session, words: string[]): Promise<string[]> {
  const last = words.at(-1) ?? ''
  const { command, operands, pending, common } = position(program, words.slice(0, -1))
  const beginsWith = (each: string) => each.startsWith(last)
  if (pending !== null) {
    const values = await valuesOf(session, common, pending.long ?? '', pending.argChoices)
    // Some options take several of their values, separated by commas.
    const begun = pending.argChoices === undefined ? '' : last.slice(0, last.lastIndexOf(',') + 1)
    return values.map((each) => `${begun}${each}`).filter(beginsWith)
  }
  if (last.startsWith('-')) return optionsOf(program, command).filter(beginsWith)
  if (command.commands.length > 0) {
    return command.commands.map((each) => each.name()).filter((name) => !name.startsWith('_') && beginsWith(name))
  }
  const argument = command.registeredArguments[operands]
  return (await valuesOf(session, common, argument?.name() ?? '', undefined)).filter(beginsWith)
}

interface Position {
  command: Command
  /** How many arguments the command has already. */
  operands: number
  /** The option whose value comes next. */
  pending: Option | null
  /** Options that decide which installation is asked. */
  common: CommonOptions
}

function position(program: Command, words: string[]): Position {
  const found: Position = { command: program, operands: 0, pending: null, common: {} }
  for (const word of words) {
    if (found.pending !== null) {
      if (found.pending.long === '--context') found.common.context = word
      found.pending = null
      continue
    }
    const option = [...found.command.options, ...program.options].find((each) => [each.short, each.long].includes(word))
    const next = found.command.commands.find((each) => each.name() === word || each.aliases().includes(word))
    if (next !== undefined) Object.assign(found, { command: next, operands: 0 })
    else if (option !== undefined) found.pending = option.required ? option : null
    else if (!word.startsWith('-')) found.operands++
  }
  return found
}

const optionsOf = (program: Command, command: Command): string[] =>
  [...command.options, ...program.options, new Option('--help')].flatMap(({ long }) => long ?? [])

/** The values of an argument or an option; none if the installation cannot be asked. */
async function valuesOf(session: Session, common: CommonOptions, name: string, choices: string[] | undefined) {
  if (choices !== undefined) return choices
  if (name === 'context' || name === '--context') return Object.keys(readContexts(session.env).contexts)
  if (name === 'operation') {
    return operationsIn((await session.readDescription(common)) as Description).map((each) => each.name)
  }
  const source = sources[name]
  try {
    return source === undefined ? [] : await source(session.open(common))
  } catch {
    return []
  }
}

const projectNames = async (client: Client) => (await client.project.all()).map(({ name }) => name)
const destinationNames = async (client: Client) => (await client.destination.all()).map(({ name }) => name)
const nodeNames = async (client: Client) => (await client.cluster.getNodes()).map(({ hostname }) => hostname)
const registryNames = async (client: Client) => (await client.registry.all()).map((each) => each.registryName)
const databaseNames = async (client: Client) => (await client.database.all()).map(pathOf)

/** Names for an argument, or for the value of an option. */
const sources: Record<string, (client: Client) => Promise<string[]>> = {
  database: databaseNames,
  '--database': databaseNames,
  '--into': databaseNames,
  project: projectNames,
  '--project': projectNames,
  destination: destinationNames,
  '--to': destinationNames,
  node: nodeNames,
  '--node': nodeNames,
  registry: registryNames,
  '--registry': registryNames,
  kind: async () => [...kinds],
  'on|off': async () => ['on', 'off'],
  shell: async () => Object.keys(scripts),
  application: async (client) => (await client.application.all()).map(({ name }) => name),
  certificate: async (client) => (await client.certificates.all()).map(({ name }) => name),
  email: async (client) => (await client.user.all()).map(({ email }) => email),
  token: async (client) => (await client.auth.tokens()).flatMap(({ name }) => name ?? []),
  volume: async (client) =>
    (await client.volume.all()).filter(({ state }) => state === 'kept').map(({ appName }) => appName),
}
