/** Selects the runs to start in the order of their due times, with limits per node and per destination. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { selectRuns, type RunResources } from './next-runs.ts'

const at = (nodeId: string | null, destinationId: string): RunResources => ({ nodeId, destinationId })
const due = (resources: RunResources[], cancelled: number[] = []) =>
  resources.map((used, index) => ({
    ...used,
    id: `${index}`,
    cancelled: cancelled.includes(index) ? (1 as const) : (0 as const),
  }))

const cases: [name: string, inUse: RunResources[], waiting: ReturnType<typeof due>, started: string[]][] = [
  ['starts at most two runs per node', [], due([at('a', 'x'), at('a', 'y'), at('a', 'z')]), ['0', '1']],
  ['starts at most two runs per destination', [], due([at('a', 'x'), at('b', 'x'), at('c', 'x')]), ['0', '1']],
  [
    'starts runs on other nodes if one node is full',
    [at('a', 'x'), at('a', 'y')],
    due([at('a', 'z'), at('b', 'z'), at('c', 'z')]),
    ['1', '2'],
  ],
  [
    'starts runs to other destinations if one destination is full',
    [at('a', 'x'), at('b', 'x')],
    due([at('c', 'x'), at('c', 'y')]),
    ['1'],
  ],
  [
    'counts a run without a node only for its destination',
    [at(null, 'x')],
    due([at(null, 'x'), at(null, 'x'), at(null, 'y')]),
    ['0', '2'],
  ],
  [
    'always starts a cancelled run, and does not count it',
    [at('a', 'x'), at('a', 'x')],
    due([at('a', 'x'), at('a', 'x')], [1]),
    ['1'],
  ],
]
for (const [name, inUse, waiting, started] of cases) {
  test(name, () =>
    assert.deepEqual(
      selectRuns(waiting, inUse, 2).map(({ id }) => id),
      started,
    ),
  )
}
