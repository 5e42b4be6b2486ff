/** Selection of the runs to start, limited per node and per destination, in the order of due times. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { selectRuns, type RunResources } from './next-runs.ts'

const at = (nodeId: string | null, destinationId: string): RunResources => ({ nodeId, destinationId })
const due = (resources: RunResources[], cancelled: number[] = []) =>
  resources.map((place, index) => ({
    ...place,
    id: `${index}`,
    cancelled: cancelled.includes(index) ? (1 as const) : (0 as const),
  }))

const cases: [name: string, inUse: RunResources[], waiting: ReturnType<typeof due>, started: string[]][] = [
  ['starts at most two runs per node', [], due([at('a', 'x'), at('a', 'y'), at('a', 'z')]), ['0', '1']],
  ['starts at most two runs per destination', [], due([at('a', 'x'), at('b', 'x'), at('c', 'x')]), ['0', '1']],
  [
    'a full node does not block other nodes',
    [at('a', 'x'), at('a', 'y')],
    due([at('a', 'z'), at('b', 'z'), at('c', 'z')]),
    ['1', '2'],
  ],
  [
    'a full destination does not block other destinations',
    [at('a', 'x'), at('b', 'x')],
    due([at('c', 'x'), at('c', 'y')]),
    ['1'],
  ],
  [
    'a run without a node counts only for its destination',
    [at(null, 'x')],
    due([at(null, 'x'), at(null, 'x'), at(null, 'y')]),
    ['0', '2'],
  ],
  [
    'a cancelled run always starts and takes no place',
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
