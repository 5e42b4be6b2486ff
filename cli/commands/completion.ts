/**
 * berth completion: scripts for shells, which ask the hidden command `__complete` for the words that can follow. The
 * names of databases, projects and so on come from the installation.
 */
import { type Argument, type Command, Option } from 'commander'
import type { Client } from '../../client/client.ts'
import { pathOf } from '../databases.ts'
import { CommandError } from '../exit.ts'
import type { Session } from '../session.ts'

const scripts: Record<string, string> = {
  bash: `_berth() {
  local IFS=$'\\n'
  COMPREPLY=($(berth __complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null))
}
complete -F _berth berth
`,
  zsh: `#compdef berth
_berth() {
  local -a candidates
  candidates=("\${(@f)$(berth __complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  compadd -- $candidates
}
compdef _berth berth
`,
  fish: `complete -c berth -f -a '(berth __complete -- (commandline -opc)[2..] (commandline -ct) 2>/dev/null)'
`,
}

export function addCompletion(program: Command, session: Session): void {
  program
    .command('completion')
    .argument('<shell>', Object.keys(scripts).join(', '))
    .description('print a script that completes commands and names')
    .addHelpText('after', '\nExample:\n  source <(berth completion bash)\n')
    .action((shell: string) => {
      const script = scripts[shell]
      if (script === undefined) {
        throw new CommandError('usage', `'${shell}' is no known shell. Use one of ${Object.keys(scripts).join(', ')}`)
      }
      session.output.line(script.trimEnd())
    })
  program
    .command('__complete', { hidden: true })
    .argument('[words...]')
    .allowUnknownOption()
    .action(async (words: string[]) => {
      for (const candidate of await candidatesFor(program, session, words)) session.output.line(candidate)
    })
}

/** The words that can stand in place of the last one. */
async function candidatesFor(program: Command, session: Session, words: string[]): Promise<string[]> {
  const last = words.at(-1) ?? ''
  const { command, operands } = position(program, words.slice(0, -1))
  const beginsWith = (each: string) => each.startsWith(last)
  if (last.startsWith('-')) return optionsOf(program, command).filter(beginsWith)
  if (command.commands.length > 0) {
    return command.commands.map((each) => each.name()).filter((name) => !name.startsWith('_') && beginsWith(name))
  }
  const previous = words.at(-2) ?? ''
  const source = sources[previous] ?? sources[nameOf(command.registeredArguments[operands])]
  // Without a connection there are no names to suggest.
  return source === undefined ? [] : (await source(session.open({})).catch(() => [])).filter(beginsWith)
}

const nameOf = (argument: Argument | undefined) => argument?.name() ?? ''

/** The command that the words lead to, and how many of its arguments they have. */
function position(program: Command, words: string[]): { command: Command; operands: number } {
  let [command, operands] = [program, 0]
  for (const word of words) {
    const next = command.commands.find((each) => each.name() === word || each.aliases().includes(word))
    if (next !== undefined) [command, operands] = [next, 0]
    else if (!word.startsWith('-')) operands++
  }
  return { command, operands }
}

const optionsOf = (program: Command, command: Command): string[] =>
  [...command.options, ...program.options, new Option('--help')].flatMap(({ long }) => long ?? [])

/** Names for an argument, or for the value of an option. */
const sources: Record<string, (client: Client) => Promise<string[]>> = {
  database: async (client) => (await client.database.all()).map(pathOf),
  '--project': async (client) => (await client.project.all()).map(({ name }) => name),
  '--to': async (client) => (await client.destination.all()).map(({ name }) => name),
  '--node': nodes,
  node: nodes,
  kind: async () => ['postgres', 'mysql', 'mariadb', 'mongo', 'redis'],
  shell: async () => Object.keys(scripts),
}

async function nodes(client: Client): Promise<string[]> {
  return (await client.cluster.getNodes()).map(({ hostname }) => hostname)
}
