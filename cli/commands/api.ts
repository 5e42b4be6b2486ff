/** berth api: calls any operation by its name. */
import type { Command } from 'commander'
import { CommandError } from '../exit.ts'
import type { CommonOptions, Session } from '../session.ts'

export function addApi(program: Command, session: Session): void {
  program
    .command('api')
    .argument('<operation>', 'the name of the operation, for example postgres.one')
    .argument('[fields...]', '--field value for each field')
    .description('call any operation and print its answer as JSON')
    .allowUnknownOption()
    .option('--wait <seconds>', 'wait for the end of the work')
    .action((operation: string, fields: string[], _, command: Command) =>
      callOperation(session, operation, fields, command.optsWithGlobals()),
    )
}

async function callOperation(
  { open, output }: Session,
  operation: string,
  words: string[],
  { wait, ...common }: CommonOptions & { wait?: string },
): Promise<void> {
  const answer = await open(common).call(operation, inputOf(words), wait === undefined ? {} : { wait: Number(wait) })
  output.json(answer)
}

/**
 * `--name value` or `--name=value` becomes a field with a text, `--name:json value` a field with a value in JSON. The
 * words true, false, null and numbers are JSON in any case.
 */
export function inputOf(words: readonly string[]): Record<string, unknown> {
  const input: Record<string, unknown> = {}
  for (let i = 0; i < words.length; i++) {
    const [, name, isJson, inline] = /^--(\w+)(:json)?(?:=([\s\S]*))?$/.exec(words[i]!) ?? []
    const value = inline ?? words[++i]
    if (name === undefined) throw new CommandError('usage', `'${words[i]}' is no field. Write --field value`)
    if (value === undefined) throw new CommandError('usage', `--${name} has no value`)
    input[name] =
      isJson !== undefined || /^(?:true|false|null|-?\d+(?:\.\d+)?)$/.test(value) ? parsed(name, value) : value
  }
  return input
}

function parsed(name: string, value: string): unknown {
  try {
    return JSON.parse(value)
  } catch {
    throw new CommandError('usage', `--${name}:json is no JSON: ${value}`)
  }
}
