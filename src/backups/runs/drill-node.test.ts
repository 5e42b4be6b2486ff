/** The choice of a node for a drill. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { FoundNode } from '../../engine/node.ts'
import { drillNodes } from './drill-node.ts'

const gibibyte = 1024 ** 3
const node = (id: string, memory: number, changes: Partial<FoundNode> = {}): FoundNode => ({
  id,
  hostname: id,
  address: '10.0.0.1',
  role: 'worker',
  availability: 'active',
  state: 'ready',
  ready: true,
  active: true,
  local: false,
  manager: null,
  engineVersion: '29',
  cpuCores: 2,
  memoryBytes: memory * gibibyte,
  labels: {},
  ...changes,
})
const reserved = (memory: number) => ({ databases: 1, memoryBytes: memory * gibibyte, cpuCores: 0 })

test('prefers the node with the most memory that no database reserves', () => {
  const nodes = [node('a', 8), node('b', 16), node('c', 4)]
  const names = (needed: number | null, leaving: string[] = []) =>
    drillNodes(nodes, new Map([['b', reserved(10)]]), needed, new Set(leaving)).map(({ nodeId }) => nodeId)
  assert.deepEqual(names(null), ['a', 'b', 'c'])
  assert.deepEqual(names(5 * gibibyte), ['a', 'b'])
  assert.deepEqual(names(null, ['a']), ['b', 'c'])
  assert.deepEqual(names(20 * gibibyte), [])
})

test('uses only nodes that accept containers', () => {
  const nodes = [node('paused', 8, { active: false }), node('down', 8, { ready: false }), node('small', 0.1)]
  assert.deepEqual(drillNodes(nodes, new Map(), null, new Set()), [])
})
