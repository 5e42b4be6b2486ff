/** Where the service of a database is, compared with the record. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { serviceOf } from '../../test/fixtures/samples.ts'
import type { NamedService } from '../engine/engine.ts'
import { elsewhereReason, newerPlacement } from './service-placement.ts'

const labelsOf = (generation: string) => ({ 'berth.generation': generation })
const moved = { volumes: ['new'], nodeId: 'two', labels: labelsOf('2') }

const cases: [title: string, generation: number | null, service: Partial<NamedService>, isNewer: boolean][] = [
  ['a service on the recorded volume and node', 1, { labels: labelsOf('1') }, false],
  ['a service on the recorded volume with a higher generation', 1, { labels: labelsOf('2') }, false],
  ['a service without a volume', 1, { volumes: [], labels: labelsOf('2') }, false],
  ['a service with a further volume', 1, { volumes: ['more', 'old'], labels: labelsOf('2') }, false],
  ['a service that is not pinned to a node', 1, { nodeId: null, labels: labelsOf('2') }, false],
  ['a newer service that runs', 1, moved, true],
  ['a newer service that is stopped', 1, { ...moved, replicas: 0 }, true],
  ['a newer service on the same node', 1, { ...moved, nodeId: 'one' }, true],
  ['a newer service on another node with the same volume', 1, { ...moved, volumes: ['old'] }, true],
  ['a newer service of a record from before generations', 0, moved, true],
  ['an equally old service that runs', 2, moved, true],
  ['an equally old service that is stopped', 2, { ...moved, replicas: 0 }, true],
  ['an older service that still runs', 3, moved, false],
  ['an older service that is stopped', 3, { ...moved, replicas: 0 }, false],
  ['a running service from before generations', 0, { ...moved, labels: {} }, true],
  ['a stopped service from before generations', 0, { ...moved, labels: {}, replicas: 0 }, false],
  ['a running service from before generations, after a switch', 1, { ...moved, labels: {} }, false],
  ['a service with a generation that is not a number', 0, { ...moved, labels: labelsOf('x') }, true],
  ['any service with a volume, if the record has none', null, { ...moved, labels: {}, replicas: 0 }, true],
  ['a service without a volume, if the record has none', null, { volumes: [] }, false],
]
for (const [title, generation, changes, isNewer] of cases) {
  test(`${isNewer ? 'leaves' : 'changes'} ${title}`, () => {
    const volume = generation === null ? null : { name: 'old', nodeId: 'one', generation }
    const service = serviceOf({ volumes: ['old'], nodeId: 'one', ...changes })
    assert.equal(newerPlacement(volume, service) !== null, isNewer)
  })
}

test('returns the difference as data, and as a reason with the names of the nodes', () => {
  const difference = newerPlacement({ name: 'old', nodeId: 'gone', generation: 1 }, serviceOf(moved))!
  assert.deepEqual(difference, {
    recorded: { volume: 'old', nodeId: 'gone', generation: 1 },
    found: { volume: 'new', nodeId: 'two', generation: 2 },
  })
  assert.deepEqual(elsewhereReason('orders', difference, [{ id: 'two', hostname: 'second' }]), {
    reason: 'PlacedElsewhere',
    service: 'orders',
    recorded: { volume: 'old', node: 'gone', generation: 1 },
    found: { volume: 'new', node: 'second', generation: 2 },
  })
})
