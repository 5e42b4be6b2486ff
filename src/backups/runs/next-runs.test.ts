/** Who may begin: as many as a node and a destination take, in the order in which they are due. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { chosen, type Places } from './next-runs.ts'

const at = (nodeId: string | null, destinationId: string): Places => ({ nodeId, destinationId })
const due = (places: Places[], cancelled: number[] = []) =>
  places.map((it, place) => ({
    ...it,
    id: `${place}`,
    cancelled: cancelled.includes(place) ? (1 as const) : (0 as const),
  }))

const cases: [what: string, taken: Places[], waiting: ReturnType<typeof due>, begun: string[]][] = [
  ['none is under way: two of one node', [], due([at('a', 'x'), at('a', 'y'), at('a', 'z')]), ['0', '1']],
  ['two of one destination', [], due([at('a', 'x'), at('b', 'x'), at('c', 'x')]), ['0', '1']],
  [
    'a node that is full keeps no other waiting',
    [at('a', 'x'), at('a', 'y')],
    due([at('a', 'z'), at('b', 'z'), at('c', 'z')]),
    ['1', '2'],
  ],
  [
    'a destination that is full keeps no other waiting',
    [at('a', 'x'), at('b', 'x')],
    due([at('c', 'x'), at('c', 'y')]),
    ['1'],
  ],
  [
    'without a node only the destination counts',
    [at(null, 'x')],
    due([at(null, 'x'), at(null, 'x'), at(null, 'y')]),
    ['0', '2'],
  ],
  [
    'one that was called off ends at once, and takes no place',
    [at('a', 'x'), at('a', 'x')],
    due([at('a', 'x'), at('a', 'x')], [1]),
    ['1'],
  ],
]
for (const [what, taken, waiting, begun] of cases) {
  test(what, () =>
    assert.deepEqual(
      chosen(waiting, taken, 2).map(({ id }) => id),
      begun,
    ),
  )
}
