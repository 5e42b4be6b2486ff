/** Samples become values of series, old ones are removed once an hour, and a failure is logged once. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { recorderFor } from '../../src/history/record.ts'
import type { SeriesValue } from '../../src/history/statements.ts'
import { startTestBerth } from '../fixtures/test-berth.ts'

const samplesAt = (minutes: number) => ({
  at: new Date(Date.UTC(2030, 0, 1, 0, minutes)),
  databases: new Map([['db1', { up: 1, connections: 3 }]]),
  nodes: new Map([['node1', { load1: 0.5 }]]),
})

test('records each value with its subject, and prunes an hour later with the ids of all records', async () => {
  await using berth = await startTestBerth()
  const recorded: SeriesValue[][] = []
  const pruned: ReadonlySet<string>[] = []
  const record = recorderFor(
    {
      record: async (_at, values) => void recorded.push([...values]),
      prune: async (_at, subjects) => void pruned.push(subjects),
    },
    berth.app.db,
    { error: assert.fail },
  )
  await record(samplesAt(0))
  assert.deepEqual(recorded[0], [
    { subject: 'db1', metric: 'up', value: 1 },
    { subject: 'db1', metric: 'connections', value: 3 },
    { subject: 'node1', metric: 'load1', value: 0.5 },
  ])
  await record(samplesAt(59))
  assert.equal(pruned.length, 0)
  await record(samplesAt(60))
  await record(samplesAt(61))
  assert.equal(pruned.length, 1)
  const nodes = await berth.app.db.selectFrom('node').select('id').execute()
  assert.deepEqual(
    [...pruned[0]!],
    nodes.map(({ id }) => id),
  )
})

test('a failure is logged once until the next success, and ends nothing', async () => {
  await using berth = await startTestBerth()
  const errors: string[] = []
  let isFull = true
  const history = {
    record: async () => {
      if (isFull) throw new Error('database or disk is full')
    },
    prune: async () => undefined,
  }
  const record = recorderFor(history, berth.app.db, { error: (message) => errors.push(message) })
  await record(samplesAt(0))
  await record(samplesAt(1))
  isFull = false
  await record(samplesAt(2))
  isFull = true
  await record(samplesAt(3))
  assert.deepEqual(errors, Array(2).fill('samples could not be added to the history'))
})
