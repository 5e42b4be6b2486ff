/** Waits until a temporary server accepts logins over the network. */
import { setTimeout as pause } from 'node:timers/promises'
import type { Runtime } from '../runtime.ts'
import { feedTool, type ToolLocation, toolOutput } from '../dumps/archive.ts'
import { RunFailure } from '../dumps/failures.ts'
import { addressOf, type Server } from './tool-server.ts'
import { type Bytes, drain } from '../dumps/streams.ts'

const timeoutMs = 5 * 60_000
const retryMs = 500

/**
 * Retries a login until it succeeds.
 *
 * @param recordId the id of the deployment or backup run that the login jobs belong to
 * @param locate returns where the login jobs run; null: the server has no container yet. Default: the engine's own node
 * @throws RunFailure if no login has succeeded within five minutes; another error if `signal` aborts
 */
export async function waitForLogin(
  runtime: Runtime,
  server: Server,
  recordId: string,
  signal: AbortSignal,
  locate: () => Promise<ToolLocation | null> = async () => ({}),
): Promise<void> {
  const { kind, settings, image, mask } = server
  const deadline = performance.now() + timeoutMs
  for (;;) {
    try {
      const location = await locate()
      if (location === null) throw new RunFailure({ reason: 'ServiceDown' })
      const { argv, env, stdin = '' } = kind.ready(settings, addressOf(server))
      const tool = { name: `berth-ask-${recordId}`, recordId, image, program: { argv, env }, mask, location }
      return await (stdin === ''
        ? drain(toolOutput(runtime, tool, signal))
        : feedTool(runtime, tool, single(stdin), signal))
    } catch (error) {
      if (!(error instanceof RunFailure) || performance.now() > deadline) throw error
      await pause(retryMs, undefined, { signal })
    }
  }
}

async function* single(text: string): Bytes {
  yield Buffer.from(text)
}
