/** Waits until a temporary server accepts logins over the network, and makes Berth's own account on it. */
import { setTimeout as pause } from 'node:timers/promises'
import type { Exec } from '../engine/exec.ts'
import type { Runtime } from '../runtime.ts'
import { feedTool, toolOutput } from '../dumps/archive.ts'
import { RunFailure } from '../dumps/failures.ts'
import { repeated } from './repeated.ts'
import type { Server } from './tool-server.ts'
import { drain, single } from '../dumps/streams.ts'

const timeoutMs = 5 * 60_000
const retryMs = 500
/** How long a job repeats its login. To start a container takes the node more work than many logins. */
const repeatSeconds = 10

/**
 * Retries a login until it succeeds.
 *
 * @param mayLackDatabase whether the database of the settings may be missing: Berth's own account then logs in
 * @param recordId the id of the deployment or backup run that the login jobs belong to
 * @throws RunFailure if no login has succeeded within five minutes; another error if `signal` aborts
 */
export async function waitForLogin(
  runtime: Runtime,
  server: Server,
  recordId: string,
  signal: AbortSignal,
  mayLackDatabase = false,
): Promise<void> {
  const { kind, settings, own, host } = server
  const deadline = performance.now() + timeoutMs
  const address = { host, port: kind.port }
  const namesDatabase = 'databaseName' in settings
  const check =
    mayLackDatabase && namesDatabase && own !== null ? kind.ownAccounts?.check(own, settings, address) : null
  const program = repeated(check ?? kind.ready(settings, address), repeatSeconds)
  for (;;) {
    try {
      return await runTool(runtime, server, { name: `berth-ask-${recordId}`, recordId }, program, signal)
    } catch (error) {
      if (!(error instanceof RunFailure) || performance.now() > deadline) throw error
      await pause(retryMs, undefined, { signal })
    }
  }
}

/**
 * Makes Berth's own account on a temporary server that takes over the data of another one, if that one has it. Once the
 * accounts of the other server were copied, the server can refuse the administrator, but has Berth's own account.
 *
 * @throws RunFailure if the server refuses it
 */
export async function makeOwnAccount(
  runtime: Runtime,
  server: Server,
  recordId: string,
  signal: AbortSignal,
): Promise<void> {
  const { kind, own, settings, host } = server
  if (own === null || kind.ownAccounts === undefined) return
  const address = { host, port: kind.port }
  const { check, create } = kind.ownAccounts
  const job = { name: `berth-own-${recordId}`, recordId }
  try {
    await runTool(runtime, server, job, create(own, settings, address), signal)
  } catch (error) {
    if (!(error instanceof RunFailure)) throw error
    await runTool(runtime, server, job, check(own, settings, address), signal).catch(() => Promise.reject(error))
  }
}

/** Runs a program in a job that has the server's image, and ignores its output. */
function runTool(
  runtime: Runtime,
  { image, mask, isIsolated = false }: Server,
  job: { name: string; recordId: string },
  { argv, env, stdin = '' }: Exec,
  signal: AbortSignal,
): Promise<void> {
  const tool = { ...job, image, program: { argv, env }, mask, isIsolated }
  return stdin === '' ? drain(toolOutput(runtime, tool, signal)) : feedTool(runtime, tool, single(stdin), signal)
}
