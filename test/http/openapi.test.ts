/** The checked-in openapi.json equals the generated document and contains every operation. */
import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { test } from 'node:test'
import { methodOf } from '../../src/api/contract.ts'
import { openApiOf } from '../../src/http/openapi.ts'
import { operations } from '../../src/operations.ts'
import { startBerth } from '../fixtures/harness.ts'

const path = new URL('../../openapi.json', import.meta.url)
const write = 'WRITE_OPENAPI=1 node --test test/http/openapi.test.ts'

type Json = Record<string, unknown>

const document = JSON.parse(JSON.stringify(openApiOf(operations))) as Json & {
  paths: Record<string, Json>
  components: { schemas: Json }
}

test('openapi.json equals the document generated from the declarations', () => {
  const text = `${JSON.stringify(document, null, 2)}\n`
  if (process.env.WRITE_OPENAPI === '1') writeFileSync(path, text)
  assert.equal(
    readFileSync(path, 'utf8') === text,
    true,
    `openapi.json differs: run ${write} and review the difference`,
  )
})

test('the document contains every operation with its path and method, the stream of events, and nothing else', () => {
  const described = Object.entries(document.paths).flatMap(([url, methods]) =>
    Object.keys(methods).map((operation) => `${operation} ${url}`),
  )
  assert.deepEqual(described, [
    ...operations.map((operation) => `${methodOf(operation).toLowerCase()} /api/${operation.name}`),
    'get /api/events',
  ])
})

test('every reference has a target', () => {
  const references = [...JSON.stringify(document).matchAll(/"\$ref":"#\/([^"]+)"/g)].map(([, path]) => path!)
  assert.ok(references.length > 0)
  const target = (path: string) => path.split('/').reduce<unknown>((node, key) => (node as Json)?.[key], document)
  assert.deepEqual(
    references.filter((operation) => target(operation) === undefined),
    [],
  )
})

test('a long list of values is in the document only once', () => {
  const lists: string[] = []
  JSON.stringify(document, (key, value) => {
    if (key === 'enum' && (value as unknown[]).length > 12) lists.push(String(value))
    return value as unknown
  })
  assert.deepEqual(
    lists.filter((list, at) => lists.indexOf(list) !== at),
    [],
    'give the schema a title, so that it becomes a component',
  )
  for (const name of ['DeploymentReason', 'StatusReason', 'DriftReason', 'RunReason', 'ConditionReason']) {
    assert.ok(Object.hasOwn(document.components.schemas, name), name)
  }
})

test('GET /openapi.json needs no token', async () => {
  await using berth = await startBerth()
  const response = await berth.server.inject('/openapi.json')
  assert.equal(response.statusCode, 200)
  assert.deepEqual(response.json(), document)
})
