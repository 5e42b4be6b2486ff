/** What the reference says of every operation: who may call it, and what it may refuse with. */
import { methodOf, type Operation } from '../api/contract.ts'
import { type Code, statusOf } from '../errors.ts'

/** When each error is the answer. */
export const meaningOf: Record<Code, string> = {
  BAD_REQUEST: 'The input breaks a rule: one issue for each field',
  UNAUTHORIZED: 'Missing or invalid token, or a wrong e-mail, password or code',
  FORBIDDEN: 'The token may not do this',
  NOT_FOUND: 'No such operation or record',
  METHOD_NOT_SUPPORTED: 'The wrong method; the header Allow names the right one',
  CONFLICT: 'Taken, in use, or already running',
  PRECONDITION_FAILED: 'The record is not in a state that allows it',
  PAYLOAD_TOO_LARGE: 'The body is over 1 MiB',
  UNSUPPORTED_MEDIA_TYPE: 'The content type is not JSON',
  UNPROCESSABLE_CONTENT: 'The work waited for ended in error, or an idempotency key came with another body',
  TOO_MANY_REQUESTS: 'Too many tries; the header Retry-After says when to try again',
  INTERNAL_SERVER_ERROR: 'A defect in Berth; its log has the cause under the request id',
  BAD_GATEWAY: 'A registry, storage or certificate authority answered badly, or the engine would not',
  SERVICE_UNAVAILABLE:
    "The engine or the database cannot be reached, or Berth's disk cannot be written; the header " +
    'Retry-After says when to try again',
  GATEWAY_TIMEOUT: 'The other side did not answer in time',
}

/** Of operations that can send their answer bit by bit. */
export const streamText =
  'As a stream the answer is NDJSON (application/x-ndjson): one JSON value a line, sent as it ' +
  'comes. The first line is empty, and one every 30 seconds in which nothing comes: leave empty lines out. A stream ' +
  'that has an end is whole; one that breaks off is not.'

/** What is particular to an operation, by status. */
export function ownRefusalsOf(operation: Operation): Code[] {
  const codes: Code[] = [...(operation.refusals ?? [])]
  if (Object.keys(operation.input.shape).length > 0) codes.push('BAD_REQUEST')
  if (operation.settled !== undefined) codes.push('CONFLICT', 'UNPROCESSABLE_CONTENT')
  if (operation.word === 'look') codes.push('BAD_GATEWAY', 'SERVICE_UNAVAILABLE', 'GATEWAY_TIMEOUT')
  if (operation.stream !== undefined) codes.push('TOO_MANY_REQUESTS')
  return byStatus(codes)
}

/** Everything that an operation may refuse with, by status. */
export function refusalsOf(operation: Operation): Code[] {
  const codes: Code[] = [
    'UNAUTHORIZED',
    'FORBIDDEN',
    'INTERNAL_SERVER_ERROR',
    'SERVICE_UNAVAILABLE',
    ...ownRefusalsOf(operation),
  ]
  // The last two: of idempotency keys.
  const ofBodies: Code[] = [
    'BAD_REQUEST',
    'PAYLOAD_TOO_LARGE',
    'UNSUPPORTED_MEDIA_TYPE',
    'CONFLICT',
    'UNPROCESSABLE_CONTENT',
  ]
  return byStatus(methodOf(operation) === 'POST' ? [...codes, ...ofBodies] : codes)
}

const byStatus = (codes: Code[]) => [...new Set(codes)].sort((a, b) => statusOf[a] - statusOf[b])
