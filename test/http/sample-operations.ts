/** Sample operations for tests of the HTTP server. */

import { z } from 'zod'
import { action, command, type Operation, query } from '../../src/api/contract.ts'
import type { DeploymentReason } from '../../src/deployments/reason.ts'
import type { DeploymentState } from '../../src/deployments/table.ts'
import { Refusal } from '../../src/errors.ts'
import { toJson } from '../../src/lib/json.ts'

/** A text that no answer may contain. */
export const secretDetail = 'the database said: password=hunter2'

/** @param gate test.slow answers when this promise resolves */
export function sampleOperations(gate: Promise<void> = Promise.resolve()): Operation[] {
  const text = z.string().min(1, 'must not be empty').max(20, 'must have at most 20 characters')
  return [
    query({
      name: 'test.read',
      summary: 'Read',
      access: 'user:read',
      input: z.object({ text, limit: z.coerce.number('must be a number').optional(), cursor: z.string().optional() }),
      output: z.object({ text: z.string(), limit: z.number().optional() }),
      run: async ({ setNextCursor }, { text, limit, cursor }) => {
        if (cursor !== undefined) setNextCursor(cursor)
        return { text, limit }
      },
    }),
    action({
      name: 'test.echo',
      summary: 'Echo',
      access: 'user:admin',
      input: z.object({ text: text.optional() }),
      output: z.object({ text: z.string().optional() }),
      run: async (_context, input) => input,
    }),
    action({
      name: 'test.none',
      summary: 'Without input',
      access: 'user:admin',
      input: z.object({}),
      output: z.object({ count: z.number() }),
      run: async () => ({ count: ++count }),
    }),
    action({
      name: 'test.slow',
      summary: 'Slow',
      access: 'user:admin',
      input: z.object({}),
      output: z.object({ ok: z.literal(true) }),
      run: async () => gate.then(() => ({ ok: true as const })),
    }),
    query({
      name: 'test.admin',
      summary: 'For administrators',
      access: 'admin:read',
      input: z.object({}),
      output: z.object({}),
      run: async () => ({}),
    }),
    action({
      name: 'test.fail',
      summary: 'Fail',
      access: 'user:admin',
      input: z.object({ failure: z.enum(['defect', 'thrown', 'status', 'cause', 'limited', 'unavailable', 'answer']) }),
      output: z.object({ ok: z.literal(true) }),
      run: async (_context, { failure }) => failureOf[failure]!(),
    }),
    command({
      name: 'test.work',
      summary: 'Long work',
      access: 'user:admin',
      input: z.object({ state: z.enum(['running', 'done', 'error', 'superseded']) }),
      output: z.object({ state: z.string() }),
      run: async ({ tx, follow, newId }, { state }) => {
        const id = newId()
        await tx
          .insertInto('deployment')
          .values({ ...deployment, id, state: state as DeploymentState })
          .execute()
        follow(id)
        return { state: 'running' }
      },
      finalAnswer: async () => ({ state: 'settled' }),
    }),
  ]
}

let count = 0

const failureOf: Record<string, () => never> = {
  defect: () => {
    throw new Error(secretDetail)
  },
  thrown: () => {
    throw secretDetail as unknown as Error
  },
  status: () => {
    throw Object.assign(new Error(secretDetail), { statusCode: 404, code: 'FST_ERR_BAD_URL' })
  },
  cause: () => {
    throw new Refusal('BAD_GATEWAY', 'The registry answered badly', { cause: new Error(secretDetail) })
  },
  limited: () => {
    throw new Refusal('TOO_MANY_REQUESTS', 'Too many attempts', { retryAfterSeconds: 0.2 })
  },
  unavailable: () => {
    throw new Refusal('SERVICE_UNAVAILABLE', 'The engine does not answer')
  },
  answer: () => ({ ok: false }) as never,
}

const deployment = {
  subjectKind: 'database',
  subjectId: 'none',
  action: 'deploy',
  phase: 'apply',
  reason: toJson<DeploymentReason>({ reason: 'CopyFailed', detail: 'it crashed' }),
  startedAt: '2030-01-01T00:00:00.000Z',
  phaseAt: '2030-01-01T00:00:00.000Z',
  finishedAt: null,
} as const
