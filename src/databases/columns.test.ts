/** The column tables are consistent, and stored values are returned without the limits of new ones. */
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

test('creates a database with null in every column except the status', () => {
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

/** An input schema, a value that only older rules accepted, and a value of another type. */
const columns: [name: string, schema: z.ZodType, older: unknown, wrong: unknown][] = [
  ['a text', z.string().max(3).optional(), 'long', 5],
  ['a text or null', z.string().min(1).nullable().optional(), '', undefined],
  ['null', z.string().min(1).nullable().optional(), null, 5],
  ['a text with a check', z.string().refine(() => false), 'x', null],
  ['a number', z.number().max(3).nullable().optional(), 4.5, '4'],
  ['an enumeration', z.enum(['a', 'b']).optional(), 'a', 'c'],
]

for (const [name, schema, older, wrong] of columns) {
  test(`returns ${name} without limits and only of its type`, () => {
    const answer = answerShape(z.object({ it: schema })).it!
    assert.equal(answer.parse(older), older)
    assert.equal(answer.safeParse(wrong).success, false)
  })
}

test('keeps the description of a column in the response schema', () => {
  const { it } = answerShape(z.object({ it: z.number().nullable().optional().describe('MiB') }))
  assert.equal(it!.description, 'MiB')
})

test('refuses a column of an unsupported type', () => {
  assert.throws(() => answerShape(z.object({ it: z.boolean() })), /text, a number or an enumeration/)
})

test('pick returns the named properties', () => {
  assert.deepEqual(pick({ a: 1, b: null, c: 3 }, ['a', 'b']), { a: 1, b: null })
})
