/** The checked-in openapi.json equals the generated document and has every operation. */
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

const document = JSON.parse(JSON.stringify(openApiOf(operations))) as Json & { paths: Record<string, Json> }

test('openapi.json is what the declarations give', () => {
  const text = `${JSON.stringify(document, null, 2)}\n`
  if (process.env.WRITE_OPENAPI === '1') writeFileSync(path, text)
  assert.equal(readFileSync(path, 'utf8') === text, true, `it differs: run ${write} and look at the difference`)
})

test('it has every operation under its path and method, and nothing else', () => {
  const described = Object.entries(document.paths).flatMap(([url, methods]) =>
    Object.keys(methods).map((it) => `${it} ${url}`),
  )
  assert.deepEqual(
    described,
    operations.map((it) => `${methodOf(it).toLowerCase()} /api/${it.name}`),
  )
})

test('every reference leads to something', () => {
  const references = [...JSON.stringify(document).matchAll(/"\$ref":"#\/([^"]+)"/g)].map(([, path]) => path!)
  assert.ok(references.length > 0)
  const target = (path: string) => path.split('/').reduce<unknown>((found, key) => (found as Json)?.[key], document)
  assert.deepEqual(
    references.filter((it) => target(it) === undefined),
    [],
  )
})

test('it is served without a token', async () => {
  await using berth = await startBerth()
  const response = await berth.server.inject('/openapi.json')
  assert.equal(response.statusCode, 200)
  assert.deepEqual(response.json(), document)
})
