/** Every field of every operation, in input and answer, has a description in the OpenAPI document. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openApiOf } from '../../src/http/openapi.ts'
import { operations } from '../../src/operations.ts'

interface Schema {
  $ref?: string
  description?: string
  properties?: Record<string, Schema>
  items?: Schema
  anyOf?: Schema[]
  oneOf?: Schema[]
  allOf?: Schema[]
  additionalProperties?: Schema | boolean
}

type Content = Record<string, { schema: Schema }>

interface Described {
  operationId: string
  parameters: { $ref?: string; name?: string; description?: string; schema?: Schema }[]
  requestBody?: { content: Content }
  responses: Partial<Record<200 | 101, { content: Content }>>
}

const document = JSON.parse(JSON.stringify(openApiOf(operations))) as {
  paths: Record<string, Record<string, Described>>
  components: { schemas: Record<string, Schema> }
}
const described = Object.values(document.paths).flatMap((methods) => Object.values(methods))

const componentOf = ({ $ref }: Schema) => document.components.schemas[$ref?.split('/').at(-1) ?? '']

const hasDescription = (schema: Schema | undefined): boolean =>
  (schema?.description ?? componentOf(schema ?? {})?.description ?? '').length >= 3

/** The paths of the fields without a description, at any depth. References are not followed. */
function undescribed(schema: Schema, path: string): string[] {
  const { properties = {}, items, anyOf = [], oneOf = [], allOf = [], additionalProperties } = schema
  const parts = [...(items === undefined ? [] : [items]), ...anyOf, ...oneOf, ...allOf]
  if (typeof additionalProperties === 'object') parts.push(additionalProperties)
  return [
    ...parts.flatMap((part) => undescribed(part, path)),
    ...Object.entries(properties).flatMap(([name, field]) => [
      ...(hasDescription(field) ? [] : [`${path}.${name}`]),
      ...undescribed(field, `${path}.${name}`),
    ]),
  ]
}

const inContent = (content: Content | undefined, path: string) =>
  Object.values(content ?? {}).flatMap(({ schema }) => undescribed(schema, path))

test('every query parameter has a description', () => {
  const missing = described.flatMap(({ operationId, parameters }) =>
    parameters
      .filter((parameter) => parameter.name !== undefined)
      .filter((parameter) => !hasDescription(parameter) && !hasDescription(parameter.schema))
      .map(({ name }) => `${operationId}?${name}`),
  )
  assert.deepEqual(missing, [])
  assert.ok(described.some(({ parameters }) => parameters.some(({ name }) => name === 'limit')))
})

test('every field of a request has a description, also the fields of nested objects', () => {
  const missing = described.flatMap(({ operationId, requestBody }) => inContent(requestBody?.content, operationId))
  assert.deepEqual(missing, [])
})

test('every field of an answer has a description, also the fields of nested objects', () => {
  const missing = described.flatMap(({ operationId, responses }) =>
    inContent((responses[200] ?? responses[101])?.content, operationId),
  )
  assert.deepEqual([...new Set(missing)], [])
})

test('every field of a named record has a description, except those of errors', () => {
  const { Error: _, ...records } = document.components.schemas
  const missing = Object.entries(records).flatMap(([name, record]) => undescribed(record, name))
  assert.deepEqual(missing, [])
  assert.ok(Object.keys(records).length > 10)
})
