/** The messages for wrong input of rules that have no message of their own. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { z } from 'zod'
import { inputMessage } from './input-message.ts'

const table: [schema: z.ZodType, input: unknown, message: string][] = [
  [z.string(), undefined, 'is required'],
  [z.enum(['a', 'b']), undefined, 'is required'],
  [z.object({}), undefined, 'is required'],
  [z.string(), 5, 'must be a text'],
  [z.string(), null, 'must be a text'],
  [z.number(), 'x', 'must be a number'],
  [z.int(), 1.5, 'must be a whole number'],
  [z.boolean(), 'yes', 'must be true or false'],
  [z.array(z.string()), 'a', 'must be a list'],
  [z.object({}), [], 'must be an object'],
  [z.enum(['a', 'b']), 'c', 'must be one of a, b'],
  [z.literal(true), false, 'must be true'],
  [z.string().min(2), 'a', 'must have at least 2 characters'],
  [z.string().max(2), 'abc', 'must have at most 2 characters'],
  [z.array(z.string()).max(1), ['a', 'b'], 'must have at most 1 element'],
  [z.number().min(3), 2, 'must be at least 3'],
  [z.number().max(3), 4, 'must be at most 3'],
  [z.string('must be a name'), 5, 'must be a name'],
]

for (const [schema, input, message] of table) {
  test(`${JSON.stringify(input)} ${message}`, () => {
    assert.equal(schema.safeParse(input, { error: inputMessage }).error?.issues[0]?.message, message)
  })
}
