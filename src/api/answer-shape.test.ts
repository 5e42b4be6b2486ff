/** The response schemas that are derived from input schemas. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { z } from 'zod'
import { answerShape } from './answer-shape.ts'

/** For each input schema: a stored value that a response must accept, and a value of the wrong type. */
const columns: [name: string, schema: z.ZodType, older: unknown, wrong: unknown][] = [
  ['a text', z.string().max(3).optional(), 'long', 5],
  ['a text or null', z.string().min(1).nullable().optional(), '', undefined],
  ['null', z.string().min(1).nullable().optional(), null, 5],
  ['a text with a check', z.string().refine(() => false), 'x', null],
  ['a number', z.number().max(3).nullable().optional(), 4.5, '4'],
  ['a boolean', z.boolean().default(true), false, undefined],
  ['an enumeration', z.enum(['a', 'b']).optional(), 'a', 'c'],
]

for (const [name, schema, older, wrong] of columns) {
  test(`accepts ${name} in a response without the limits of the input, but not another type`, () => {
    const response = answerShape({ column: schema }).column
    assert.equal(response.parse(older), older)
    assert.equal(response.safeParse(wrong).success, false)
  })
}

test('keeps the description of a field in the response schema', () => {
  const { column } = answerShape({ column: z.number().nullable().optional().describe('MiB') })
  assert.equal(column.description, 'MiB')
})

test('refuses a field of an unsupported type', () => {
  assert.throws(() => answerShape({ column: z.date() }), /text, a number, a boolean, an enumeration or a list/)
})
