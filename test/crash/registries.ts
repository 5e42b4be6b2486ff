/** External registries: their records are created, changed and removed. */
import type { FakeRegistry } from '../fixtures/fake-registry.ts'
import type { Fields } from './client.ts'
import { counter, type Group, type Runtime } from './group.ts'
import type { Random } from './random.ts'
import { listing, recordsOf } from './records.ts'

const fields = ['registryName', 'username', 'imagePrefix']

export function registriesOf({ client, prefix }: Runtime, { host: registryUrl }: FakeRegistry): Group {
  const next = counter()
  const toListed = listing('registryId', 'registryName', fields)
  const records = recordsOf<Fields>(client, 'registry', async () =>
    (await client.read<Fields[]>('registry.all'))!.map(toListed),
  )
  return { name: 'registries', calls, compare: records.compare, compareExternal: async () => undefined }

  async function calls(random: Random): Promise<void> {
    const present = records.present()
    const record = present.length === 0 ? null : random.pick(present)
    const verb = random.pick(['create', 'update', 'remove', 'test'] as const)
    const password = `secret-of-a-registry-${next()}`
    const connection = { password, registryUrl, registryType: 'selfHosted' }
    if (verb === 'test') {
      await client.call('registry.testRegistry', { registryName: 'tested', username: 'tester', ...connection })
    } else if (record === null || (verb === 'create' && present.length < 6)) {
      const named = {
        registryName: `${prefix}-registry-${next()}`,
        username: `robot-${next()}`,
        imagePrefix: `first-${next()}`,
      }
      await records.create<{ registryId: string }>(
        'registry.create',
        { ...named, ...connection },
        named.registryName,
        named,
        ({ registryId }) => registryId,
      )
    } else if (verb === 'remove') {
      await records.change(record, {
        operation: 'registry.remove',
        input: { registryId: record.id },
        apply: () => null,
      })
    } else {
      const changed = { username: `robot-${next()}`, imagePrefix: `team-${next()}`, password }
      const { password: _, ...listed } = changed
      await records.change(record, {
        operation: 'registry.update',
        input: { registryId: record.id, ...changed },
        apply: (before) => ({ ...before, ...listed }),
      })
    }
  }
}
