/** Destinations that no backup goes to; their secrets are told and never answered. */
import type { Fields } from './client.ts'
import { counter, type Group, type Runtime } from './group.ts'
import type { Random } from './random.ts'
import { listing, recordsOf } from './records.ts'

export function destinationsOf({ client, storage, prefix }: Runtime) {
  const next = counter()
  /** That of the backups stays. */
  let lasting: string | null = null
  const toListed = listing('destinationId', 'name', ['name', 'region', 'bucket'])
  const records = recordsOf<Fields>(client, 'destination', async () =>
    (await client.read<Fields[]>('destination.all'))!.map(toListed),
  )
  const group: Group = { name: 'destinations', calls, compare: records.compare, compareWorld: async () => undefined }
  return { ...group, make }
  async function make(bucket: string): Promise<string> {
    const name = `${prefix}-destination-${next()}`
    const settings = storage.settings(bucket)
    const outcome = await records.create<{ destinationId: string }>(
      'destination.create',
      { name, ...settings },
      name,
      { name, region: settings.region, bucket },
      ({ destinationId }) => destinationId,
    )
    if (outcome.is !== 'done') throw new Error('The destination was not made')
    lasting = outcome.body.destinationId
    return lasting
  }

  async function calls(random: Random): Promise<void> {
    const free = records.present().filter(({ id }) => id !== lasting)
    const settings = storage.settings('crash', { secretAccessKey: `secret-of-a-storage-${next()}` })
    const it = free.length === 0 ? null : random.pick(free)
    const verb = random.pick(['create', 'update', 'update', 'remove', 'test'] as const)
    if (verb === 'test') {
      await client.call('destination.testConnection', { name: 'tested', ...storage.settings('crash') })
    } else if (it === null || (verb === 'create' && free.length < 10)) {
      const name = `${prefix}-destination-${next()}`
      await records.create<{ destinationId: string }>(
        'destination.create',
        { name, ...settings },
        name,
        { name, region: settings.region, bucket: 'crash' },
        ({ destinationId }) => destinationId,
      )
    } else if (verb === 'remove') {
      await records.change(it, { operation: 'destination.remove', input: { destinationId: it.id }, makes: () => null })
    } else {
      const region = `region-${next()}`
      const input = { destinationId: it.id, ...settings, name: it.name, region }
      await records.change(it, { operation: 'destination.update', input, makes: (before) => ({ ...before, region }) })
    }
  }
}
