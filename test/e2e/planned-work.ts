/** Watches that planned work is no condition of a database or a node, and that no channel gets a message about it. */
import assert from 'node:assert/strict'
import { startReceiver } from '../alerts/receiver.ts'
import type { MultiNodeBerth } from './multi-node-berth.ts'

const isOutage = ({ name }: { name: string }) => /^(?:Database(?:Down|Restarting|LoginRefused)|Node)/.test(name)

/** Starts a receiver and creates a channel for it. */
export async function watchPlannedWork({ berth }: Pick<MultiNodeBerth, 'berth'>) {
  const receiver = await startReceiver()
  const { status } = await berth.call('channel.create', { name: 'ops', type: 'webhook', url: receiver.url })
  assert.equal(status, 200)

  /** Looks for conditions. Call this while the work is under way and after it. */
  async function check(): Promise<void> {
    berth.app.wake('conditions')
    berth.app.wake('alerts')
    const { body } = await berth.call<{ name: string; subjectName: string; reason: string }[]>('condition.all')
    assert.deepEqual(body.filter(isOutage), [])
    const messages = receiver.received.flatMap(({ data }) => data.conditions).filter(isOutage)
    assert.deepEqual(messages, [])
  }

  return { check, [Symbol.asyncDispose]: () => receiver[Symbol.asyncDispose]() }
}
