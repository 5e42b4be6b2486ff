/** Waits until a temporary server accepts logins over the network. */
import { setTimeout as pause } from 'node:timers/promises'
import type { Runtime } from '../runtime.ts'
import { feedTool, toolOutput } from '../dumps/archive.ts'
import { RunFailure } from '../dumps/failures.ts'
import type { Server } from './tool-server.ts'
import { drain, single } from '../dumps/streams.ts'

const timeoutMs = 5 * 60_000
const retryMs = 500

/**
 * Retries a login until it succeeds.
 *
 * @param recordId the id of the deployment or backup run that the login jobs belong to
 * @throws RunFailure if no login has succeeded within five minutes; another error if `signal` aborts
 */
export async function waitForLogin(
  runtime: Runtime,
  server: Server,
  recordId: string,
  signal: AbortSignal,
): Promise<void> {
  const { kind, settings, host, image, mask } = server
  const deadline = performance.now() + timeoutMs
  const { argv, env, stdin = '' } = kind.ready(settings, { host, port: kind.port })
  for (;;) {
    try {
      const tool = { name: `berth-ask-${recordId}`, recordId, image, program: { argv, env }, mask }
      return await (stdin === ''
        ? drain(toolOutput(runtime, tool, signal))
        : feedTool(runtime, tool, single(stdin), signal))
    } catch (error) {
      if (!(error instanceof RunFailure) || performance.now() > deadline) throw error
      await pause(retryMs, undefined, { signal })
    }
  }
}
