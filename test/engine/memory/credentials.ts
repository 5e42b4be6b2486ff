/** The registry credentials of calls to the in-memory engine. The Docker engine looks them up in the same calls. */
import type { Engine, RegistryCredentials } from '../../../src/engine/engine.ts'
import type { Answers } from './controls.ts'
import type { Runtime } from './state.ts'

/** Wraps the methods that may pull an image: they look up credentials and, after a successful call, record them. */
export function withCredentials(
  methods: Engine,
  runtime: Runtime,
  answers: Answers,
  pullsAs: Map<string, RegistryCredentials | null>,
): Engine {
  const recordCredentials = async <T>(
    { name, image }: { name: string; image: string },
    work: () => Promise<T>,
  ): Promise<T> => {
    const credentials = await answers.credentialsFor(image)
    const result = await work()
    pullsAs.set(name, credentials)
    return result
  }
  return {
    ...methods,
    createService: (spec) => recordCredentials(spec, () => methods.createService(spec)),
    updateService: (spec) => recordCredentials(spec, () => methods.updateService(spec)),
    renewCredentials: async (name) => {
      const spec = runtime.services.get(name)?.spec ?? null
      if (spec !== null) await recordCredentials(spec, () => methods.renewCredentials(name))
    },
    runJob: (job, signal) => recordCredentials(job, () => methods.runJob(job, signal)),
    pullImage: (reference, signal, nodeId) =>
      recordCredentials({ name: reference, image: reference }, () => methods.pullImage(reference, signal, nodeId)),
  }
}
