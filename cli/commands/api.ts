/** berth api: calls any operation by its name. */
import type { CommandDeclaration, Outcome } from '../command.ts'
import { findDatabase, kinds } from '../databases.ts'
import { type Description, type Operation, operationsIn } from '../description.ts'
import { CommandError, type ExitClass } from '../exit.ts'
import { fieldNamed, fieldsIn } from '../fields.ts'
import { suggestion } from '../nearest.ts'
import { waitSecondsOf } from '../progress.ts'
import type { CommonOptions, Session } from '../connection/session.ts'
import { textFile } from '../text-file.ts'
import { withProof } from './accounts/proof.ts'

interface Options extends CommonOptions {
  input?: string
  wait?: string
}

const examples = [
  'berth api',
  'berth api postgres.create --help',
  'berth api project.create --name shop',
  'berth api postgres.deploy --postgresId shop/orders --wait 120',
  'berth api destination.create --input destination.json',
]

const help = [
  'Usage: berth api [operation] [--field value...] [--input FILE] [--wait SECONDS]',
  '',
  'Call any operation and print its answer as JSON. Without an operation, list all operations. With an operation and',
  '--help, show its fields. `null` empties a field. Fields with an object take JSON. A repeated field is a list.',
  'Fields with the id of a database also take its name, such as shop/orders.',
  '',
  'Other users of the machine can read the arguments of a program. Put secrets into a file or a pipe: --input',
  '',
  'Options:',
  '  --input <file>    JSON with the fields; - reads it from standard input. Options replace fields of the file',
  '  --wait <seconds>  wait for the end of the work',
  '',
  'Examples:',
  ...examples.map((each) => `  ${each}`),
]

export const apiCommand: CommandDeclaration = {
  name: 'api',
  description: 'call any operation of the API by its name',
  arguments: [
    ['[operation]', 'the name of the operation, for example postgres.one'],
    ['[fields...]', '--field value for each field'],
  ],
  options: [
    ['--input <file>', 'JSON with the fields'],
    ['--wait <seconds>', 'wait for the end of the work'],
  ],
  examples,
  takesAnyOption: true,
  run: callOperation,
}

async function callOperation(
  session: Session,
  options: Options,
  name: string | undefined,
  words: string[],
): Promise<Outcome | undefined> {
  const isHelp = [name, ...words].some((word) => word === '--help' || word === '-h')
  if (isHelp && (name === undefined || name.startsWith('-'))) {
    session.output.line(help.join('\n'))
    return undefined
  }
  const operations = operationsIn((await session.readDescription(options)) as Description)
  if (name === undefined) return listOperations(session, operations)
  const operation = operations.find((each) => each.name === name)
  if (operation === undefined) throw unknownOperation(name, operations)
  if (isHelp) return showFields(session, operation)
  if (operation.isFile) {
    throw new CommandError('usage', `${name} answers a file`, 'Download a dump: berth backup download DATABASE')
  }
  const fields = await withDatabaseIds(session, options, fieldsIn(words, operation))
  return call(session, options, operation, { ...readInput(operation, options.input), ...fields })
}

const databaseFields = [...kinds.map((kind) => `${kind}Id`), 'databaseId', 'serviceId']
const idPattern = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** Replaces the names of databases by their ids. */
async function withDatabaseIds(session: Session, options: Options, fields: Record<string, unknown>) {
  const found = { ...fields }
  for (const name of databaseFields) {
    const value = fields[name]
    if (typeof value !== 'string' || idPattern.test(value)) continue
    found[name] = (await findDatabase(session.open(options), value)).databaseId
  }
  return found
}

function unknownOperation(name: string, operations: Operation[]): CommandError {
  const names = operations.map((each) => each.name)
  const group = names.filter((each) => each.split('.')[0] === name.split('.')[0])
  const known = group.length > 0 ? `There are: ${group.join(', ')}` : 'berth api lists all operations'
  return new CommandError('usage', `There is no operation '${name}'. ${suggestion(name, names) || known}`)
}

function listOperations({ output }: Session, operations: Operation[]): Outcome {
  return {
    json: operations,
    show: () =>
      output.table(
        ['operation', 'summary'],
        operations.map((each) => [each.name, each.summary]),
      ),
  }
}

function showFields({ output }: Session, operation: Operation): Outcome {
  return {
    json: operation,
    show() {
      output.line(`${output.styled('strong', operation.name)}: ${operation.summary}`)
      output.line(`\n${operation.description}\n`)
      output.table(
        ['field', 'type', 'about'],
        operation.fields.map((each) => [
          `--${each.name}`,
          each.type,
          `${each.isRequired ? '' : '(optional) '}${each.description}`.trim(),
        ]),
      )
    },
  }
}

function readInput(operation: Operation, path: string | undefined): Record<string, unknown> {
  if (path === undefined) return {}
  const text = textFile('--input', path)
  try {
    const input = JSON.parse(text) as unknown
    if (typeof input !== 'object' || input === null || Array.isArray(input)) throw new Error('it is no JSON object')
    for (const name of Object.keys(input)) fieldNamed(operation, name)
    return input as Record<string, unknown>
  } catch (error) {
    if (error instanceof CommandError) throw error
    throw new CommandError('usage', `--input: ${path} cannot be used: ${(error as Error).message}`)
  }
}

async function call(
  session: Session,
  options: Options,
  { name }: Operation,
  input: Record<string, unknown>,
): Promise<undefined> {
  const { output, interrupted } = session
  const client = session.open(options)
  if (input.follow === true) {
    const [group, verb] = name.split('.') as ['postgres', 'logs']
    for await (const each of client[group][verb].follow(input as never, { signal: interrupted })) {
      output.line(JSON.stringify(each))
    }
    return
  }
  let [isPending, cursor]: [boolean, string | null] = [false, null]
  const callOptions = {
    ...(options.wait === undefined ? {} : { wait: waitSecondsOf(options) }),
    signal: interrupted,
    onHeaders: (headers: Headers) => {
      isPending = headers.get('berth-pending') === 'true'
      cursor = headers.get('berth-next-cursor')
    },
  }
  const answer = await withProof(session, (proof) => client.call(name, { ...input, ...proof }, callOptions))
  output.json(answer)
  if (cursor !== null) output.remark(`There is more: --cursor ${cursor}`)
  if (isPending) throw new CommandError('pending' satisfies ExitClass, 'The work goes on.')
}
