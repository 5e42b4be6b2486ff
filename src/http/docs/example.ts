/** An example call of an operation in three forms: curl, the typed client and the command line. */
import commands from '../../../cli/command-examples.json' with { type: 'json' }
import { fileOutput, methodOf, type Operation } from '../../api/contract.ts'
import { kinds } from '../../kinds/index.ts'
import { groupOf, type Schema } from '../openapi-schemas.ts'
import { pathOf } from '../routes.ts'
import { exampleInput } from './example-input.ts'
import { quotedWord, shellWord } from '../../../shared/shell-word.ts'

export interface Example {
  curl: string
  client: string
  command: string
}

const waitSeconds = 60

export function exampleOf(operation: Operation, schema: Schema): Example {
  const input = exampleInput(operation, schema)
  return {
    curl: curlOf(operation, input),
    client: clientCallOf(operation, input),
    command: [shortCommandOf(operation), isFile(operation) ? null : apiCommandOf(operation, input)]
      .filter(Boolean)
      .join('\n\n# Or the operation itself:\n'),
  }
}

/** Whether the operation answers a file. `berth api` prints JSON only. */
const isFile = ({ output }: Operation) => output === fileOutput

type Input = Record<string, unknown>

/** The command expects the shell variables BERTH_URL (base URL) and BERTH_TOKEN (bearer token). */
function curlOf(operation: Operation, input: Input): string {
  const url = `"$BERTH_URL${pathOf(operation)}"`
  const authorization = operation.access === 'anyone' ? [] : ['-H "Authorization: Bearer $BERTH_TOKEN"']
  const fields = Object.entries(input)
  if (methodOf(operation) === 'GET') {
    const parameters = fields.map(([name, value]) => `--data-urlencode ${quotedWord(`${name}=${value}`)}`)
    const save = isFile(operation) ? '--fail -OJ ' : ''
    return shellLines(`curl -sS ${save}${fields.length === 0 ? '' : '-G '}${url}`, ...authorization, ...parameters)
  }
  const waits = operation.finalAnswer === undefined ? [] : [`-H 'Prefer: wait=${waitSeconds}'`]
  if (fields.length === 0) return shellLines(`curl -sS -X POST ${url}`, ...authorization, ...waits)
  const body = JSON.stringify(input, null, 2).replaceAll('\n', '\n  ')
  const type = "-H 'Content-Type: application/json'"
  return shellLines(`curl -sS ${url}`, ...authorization, ...waits, type, `-d ${quotedWord(body)}`)
}

const shellLines = (...parts: string[]) => parts.join(' \\\n  ')

/** The call expects the variable `berth`, a client. */
function clientCallOf(operation: Operation, input: Input): string {
  const fields = Object.entries(input).map(([name, value]) => `  ${name}: ${literal(value)},\n`)
  const object = fields.length === 0 ? '' : `{\n${fields.join('')}}`
  const wait = operation.finalAnswer === undefined ? '' : `, { wait: ${waitSeconds} }`
  const argument = object === '' && wait !== '' ? '{}' : object
  const answer = isFile(operation) ? '{ name, sizeBytes, bytes }' : 'answer'
  return `const ${answer} = await berth.${operation.name}(${argument}${wait})`
}

const literal = (value: unknown) =>
  typeof value === 'string'
    ? `'${JSON.stringify(value).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`
    : JSON.stringify(value)

/** A command that takes names; null if there is none. */
function shortCommandOf(operation: Operation): string | null {
  const group = groupOf(operation)
  const isOfKind = kinds.some(({ name }) => name === group)
  const name = isOfKind ? `kind${operation.name.slice(group.length)}` : operation.name
  const command = (commands as Record<string, string>)[name]
  return command?.replace('<kind>', group) ?? null
}

/** Other users of a machine can read the arguments of a program. */
const isSecret = (name: string) => /password$|^secret|^privateKey$|^token$/i.test(name)

function apiCommandOf(operation: Operation, input: Input): string {
  const wait = operation.finalAnswer === undefined ? [] : [`--wait ${waitSeconds}`]
  const [secrets, others] = [true, false].map((sort) =>
    Object.entries(input).filter(([name]) => isSecret(name) === sort),
  )
  const fields = others!.map(([name, value]) => `--${name}${wordsOf(value)}`)
  const document = `--input - <<'END'\n${JSON.stringify(Object.fromEntries(secrets!), null, 2)}\nEND`
  return shellLines(`berth api ${operation.name}`, ...fields, ...wait, ...(secrets!.length === 0 ? [] : [document]))
}

/** The value as a word of the shell. After an equals sign it may begin with a dash. */
function wordsOf(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  const word = shellWord(text)
  return text.startsWith('-') ? `=${word}` : ` ${word}`
}
