/** The components of the OpenAPI document: errors, headers, parameters and the ways to authenticate. */
import { z } from 'zod'
import { ProofReasonCode } from '../accounts/reauthentication.ts'
import type { Operation } from '../api/contract.ts'
import { RunReasonCode } from '../backups/run-fields.ts'
import { StatusReasonCode } from '../databases/operations/fields.ts'
import { DeploymentReasonCode } from '../deployments/fields.ts'
import { type Code, statusOf } from '../errors.ts'
import { cookieName, secureCookieName } from './callers/session-cookie.ts'
import { maxWaitSeconds } from './headers.ts'
import type { Schemas } from './openapi-schemas.ts'
import { errorDescriptions, refusalsOf } from './reference.ts'

export type Json = Record<string, unknown>

/** References to the header components with these names. */
export function headersOf(names: string[]): Json {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]))
}

export function componentsOf(operations: readonly Operation[], schemas: Schemas): Json {
  const codes = new Set(operations.flatMap((operation) => refusalsOf(operation, true)))
  const used = (Object.keys(statusOf) as Code[]).filter((code) => codes.has(code))
  return {
    securitySchemes: { bearer, cookie },
    parameters,
    headers: answerHeaders,
    responses: Object.fromEntries(used.map((code) => [code, errorResponse(code)])),
    schemas: schemas.components,
  }
}

function errorResponse(code: Code): Json {
  const names = ['X-Request-Id']
  if (code === 'PRECONDITION_FAILED') names.push('ETag')
  if (code === 'UNAUTHORIZED') names.push('WWW-Authenticate')
  if (code === 'TOO_MANY_REQUESTS' || code === 'SERVICE_UNAVAILABLE') names.push('Retry-After')
  const schema = { $ref: '#/components/schemas/Error' }
  return {
    description: errorDescriptions[code],
    headers: headersOf(names),
    content: { 'application/json': { schema } },
  }
}

const bearer: Json = {
  type: 'http',
  scheme: 'bearer',
  description: 'A token of Berth. The description of each operation says which tokens it accepts',
}

const cookie: Json = {
  type: 'apiKey',
  in: 'cookie',
  name: cookieName,
  description:
    'Only for pages of Berth in a browser: the session of a sign-in with `cookie: true`. Over TLS the name is ' +
    `${secureCookieName}. The request must come from a page of Berth (Origin, Sec-Fetch-Site). A bearer token counts alone`,
}

const header = (description: string, schema: Json = { type: 'string' }) => ({ description, schema })

const answerHeaders: Json = {
  'X-Request-Id': header('Id of this request in the log'),
  'Berth-Ignored-Fields': header('Names of unknown fields in the request, percent-encoded and separated by commas'),
  'Berth-Next-Cursor': header('Send this value as cursor to read the next page; absent on the last page'),
  ETag: header(
    'The tag of the record: a text in double quotes that changes with each edit of the record. A change has this header ' +
      'if it was sent with If-Match; an error has it if the record has another tag',
  ),
  'Set-Cookie': header('Only with `cookie: true`: the cookie with the token of the session'),
  'Content-Disposition': header('attachment, with the name under which to save the file'),
  'Repr-Digest': header('The SHA-256 checksum of the file (RFC 9530); absent if it is known only at the end'),
  'Preference-Applied': header('wait=N: the call waited for the end of its work, for at most N seconds'),
  'Berth-Pending': header('true: the wait ended before the work did, and the work goes on'),
  'WWW-Authenticate': header('Always Bearer: send a bearer token'),
  'Retry-After': header('Number of seconds to wait before the next attempt', { type: 'integer', minimum: 1 }),
}

const parameters: Json = {
  Prefer: {
    name: 'Prefer',
    in: 'header',
    required: false,
    example: 'wait=60',
    description: `wait=N: wait for the end of the work, for at most N seconds. The limit for N is ${maxWaitSeconds}`,
    schema: { type: 'string' },
  },
  IdempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    required: false,
    description:
      'If a call is repeated with the same key and body within 24 hours, it gets the first answer and changes nothing',
    schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[ -~]*$' },
  },
  IfMatch: {
    name: 'If-Match',
    in: 'header',
    required: false,
    description:
      'The header ETag of the record as you have read it. The call changes the record only if the record still has this ' +
      'tag, and is refused with 412 otherwise. Several tags are separated by commas; * stands for any existing record',
    schema: { type: 'string', pattern: '^(\\*|"[!#-+\\--~]{1,255}"( *, *"[!#-+\\--~]{1,255}")*)$' },
  },
}

/** The body of every error answer. */
export const ErrorBody = z.object({
  message: z.string().describe('What is wrong and what to do'),
  code: z.enum(Object.keys(statusOf) as [Code, ...Code[]]),
  issues: z
    .array(
      z.object({
        message: z.string(),
        path: z.string().describe('Name of the field; empty if the message is about the whole input'),
      }),
    )
    .describe('One entry for each invalid field; empty if the error is not about a field'),
  reason: z
    .union([DeploymentReasonCode, StatusReasonCode, RunReasonCode, ProofReasonCode])
    .optional()
    .describe(
      'Code of the reason why the work failed or the call was refused, for programs. Absent if the error has no such ' +
        'reason. Later versions may add codes',
    ),
})
