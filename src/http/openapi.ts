/** The OpenAPI 3.1 document, generated from the declarations of operations. */
import manifest from '../../package.json' with { type: 'json' }
import { accessText, callers, canCall, isSignIn } from '../api/access.ts'
import { fileOutput, methodOf, type Operation } from '../api/contract.ts'
import { recordReads } from '../api/precondition.ts'
import { statusOf } from '../errors.ts'
import { eventsPath } from './events.ts'
import { componentsOf, ErrorBody, type Json, headersOf } from './openapi-components.ts'
import { eventSchemas, eventsPathItem } from './openapi-events.ts'
import { groupOf, queryParameters, type Schema, type Schemas, schemasOf } from './openapi-schemas.ts'
import { refusalsOf, streamText } from './reference.ts'
import { pathOf } from './routes.ts'
import { fileType } from './streams/file.ts'
import { streamType } from './streams/ndjson.ts'

export function openApiOf(operations: readonly Operation[]): Json {
  const schemas = schemasOf(operations, { Error: ErrorBody, ...eventSchemas })
  const changes = new Set(recordReads(operations).keys())
  return {
    openapi: '3.1.1',
    info: { title: 'Berth', version: manifest.version, description: manifest.description },
    servers: [{ url: '/' }],
    security: [{ bearer: [] }, { cookie: [] }],
    tags: [...new Set([...operations.map(groupOf), 'events'])].map((name) => ({ name })),
    paths: {
      ...Object.fromEntries(operations.map((each) => [pathOf(each), pathItem(each, schemas, changes.has(each.name))])),
      [eventsPath]: eventsPathItem(),
    },
    components: componentsOf(operations, schemas),
  }
}

/** @param isChange whether the operation changes a record with a tag */
function pathItem(operation: Operation, schemas: Schemas, isChange: boolean): Json {
  return { [methodOf(operation).toLowerCase()]: describe(operation, schemas, isChange) }
}

function describe(operation: Operation, schemas: Schemas, isChange: boolean): Json {
  const input = schemas.inputOf(operation)
  const isPost = methodOf(operation) === 'POST'
  return {
    operationId: operation.name,
    tags: [groupOf(operation)],
    summary: operation.summary,
    description: [operation.description, operation.stream && streamText, `Access: ${accessText(operation.access)}.`]
      .filter(Boolean)
      .join('\n\n'),
    ...securityOf(operation),
    parameters: isPost ? headerParameters(operation, isChange) : queryParameters(input),
    ...(isPost ? { requestBody: requestBody(input) } : {}),
    responses: {
      200: {
        description:
          operation.finalAnswer === undefined
            ? 'Success'
            : 'The work is recorded. With Prefer: wait it has ended, or the wait timed out',
        headers: answerHeaders(operation, isChange),
        content: answerContent(operation, schemas.outputOf(operation)),
      },
      ...Object.fromEntries(
        refusalsOf(operation, isChange).map((code) => [statusOf[code], { $ref: `#/components/responses/${code}` }]),
      ),
    },
  }
}

/** How to authenticate, if not as in all operations. A cookie can only have a session. */
function securityOf({ access }: Operation): Json {
  if (access === 'anyone') return { security: [] }
  return canCall(access, callers['admin session']!) ? {} : { security: [{ bearer: [] }] }
}

/** The schema of a stream describes one of its lines. */
function answerContent({ stream, output }: Operation, schema: Schema): Json {
  if (output === fileOutput) return { [fileType]: { schema } }
  const json = { 'application/json': { schema } }
  return stream === undefined ? json : { ...json, [streamType]: { schema: schema.items } }
}

/** The request headers of an operation. */
function headerParameters(operation: Operation, isChange: boolean): Json[] {
  // Sign-ins ignore the key: a stored answer would let callers bypass the limits on guessing.
  const idempotencyKey = isSignIn(operation.access) ? [] : ['IdempotencyKey']
  const names = [
    ...(operation.finalAnswer === undefined ? [] : ['Prefer']),
    ...idempotencyKey,
    ...(isChange ? ['IfMatch'] : []),
  ]
  return names.map((name) => ({ $ref: `#/components/parameters/${name}` }))
}

function requestBody(schema: Schema): Json {
  return { required: (schema.required ?? []).length > 0, content: { 'application/json': { schema } } }
}

function answerHeaders(operation: Operation, isChange: boolean): Json {
  const names = ['X-Request-Id']
  if (Object.keys(operation.input.shape).length > 0) names.push('Berth-Ignored-Fields')
  if (Object.hasOwn(operation.input.shape, 'cursor')) names.push('Berth-Next-Cursor')
  if (isChange || operation.tag !== undefined) names.push('ETag')
  if (Object.hasOwn(operation.input.shape, 'cookie')) names.push('Set-Cookie')
  if (operation.output === fileOutput) names.push('Content-Disposition', 'Repr-Digest')
  if (operation.finalAnswer !== undefined) names.push('Preference-Applied', 'Berth-Pending')
  return headersOf(names)
}
