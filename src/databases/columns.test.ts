/** The schemas of columns, and the response schemas derived from them. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { z } from 'zod'
import {
  answerShape,
  columnNames,
  deployedNames,
  initialColumns,
  initialTarget,
  optional,
  pick,
  placement,
  placementNames,
} from './columns.ts'

test('has a valid initial value for every optional column', () => {
  assert.deepEqual(Object.keys(initialColumns), [...columnNames, ...placementNames])
  const schema = z.object({ ...optional.shape, ...placement.shape })
  assert.deepEqual(schema.parse(initialColumns), initialColumns)
})

test('has null as the initial value of every optional column except the status', () => {
  const { applicationStatus, ...others } = initialColumns
  assert.equal(applicationStatus, 'idle')
  assert.deepEqual([...new Set(Object.values(others))], [null])
})

test('copies every optional column to the target except the description and the status', () => {
  const others = ['description', 'applicationStatus']
  assert.deepEqual(
    deployedNames,
    columnNames.filter((name) => !others.includes(name)),
  )
  assert.deepEqual(initialTarget, pick(initialColumns, deployedNames))
})

/** For each input schema: a stored value that a response must accept, and a value of the wrong type. */
const columns: [name: string, schema: z.ZodType, older: unknown, wrong: unknown][] = [
  ['a text', z.string().max(3).optional(), 'long', 5],
  ['a text or null', z.string().min(1).nullable().optional(), '', undefined],
  ['null', z.string().min(1).nullable().optional(), null, 5],
  ['a text with a check', z.string().refine(() => false), 'x', null],
  ['a number', z.number().max(3).nullable().optional(), 4.5, '4'],
  ['an enumeration', z.enum(['a', 'b']).optional(), 'a', 'c'],
]

for (const [name, schema, older, wrong] of columns) {
  test(`accepts ${name} in a response without the limits of the input, but not another type`, () => {
    const response = answerShape(z.object({ column: schema })).column!
    assert.equal(response.parse(older), older)
    assert.equal(response.safeParse(wrong).success, false)
  })
}

test('keeps the description of a column in the response schema', () => {
  const { column } = answerShape(z.object({ column: z.number().nullable().optional().describe('MiB') }))
  assert.equal(column!.description, 'MiB')
})

test('refuses a column of an unsupported type', () => {
  assert.throws(() => answerShape(z.object({ column: z.boolean() })), /text, a number or an enumeration/)
})

test('picks the named properties', () => {
  assert.deepEqual(pick({ a: 1, b: null, c: 3 }, ['a', 'b']), { a: 1, b: null })
})
