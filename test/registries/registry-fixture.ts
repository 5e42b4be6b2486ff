/** A Berth and a fake registry in this process, with the calls that the tests of registries share. */
import { openRegistryPassword } from '../../src/registries/queries.ts'
import { startFakeRegistry } from '../fixtures/fake-registry.ts'
import { type Input, startTestBerth } from '../fixtures/test-berth.ts'

export const mask = '********'
export const unknownId = '01900000-0000-7000-8000-000000000000'
export const password = 'the-password-of-ann'

/** A registry in the form of API answers. */
export type Registry = Record<'registryId' | 'registryUrl' | 'createdAt' | 'adminId', string> & Record<string, unknown>

/** Returns the Authorization header of basic auth. */
export const basicAuth = (username: string, secret: string) =>
  `Basic ${Buffer.from(`${username}:${secret}`).toString('base64')}`

/**
 * Starts Berth and the fake registry. `fields` is a valid input of registry.create.
 * @param users further users of the registry, with their passwords
 */
export async function startRegistryTest(users: Record<string, string> = {}) {
  const testBerth = await startTestBerth()
  const registry = await startFakeRegistry({ users: { ann: password, bob: 'the-password-of-bob', ...users } })
  const fields: Input = {
    registryName: 'ours',
    username: 'ann',
    password,
    registryUrl: registry.host,
    registryType: 'cloud',
    imagePrefix: 'team',
  }
  return {
    testBerth,
    registry,
    fields,
    create: (more: Input = {}) => testBerth.ok<Registry>('registry.create', { ...fields, ...more }),
    read: (registryId: string) => testBerth.ok<Registry>('registry.one', { registryId }),
    update: ({ registryId }: Registry, changes: Input) =>
      testBerth.ok<Registry>('registry.update', { registryId, ...changes }),
    testLogin: (changes: Input) => testBerth.ok<Registry>('registry.testRegistry', { ...fields, ...changes }),
    async storedPassword({ registryId }: Registry): Promise<string> {
      const row = await testBerth.app.db
        .selectFrom('registry')
        .selectAll()
        .where('id', '=', registryId)
        .executeTakeFirstOrThrow()
      return openRegistryPassword(testBerth.app.vault, row)
    },
    async [Symbol.asyncDispose]() {
      await testBerth.close()
      await registry[Symbol.asyncDispose]()
    },
  }
}
