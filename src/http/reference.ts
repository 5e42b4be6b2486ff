/** Texts for openapi.json and the reference page: the errors of operations, and how streams work. */
import { methodOf, type Operation } from '../api/contract.ts'
import { type Code, statusOf } from '../errors.ts'

/** When each error is answered. */
export const errorDescriptions: Record<Code, string> = {
  BAD_REQUEST: 'Invalid input: one issue for each field',
  UNAUTHORIZED: 'Missing or invalid token, or a wrong e-mail, password or code',
  FORBIDDEN: 'The token does not permit this call, or a cookie was sent by a page of another origin',
  NOT_FOUND: 'No such operation or record',
  METHOD_NOT_SUPPORTED: 'Wrong method; the header Allow contains the right one',
  CONFLICT:
    'The name or port is taken, the record is in use, work is already running, or a later call superseded the work',
  PRECONDITION_FAILED:
    'The state of the record does not allow the call, or the record has no tag of If-Match; see the header ETag',
  PAYLOAD_TOO_LARGE: 'The body is larger than 1 MiB',
  UNSUPPORTED_MEDIA_TYPE: 'The content type is not JSON',
  UNPROCESSABLE_CONTENT: 'The work for which the call waited failed, or the idempotency key was used with another body',
  TOO_MANY_REQUESTS: 'Too many attempts or streams; try again after the seconds in the header Retry-After',
  INTERNAL_SERVER_ERROR: 'Internal error; the log line with the request id has the cause',
  BAD_GATEWAY: 'A registry, storage, certificate authority or the Docker engine failed or rejected the request',
  SERVICE_UNAVAILABLE:
    "The Docker engine or the database is unreachable, or Berth's disk is not writable; try again after the seconds " +
    'in the header Retry-After',
  GATEWAY_TIMEOUT: 'The engine, registry or storage did not answer in time',
}

/** Description of streamed answers. */
export const streamText =
  'A streamed answer is NDJSON (application/x-ndjson): one JSON value per line, sent as it arrives. The first line ' +
  'is empty, and an empty line is sent after 30 seconds without a value: skip empty lines. If the connection breaks ' +
  'before the stream ends, the answer is incomplete.'

/** The errors that are specific to an operation, sorted by status. */
export function ownRefusalsOf(operation: Operation): Code[] {
  const codes: Code[] = [...(operation.refusals ?? [])]
  if (Object.keys(operation.input.shape).length > 0) codes.push('BAD_REQUEST')
  if (operation.finalAnswer !== undefined) codes.push('CONFLICT', 'UNPROCESSABLE_CONTENT')
  if (operation.type === 'inspect') codes.push('BAD_GATEWAY', 'SERVICE_UNAVAILABLE', 'GATEWAY_TIMEOUT')
  if (operation.stream !== undefined) codes.push('TOO_MANY_REQUESTS')
  return byStatus(codes)
}

/**
 * All errors of an operation, sorted by status.
 * @param isChange whether the operation changes a record with a tag
 */
export function refusalsOf(operation: Operation, isChange: boolean): Code[] {
  const codes: Code[] = [
    'BAD_REQUEST',
    'UNAUTHORIZED',
    'FORBIDDEN',
    'INTERNAL_SERVER_ERROR',
    'SERVICE_UNAVAILABLE',
    ...ownRefusalsOf(operation),
  ]
  // CONFLICT and UNPROCESSABLE_CONTENT are errors of idempotency keys.
  const postErrors: Code[] = [
    ...(isChange ? (['NOT_FOUND', 'PRECONDITION_FAILED'] as const) : []),
    'PAYLOAD_TOO_LARGE',
    'UNSUPPORTED_MEDIA_TYPE',
    'CONFLICT',
    'UNPROCESSABLE_CONTENT',
  ]
  return byStatus(methodOf(operation) === 'POST' ? [...codes, ...postErrors] : codes)
}

const byStatus = (codes: Code[]) => [...new Set(codes)].sort((a, b) => statusOf[a] - statusOf[b])
