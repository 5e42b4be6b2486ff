/** The typed client has exactly the operations of the API, is small, and depends on nothing. */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { after, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import { BerthError, createClient } from '../../client/client.ts'
import { names } from '../../client/operations.ts'
import { methodOf } from '../../src/api/contract.ts'
import { operations } from '../../src/operations.ts'
import { filesOf, importsOf } from '../source-files.ts'
import { freshToken, startSweep } from '../sweep-berth.ts'
import { completeInput } from '../sweep-inputs.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))
const sweep = await startSweep()
after(() => sweep[Symbol.asyncDispose]())

test('operations.ts is what generate.js makes from openapi.json', () => {
  const generated = execFileSync(process.execPath, ['client/generate.js'], { cwd: root, encoding: 'utf8' })
  const isEqual = readFileSync(`${root}client/operations.ts`, 'utf8') === generated
  assert.equal(isEqual, true, 'client/operations.ts differs: run node client/generate.js > client/operations.ts')
})

test('the bundled client has at most 5 kB, compressed', async () => {
  const { outputFiles } = await build({
    entryPoints: [`${root}client/client.ts`],
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'neutral',
    write: false,
  })
  const size = gzipSync(outputFiles[0]!.contents).length
  assert.ok(size <= 5000, `${size} bytes`)
})

test('the client imports nothing but its own files', () => {
  const imports = filesOf('client/*.ts').flatMap(importsOf)
  assert.ok(imports.length > 10)
  assert.deepEqual(
    imports.filter(({ target }) => !target.startsWith('client/')),
    [],
  )
})

/** A session is a WebSocket. The client has none. */
const calls = operations.filter(({ type }) => type !== 'session')

test('the client has the operations of the API that have an answer, and no others', () => {
  const listed = names.flatMap((entry) => {
    const [group, ...verbs] = entry.split(' ')
    return verbs.map((verb) => `${group}.${/\w+/.exec(verb)}`)
  })
  assert.deepEqual(listed.toSorted(), calls.map(({ name }) => name).toSorted())
})

type Call = (input: object) => Promise<unknown>

/** Every other error is a refusal by the operation itself. */
const wrong = ['NOT_BERTH', 'CONNECTION_LOST', 'METHOD_NOT_SUPPORTED', 'INTERNAL_SERVER_ERROR']

test('every operation is a method that reaches its operation', async () => {
  await using berth = await sweep.start()
  const url = await berth.listen()
  for (const operation of calls) {
    const { name } = operation
    const client = createClient({ url, token: await freshToken(berth, operation), retries: 0 })
    const [group, verb] = name.split('.') as [string, string]
    const method = (client as unknown as Record<string, Record<string, Call>>)[group]![verb]!
    const before = berth.logged.length
    const error: unknown = await method(completeInput(operation, sweep.known)).then(
      () => null,
      (reason: unknown) => reason,
    )
    assert.ok(error === null || (error instanceof BerthError && !wrong.includes(error.code)), `${name}: ${error}`)
    const requests = berth.logged.slice(before).filter(({ event }) => event === 'request')
    assert.deepEqual(
      requests.map(({ fields }) => [fields.op, fields.method]),
      [[name, methodOf(operation)]],
    )
  }
})
