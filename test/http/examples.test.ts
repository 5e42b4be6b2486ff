/** The examples of the reference page: valid input, and the same request by curl, client and command line. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, test } from 'node:test'
import { promisify } from 'node:util'
import { createClient } from '../../client/client.ts'
import commands from '../../cli/command-examples.json' with { type: 'json' }
import { run } from '../../cli/program.ts'
import { fileOutput, methodOf, type Operation } from '../../src/api/contract.ts'
import { exampleInput } from '../../src/http/docs/example-input.ts'
import { exampleOf } from '../../src/http/docs/example.ts'
import { openApiOf } from '../../src/http/openapi.ts'
import { schemasOf } from '../../src/http/openapi-schemas.ts'
import { kinds } from '../../src/kinds/index.ts'
import { splitShellWords } from '../../src/lib/text/shell-words.ts'
import { operations } from '../../src/operations.ts'
import { Lines } from '../cli/cli-fixture.ts'
import { bundled } from '../fixtures/bundle.ts'
import { folderUnder } from '../fixtures/folder.ts'
import { startBerth } from '../fixtures/harness.ts'
import { freshToken } from '../sweep-berth.ts'

const schemas = schemasOf(operations)
const inputOf = (operation: Operation) => exampleInput(operation, schemas.inputOf(operation))

interface Recorded {
  request: string
  waits: boolean
  input: unknown
}

const description = JSON.stringify(openApiOf(operations))

/** Records requests. Answers them with `status`. */
async function recorder(status: number) {
  const recorded: Recorded[] = []
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const part of request) body += part
    const url = new URL(request.url!, 'http://localhost')
    if (url.pathname === '/openapi.json') return response.end(description)
    recorded.push({
      request: `${request.method} ${url.pathname}`,
      // The client divides a wait.
      waits: String(request.headers.prefer).startsWith('wait='),
      input: body === '' ? Object.fromEntries(url.searchParams) : JSON.parse(body),
    })
    const refusal = { code: 'UNAUTHORIZED', message: 'Sign in', issues: [] }
    const { accept } = request.headers
    const isFile = status === 200 && accept === 'application/octet-stream'
    response.writeHead(status, { 'content-type': isFile ? accept : 'application/json' })
    response.end(JSON.stringify(status === 200 ? {} : refusal))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  after(() => server.close())
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, recorded }
}

const { url, recorded } = await recorder(200)
const closed = await recorder(401)
const program = bundled('cli')
const environment = { BERTH_URL: url, BERTH_TOKEN: 'token' }

async function runCommand(line: string, env: NodeJS.ProcessEnv = environment) {
  const [program, ...words] = splitShellWords(line)
  assert.equal(program, 'berth')
  const [stdout, stderr] = [new Lines(), new Lines()]
  const status = await run(words, env, { stdout, stderr }, new AbortController().signal)
  return { status, text: stderr.text }
}

/** Runs a command that may have standard input. Only the shell reads that, so such a command is a process of its own. */
async function runInShell(command: string) {
  if (command.includes('<<')) {
    const script = `berth() { "${process.execPath}" "${program}" "$@"; }\n${command}`
    return promisify(execFile)('sh', ['-c', script], { env: { ...process.env, ...environment } })
  }
  const { status, text } = await runCommand(command)
  assert.equal(status, 0, `${command}: ${text}`)
}

test('every example is a valid input', () => {
  for (const operation of operations) {
    const { success, error } = operation.input.safeParse(inputOf(operation))
    assert.ok(success, `${operation.name}: ${error?.message}`)
  }
})

test('Berth finds no fault with the fields of an example', async () => {
  await using berth = await startBerth()
  for (const operation of operations) {
    const input = inputOf(operation)
    const { body } = await berth.call(operation.name, input, await freshToken(berth, operation))
    // The example has no real certificate and no real invitation.
    const isPlaceholder = Object.values(input).some((value) => String(value).includes('…'))
    assert.ok(body.code !== 'BAD_REQUEST' || isPlaceholder, `${operation.name}: ${JSON.stringify([input, body])}`)
  }
})

test('no example has a field without a value', () => {
  const without = operations.filter((operation) => JSON.stringify(inputOf(operation)).includes('"<'))
  assert.deepEqual(
    without.map(({ name }) => name),
    [],
  )
})

/** Makes a function of the text of a program that may wait. */
const Program = (async () => undefined).constructor as new (
  parameter: string,
  text: string,
) => (berth: unknown) => Promise<void>

/** A query has texts only. */
const sent = (operation: Operation) => {
  const input = inputOf(operation)
  if (methodOf(operation) === 'POST') return input
  return Object.fromEntries(Object.entries(input).map(([name, value]) => [name, String(value)]))
}

test('curl, client and command line send the same request', async () => {
  const berth = createClient({ url, token: 'token' })
  await using end = new AsyncDisposableStack()
  // A download is saved in the present folder.
  const folder = folderUnder(end)
  for (const operation of operations) {
    const { curl, client, command } = exampleOf(operation, schemas.inputOf(operation))
    const expected = {
      request: `${methodOf(operation)} /api/${operation.name}`,
      waits: operation.finalAnswer !== undefined,
      input: sent(operation),
    }
    recorded.length = 0
    await promisify(execFile)('sh', ['-c', curl], { env: { ...process.env, ...environment }, cwd: folder })
    await new Program('berth', client)(berth)
    assert.deepEqual(recorded.splice(0), [expected, expected], operation.name)
    if (operation.output === fileOutput) continue
    await runInShell(command.slice(command.indexOf('berth api')))
    assert.deepEqual(recorded, [expected], operation.name)
  }
})

test('no example has a secret as an argument of the command line', () => {
  const given = operations.flatMap((operation) => {
    const [words] = exampleOf(operation, schemas.inputOf(operation)).command.split('<<')
    return [...words!.matchAll(/--(\w*(?:password|secret|privateKey)\w*)/gi)].map(
      ([, name]) => `${operation.name} ${name}`,
    )
  })
  assert.deepEqual(given, [])
})

test('the command line understands each short command, and each names an operation', async () => {
  const names = new Set(operations.flatMap(({ name }) => [name, name.replace(/^\w+/, 'kind')]))
  for (const [name, line] of Object.entries(commands)) {
    assert.ok(names.has(name), name)
    const { status, text } = await runCommand(line.replace('<kind>', kinds[0]!.name), {
      ...environment,
      BERTH_URL: closed.url,
    })
    // Status 4: the command has called Berth, which asked for a sign-in.
    assert.equal(status, 4, `${line}: ${text}`)
  }
})
