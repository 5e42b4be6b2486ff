/**
 * A Berth with the in-memory engine, and a fake registry in this process that answers in place of the container of the
 * registry that Berth runs.
 */
import type { Code } from '../../src/errors.ts'
import { startFakeRegistry } from '../fixtures/fake-registry.ts'
import { type Input, startTestBerth, wait } from '../fixtures/test-berth.ts'

export const mask = '********'
/** The name of the service. */
export const name = 'berth-registry'
export const ann = { username: 'ann', password: 'a first password' }

export interface Registry extends Record<string, unknown> {
  registryId: string
  registryUrl: string
  server: {
    status: string
    statusReason: string | null
    statusCode: string | null
    port: number
    volume: string
    readOnly: boolean
  }
}
export interface Volume {
  volumeId: string
  name: string
  kind: string
  state: string
}
export interface Deployment {
  action: string
  state: string
  reason: string | null
}

export type OwnRegistry = Awaited<ReturnType<typeof startOwnRegistry>>

/** Starts Berth and the fake registry. The registry accepts only `ann`. */
export async function startOwnRegistry() {
  const testBerth = await startTestBerth()
  const registry = await startFakeRegistry({ users: { [ann.username]: ann.password } })
  const inputOf = (more: Input) => ({ registryUrl: registry.host, ...ann, ...more })
  const read = (registryId: string) => testBerth.ok<Registry>('registry.one', { registryId })

  /** Begins the deployment without waiting for its end. */
  const beginEnable = (more: Input = {}) => testBerth.ok<Registry>('registry.enableSelfHostedRegistry', inputOf(more))

  return {
    testBerth,
    registry,
    read,
    beginEnable,
    enable: (more: Input = {}) => testBerth.ok<Registry>('registry.enableSelfHostedRegistry', inputOf(more), wait),
    /** Checks that the call is refused because of the field. */
    refuseEnable: (code: Code, input: Input, field: string) =>
      testBerth.refused(code, 'registry.enableSelfHostedRegistry', inputOf(input), field),
    /** Enables the registry with a wrong password, lets its time limit pass, and returns it with its error. */
    async enableWithWrongPassword(): Promise<Registry> {
      const { registryId } = await beginEnable({ password: 'new' })
      testBerth.pass(61_000)
      await testBerth.until(
        'the failure to be recorded',
        async () => (await read(registryId)).server.status === 'error',
      )
      return read(registryId)
    },
    volumes: async () => (await testBerth.ok<Volume[]>('volume.all')).filter(({ kind }) => kind === 'registry'),
    lastDeployment: async () => (await testBerth.ok<Deployment[]>('deployment.all')).at(-1)!,
    /** Returns the file of the service whose path ends with `ending`. */
    fileOf: (ending: string) => testBerth.engine.specOf(name)!.files.find(({ path }) => path.endsWith(ending))!,
    async [Symbol.asyncDispose]() {
      await testBerth.close()
      await registry[Symbol.asyncDispose]()
    },
  }
}
