/** Destinations without backups. The destination of the backups is created by `createForBackups` and never changes. */
import assert from 'node:assert/strict'
import type { Fields } from './client.ts'
import { counter, type Group, type Runtime } from './group.ts'
import type { Random } from './random.ts'
import { listing, recordsOf } from './records.ts'

export function destinationsOf({ client, storage, prefix }: Runtime) {
  const next = counter()
  /** The id of the destination of the backups. */
  let backupDestinationId: string | null = null
  const toListed = listing('destinationId', 'name', ['name', 'region', 'bucket'])
  const records = recordsOf<Fields>(client, 'destination', async () =>
    (await client.read<Fields[]>('destination.all'))!.map(toListed),
  )
  const group: Group = { name: 'destinations', calls, compare: records.compare, compareExternal: async () => undefined }
  return { ...group, createForBackups }

  /** Creates the destination of the backups. Returns its id. */
  async function createForBackups(bucket: string): Promise<string> {
    const name = `${prefix}-destination-${next()}`
    const settings = storage.settings(bucket)
    const outcome = await records.create<{ destinationId: string }>(
      'destination.create',
      { name, ...settings },
      name,
      { name, region: settings.region, bucket },
      ({ destinationId }) => destinationId,
    )
    if (outcome.result !== 'done') throw new Error('The destination was not created')
    backupDestinationId = outcome.body.destinationId
    return backupDestinationId
  }

  async function testConnection(report: boolean): Promise<void> {
    const input = { name: 'tested', ...storage.settings('crash'), report }
    const outcome = await client.call<{ checks: { result: string }[] }>('destination.testConnection', input)
    if (!report || outcome.result === 'cut') return
    assert.ok(outcome.result === 'done', 'a test with a report is not refused')
    assert.deepEqual([...new Set(outcome.body.checks.map(({ result }) => result))], ['done'])
  }

  async function calls(random: Random): Promise<void> {
    const free = records.present().filter(({ id }) => id !== backupDestinationId)
    const settings = storage.settings('crash', { secretAccessKey: `secret-of-a-storage-${next()}` })
    const record = free.length === 0 ? null : random.pick(free)
    const verb = random.pick(['create', 'update', 'update', 'remove', 'test'] as const)
    if (verb === 'test') {
      await testConnection(random.chance(50))
    } else if (record === null || (verb === 'create' && free.length < 10)) {
      const name = `${prefix}-destination-${next()}`
      await records.create<{ destinationId: string }>(
        'destination.create',
        { name, ...settings },
        name,
        { name, region: settings.region, bucket: 'crash' },
        ({ destinationId }) => destinationId,
      )
    } else if (verb === 'remove') {
      await records.change(record, {
        operation: 'destination.remove',
        input: { destinationId: record.id },
        apply: () => null,
      })
    } else {
      const region = `region-${next()}`
      const input = { destinationId: record.id, ...settings, name: record.name, region }
      await records.change(record, {
        operation: 'destination.update',
        input,
        apply: (before) => ({ ...before, region }),
      })
    }
  }
}
