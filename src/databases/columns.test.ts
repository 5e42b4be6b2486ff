/** The schemas of columns. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { z } from 'zod'
import {
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

test('copies every optional column to the target except those that do not change what runs', () => {
  const others = ['description', 'startTimeout', 'applicationStatus']
  assert.deepEqual(
    deployedNames,
    columnNames.filter((name) => !others.includes(name)),
  )
  assert.deepEqual(initialTarget, pick(initialColumns, deployedNames))
})

test('picks the named properties', () => {
  assert.deepEqual(pick({ a: 1, b: null, c: 3 }, ['a', 'b']), { a: 1, b: null })
})
