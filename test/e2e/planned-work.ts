/** Checks that planned work is no condition of a database or a node. */
import assert from 'node:assert/strict'
import type { MultiNodeBerth } from './multi-node-berth.ts'

const isOutage = ({ name }: { name: string }) => /^(?:Database(?:Down|Restarting|LoginRefused)|Node)/.test(name)

/** Call this while the work is under way and after it. */
export async function assertNoOutage({ berth }: Pick<MultiNodeBerth, 'berth'>): Promise<void> {
  berth.app.wake('conditions')
  const { body } = await berth.call<{ name: string; subjectName: string; reason: string }[]>('condition.all')
  assert.deepEqual(body.filter(isOutage), [])
}
