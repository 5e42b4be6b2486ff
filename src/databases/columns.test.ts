/** The column tables agree with each other, and stored values are answered without the limits of new ones. */
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

test('every column that may be left out has an initial value that its schema accepts', () => {
  assert.deepEqual(Object.keys(initialColumns), [...columnNames, ...placementNames])
  const schema = z.object({ ...optional.shape, ...placement.shape })
  assert.deepEqual(schema.parse(initialColumns), initialColumns)
})

test('a new database has null in every column but its status', () => {
  const { applicationStatus, ...others } = initialColumns
  assert.equal(applicationStatus, 'idle')
  assert.deepEqual([...new Set(Object.values(others))], [null])
})

test('the target has every column that may be left out but the description and the status', () => {
  const others = ['description', 'applicationStatus']
  assert.deepEqual(
    deployedNames,
    columnNames.filter((name) => !others.includes(name)),
  )
  assert.deepEqual(initialTarget, pick(initialColumns, deployedNames))
})

/** A schema of input, a value that only older rules accepted, and one of another type. */
const columns: [name: string, schema: z.ZodType, older: unknown, wrong: unknown][] = [
  ['a text', z.string().max(3).optional(), 'long', 5],
  ['a text or null', z.string().min(1).nullable().optional(), '', undefined],
  ['null', z.string().min(1).nullable().optional(), null, 5],
  ['a text with a check', z.string().refine(() => false), 'x', null],
  ['a number', z.number().max(3).nullable().optional(), 4.5, '4'],
  ['an enumeration', z.enum(['a', 'b']).optional(), 'a', 'c'],
]

for (const [name, schema, older, wrong] of columns) {
  test(`${name} is answered without limits, and always of its type`, () => {
    const answer = answerShape(z.object({ it: schema })).it!
    assert.equal(answer.parse(older), older)
    assert.equal(answer.safeParse(wrong).success, false)
  })
}

test('an answer keeps the description of its column', () => {
  const { it } = answerShape(z.object({ it: z.number().nullable().optional().describe('MiB') }))
  assert.equal(it!.description, 'MiB')
})

test('a column of another type is refused', () => {
  assert.throws(() => answerShape(z.object({ it: z.boolean() })), /text, a number or an enumeration/)
})

test('pick takes the named properties', () => {
  assert.deepEqual(pick({ a: 1, b: null, c: 3 }, ['a', 'b']), { a: 1, b: null })
})
