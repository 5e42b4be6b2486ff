import assert from 'node:assert/strict'
import { test } from 'node:test'
import { useOfNode } from './node-use.ts'

test('adds up what the databases pinned to a node use', () => {
  const resources = new Map([
    ['a', { memoryReservation: 100, memoryLimit: 512, cpuReservation: 0.5 }],
    ['b', { memoryReservation: null, memoryLimit: null, cpuReservation: 1 }],
    ['elsewhere', { memoryReservation: 1000, memoryLimit: 1000, cpuReservation: 4 }],
  ])
  const pinned = ['a', 'b'].map((id) => ({ type: 'database' as const, id, name: id }))
  const port = { type: 'port' as const, id: 'a', name: '80/tcp web' }
  assert.deepEqual(useOfNode([...pinned, port], resources), {
    ...{ databases: 2, reservedMemory: 100, reservedCores: 1.5, maxMemory: 512, unlimited: 1 },
  })
})

test('counts a database whose record is not read yet as one without a limit', () => {
  const pinned = [{ type: 'database' as const, id: 'new', name: 'new' }]
  assert.equal(useOfNode(pinned, new Map()).unlimited, 1)
})
