/**
 * A client of Docker's API. Every call uses the newest API version that both sides support, and has a timeout; for a
 * stream, the timeout covers only the time until its headers arrive.
 */
import type http from 'node:http'
import type { Duplex } from 'node:stream'
import { EngineUnavailable } from '../../engine.ts'
import { bodyOf, open, openHijacked } from './call.ts'
import type { Call } from './call.ts'
import { dialOf } from './host.ts'
import type { Dial } from './host.ts'

export interface DockerClient {
  /** Returns the parsed JSON body of the answer, or undefined if the body is empty. */
  call<T>(call: Call): Promise<T>
  /** Returns the body of the answer without parsing it. */
  bytes(call: Call): Promise<Buffer>
  /** Returns an answer without reading its body, which may have no end. Aborting the signal ends the body. */
  stream(call: Call, signal: AbortSignal): Promise<http.IncomingMessage>
  /** Turns the connection into a two-way stream of bytes, as the API does for attach and exec. */
  hijack(call: Call): Promise<Duplex>
  /**
   * Returns the result of work on a stream of this client. If the stream breaks, throws the same error as the methods
   * above for an engine that does not answer: EngineUnavailable, or EngineFailure for the engine of another node.
   *
   * @param work rejects with EngineUnavailable if the stream breaks
   */
  following<T>(work: Promise<T>): Promise<T>
}

/** The newest version of the API that Berth supports. For an older engine, Berth uses the engine's version. */
const newestVersion = '1.51'

/** @param certPath see `dialOf` */
export function dockerClient(dockerHost: string, certPath: string | null, timeoutMs?: number): DockerClient {
  return clientOver(dialOf(dockerHost, certPath), timeoutMs)
}

/** @param defaultTimeoutMs the timeout of calls that set none of their own */
export function clientOver(dial: Dial, defaultTimeoutMs = 10_000): DockerClient {
  let prefix: string | null = null

  const withTimeout = async <T>(call: Call, work: (signal: AbortSignal, version: string) => Promise<T>): Promise<T> => {
    const milliseconds = call.timeoutMs ?? defaultTimeoutMs
    const lateMessage = `The engine did not answer ${call.method ?? 'GET'} ${call.path} within ${milliseconds} ms`
    try {
      return await inTime(milliseconds, lateMessage, async (signal) => {
        prefix ??= await prefixOf(dial, signal)
        return work(signal, prefix)
      })
    } catch (error) {
      // The engine may have another version after a restart.
      if (error instanceof EngineUnavailable) prefix = null
      throw error
    }
  }
  const bytes = (call: Call) =>
    withTimeout(call, async (signal, version) => bodyOf(await open(dial, version, call, signal)))

  return {
    bytes,
    call: async <T>(call: Call) => parse<T>(await bytes(call)),
    stream: (call, signal) =>
      withTimeout(call, (deadline, version) => open(dial, version, call, AbortSignal.any([signal, deadline]))),
    hijack: (call) => withTimeout(call, (signal, version) => openHijacked(dial, version, call, signal)),
    following: (work) => work,
  }
}

/** Runs `work`. At the time limit, aborts the signal of `work` and throws EngineUnavailable with `lateMessage`. */
async function inTime<T>(
  milliseconds: number,
  lateMessage: string,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const deadline = new AbortController()
  const timer = setTimeout(() => deadline.abort(), milliseconds)
  try {
    return await work(deadline.signal)
  } catch (error) {
    throw deadline.signal.aborted ? new EngineUnavailable(lateMessage, { cause: error }) : error
  } finally {
    clearTimeout(timer)
  }
}

/** Returns the path prefix of the newest version that both sides support; '' if the engine reports no version. */
async function prefixOf(dial: Dial, signal: AbortSignal): Promise<string> {
  const response = await open(dial, '', { path: '/_ping' }, signal)
  response.resume()
  const engineVersion = response.headers['api-version']
  return engineVersion ? `/v${olderOf(String(engineVersion), newestVersion)}` : ''
}

function olderOf(a: string, b: string): string {
  return a.localeCompare(b, 'en', { numeric: true }) < 0 ? a : b
}

function parse<T>(body: Buffer): T {
  if (body.length === 0) return undefined as T
  try {
    return JSON.parse(body.toString()) as T
  } catch (error) {
    throw new EngineUnavailable('The answer of the engine is not JSON', { cause: error })
  }
}
