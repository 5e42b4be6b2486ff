/** Waits for a scratch server until it takes log-ins, from beside it, as a client does. */
import { setTimeout as pause } from 'node:timers/promises'
import type { Runtime } from '../runtime.ts'
import { consumed, outputOf } from '../dumps/archive.ts'
import { RunFailure } from '../dumps/failures.ts'
import type { Server } from './tool-server.ts'
import { type Bytes, drain } from '../dumps/streams.ts'

const readyMs = 5 * 60_000
const askAgainMs = 500

export async function untilReady(
  runtime: Runtime,
  server: Server,
  recordId: string,
  signal: AbortSignal,
): Promise<void> {
  const { kind, settings, host, image, mask } = server
  const until = performance.now() + readyMs
  const { argv, env, stdin = '' } = kind.ready(settings, { host, port: kind.port })
  for (;;) {
    try {
      const tool = { name: `berth-ask-${recordId}`, recordId, image, program: { argv, env }, mask }
      return await (stdin === ''
        ? drain(outputOf(runtime, tool, signal))
        : consumed(runtime, tool, once(stdin), signal))
    } catch (error) {
      if (!(error instanceof RunFailure) || performance.now() > until) throw error
      await pause(askAgainMs, undefined, { signal })
    }
  }
}

async function* once(text: string): Bytes {
  yield Buffer.from(text)
}
