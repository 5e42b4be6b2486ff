import assert from 'node:assert/strict'
import { test } from 'node:test'
import { EngineUnavailable } from '../../failures.ts'
import type { DockerClient } from '../transport/client.ts'
import { cachedOwnNodeId } from './own-node.ts'

/** A client whose answers to GET /info the test gives, and a clock that the test sets. */
function setUp() {
  const requests: PromiseWithResolvers<unknown>[] = []
  const call = () => {
    const request = Promise.withResolvers<unknown>()
    requests.push(request)
    return request.promise
  }
  const clock = { ms: 0 }
  const ownNodeId = cachedOwnNodeId({ call } as unknown as DockerClient, () => clock.ms)
  const answer = (NodeID: string) => requests.at(-1)!.resolve({ Swarm: { NodeID } })
  const fail = () => requests.at(-1)!.reject(new EngineUnavailable('late'))
  /** Reads the id for the first time. */
  const readFirst = async () => {
    const first = ownNodeId()
    answer('n1')
    assert.equal(await first, 'n1')
  }
  return { requests, clock, ownNodeId, answer, fail, readFirst }
}

test('shares a request in progress, and caches the id for 5 seconds', async () => {
  const { requests, clock, ownNodeId, answer } = setUp()
  const ids = [ownNodeId(), ownNodeId()]
  answer('n1')
  assert.deepEqual(await Promise.all(ids), ['n1', 'n1'])
  clock.ms = 5000
  assert.equal(await ownNodeId(), 'n1')
  assert.equal(requests.length, 1)
})

test('keeps the id if the engine does not answer, and asks again 5 seconds later', async () => {
  const { requests, clock, ownNodeId, answer, fail, readFirst } = setUp()
  await readFirst()
  clock.ms = 5001
  const kept = ownNodeId()
  fail()
  assert.equal(await kept, 'n1')
  assert.equal(await ownNodeId(), 'n1')
  assert.equal(requests.length, 2)
  clock.ms = 10_002
  const next = ownNodeId()
  answer('n2')
  assert.equal(await next, 'n2')
})

test('fails if the engine has never answered, and asks again at the next call', async () => {
  const { ownNodeId, answer, fail } = setUp()
  const failed = assert.rejects(ownNodeId(), EngineUnavailable)
  fail()
  await failed
  const next = ownNodeId()
  answer('n1')
  assert.equal(await next, 'n1')
})

test('does not keep the id of an engine that has left its swarm', async () => {
  const { clock, ownNodeId, answer, fail, readFirst } = setUp()
  await readFirst()
  clock.ms = 5001
  const left = ownNodeId()
  answer('')
  assert.equal(await left, '')
  const failed = assert.rejects(ownNodeId(), EngineUnavailable)
  fail()
  await failed
})
