/** Sends requests to a storage through the SDK, with timeouts. Retries transient failures after waits that grow. */
import type { Agent as HttpAgent } from 'node:http'
import type { Agent as HttpsAgent } from 'node:https'
import { setTimeout as pause } from 'node:timers/promises'
import type { S3Client } from '@aws-sdk/client-s3'
import { type Egress, egressOf } from '../net/egress.ts'
import { limitAnswers } from './answers.ts'
import { endpointUrl, maxPartsOf, wantsPathStyle } from './endpoint.ts'
import {
  connectMs,
  faultOf,
  isNoConnection,
  timeoutFault,
  type StorageFault,
  type FaultContext,
  type Verb,
} from './faults.ts'

export interface Settings {
  /** An http or https URL, or a host, which is reached by https. */
  endpoint: string
  /** Empty means us-east-1, which most storages without regions expect. */
  region: string
  bucket: string
  accessKey: string
  secretAccessKey: string
}

export interface Options {
  /** Decides which addresses requests may go to. Default: `egressOf([])`, which has no exceptions. */
  egress?: Egress
  /** The certificate (PEM) of the authority that is trusted instead of the authorities that Node trusts. */
  ca?: string
  /** The maximum number of attempts of each request, including the first. */
  attempts?: number
  /** The wait before the second attempt. Each later wait is twice as long, up to 15 s. */
  waitMs?: number
  /** The timeout for a connection on which nothing happens while an answer is awaited. */
  idleMs?: number
  /** How many parts an upload may have. Default: as many as the provider allows. */
  maxParts?: number
}

type Sdk = typeof import('@aws-sdk/client-s3')

/** The tools of one attempt of a request. */
export interface RequestTools {
  sdk: Sdk
  client: S3Client
  options: { abortSignal: AbortSignal }
  /** Restarts the idle timeout. Call this when data was transferred. */
  touch: () => void
}

/** Limits of one request. They override the limits of the connection. */
export interface Bounds {
  idleMs?: number
  attempts?: number
}

/** Attempts that failed in a row. `since` is the time of the first failure, by `performance.now()`. */
export interface Failures {
  count: number
  since: number
}

export interface Connection {
  bucket: string
  maxParts: number
  attempts: number
  idleMs: number
  /**
   * Sends a request, with retries.
   * @throws StorageFault, or the reason of `signal` if that is aborted
   */
  ask<T>(verb: Verb, signal: AbortSignal, run: (tools: RequestTools) => Promise<T>, bounds?: Bounds): Promise<T>
  /**
   * Waits before the next attempt. `failures` includes this failure.
   * @throws the fault if a retry cannot succeed or no attempts are left
   */
  waitForRetry(fault: StorageFault, failures: Failures, signal: AbortSignal): Promise<void>
  faultOf(error: unknown, verb: Verb): StorageFault
  timeoutFault(verb: Verb): StorageFault
  close(): void
}

const maxWaitMs = 15_000

/** The waits add up to about 45 seconds, enough for a restart of the storage. */
const defaults = { attempts: 8, waitMs: 500, idleMs: 60_000 }
/** Retries end after this time if the storage accepts no connection, so that callers get the error soon. */
const noConnectionMs = 15_000

const ignore = () => undefined

function refuseEndpoint(): never {
  throw new Error('endpoint is neither an http or https URL nor a host')
}

/** Varies the wait by 25 %, so that requests that failed at the same time do not all retry at the same time. */
async function wait(ms: number, signal: AbortSignal): Promise<void> {
  const varied = Math.min(ms, maxWaitMs) * (0.75 + Math.random() / 2)
  await pause(varied, undefined, { signal }).catch(() => signal.throwIfAborted())
}

interface Agents {
  httpAgent: HttpAgent
  httpsAgent: HttpsAgent
}

async function openClient(settings: Settings, endpoint: URL, region: string, own: Agents) {
  const { bucket, accessKey, secretAccessKey } = settings
  // Loading the SDK takes 0.25 s and memory, so it is loaded with the first request.
  const sdk = await import('@aws-sdk/client-s3')
  const client = new sdk.S3Client({
    endpoint: endpoint.href,
    region,
    credentials: { accessKeyId: accessKey, secretAccessKey },
    forcePathStyle: wantsPathStyle(endpoint, bucket),
    requestHandler: { ...own, connectionTimeout: connectMs },
    // `ask` retries. Storages other than Amazon's reject checksums in trailers.
    maxAttempts: 1,
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    expectContinueHeader: false,
    // Ignores the files and environment variables of other S3 clients on this machine.
    useDualstackEndpoint: false,
    useFipsEndpoint: false,
    useArnRegion: false,
    retryMode: 'standard',
    defaultsMode: 'legacy',
    disableS3ExpressSessionAuth: true,
    disableMultiregionAccessPoints: true,
    userAgentAppId: 'berth',
    // Otherwise the SDK writes warnings to the console.
    logger: { trace: ignore, debug: ignore, info: ignore, warn: ignore, error: ignore },
  })
  limitAnswers(client)
  return { sdk, client }
}

/** Opens no connection before the first request. */
export function openConnection(settings: Settings, { ca, egress = egressOf([]), ...limits }: Options): Connection {
  const endpoint = endpointUrl(settings.endpoint) ?? refuseEndpoint()
  const { attempts, waitMs, idleMs, maxParts } = { ...defaults, maxParts: maxPartsOf(endpoint), ...limits }
  const region = settings.region || 'us-east-1'
  const agents: Agents = {
    httpAgent: egress.httpAgent({ keepAlive: true }),
    httpsAgent: egress.httpsAgent({ keepAlive: true, ...(ca === undefined ? {} : { ca }) }),
  }
  const contextOf = (verb: Verb): FaultContext => ({
    verb,
    host: endpoint.host,
    bucket: settings.bucket,
    region,
    now: Date.now,
    proxy: egress.proxyOf(endpoint),
  })
  const attempt = attemptsOf(() => openClient(settings, endpoint, region, agents), contextOf)
  const waitForRetry = retryWaits(attempts, waitMs)
  return {
    bucket: settings.bucket,
    maxParts,
    attempts,
    idleMs,
    async ask(verb, signal, run, bounds = {}) {
      const maxAttempts = bounds.attempts ?? attempts
      let since: number | undefined
      for (let count = 1; ; count++) {
        const result = await attempt(verb, signal, run, bounds.idleMs ?? idleMs)
        if (!('fault' in result)) return result.answer
        if (count >= maxAttempts) throw result.fault
        since ??= performance.now()
        await waitForRetry(result.fault, { count, since }, signal)
      }
    },
    waitForRetry,
    faultOf: (error, verb) => faultOf(error, contextOf(verb)),
    timeoutFault: (verb) => timeoutFault(contextOf(verb), idleMs),
    close() {
      agents.httpAgent.destroy()
      agents.httpsAgent.destroy()
    },
  }
}

/** Returns a function that sends one attempt of a request. The first attempt opens the client. */
function attemptsOf(open: () => Promise<{ sdk: Sdk; client: S3Client }>, contextOf: (verb: Verb) => FaultContext) {
  let opened: Promise<{ sdk: Sdk; client: S3Client }> | undefined
  return async function attempt<T>(
    verb: Verb,
    signal: AbortSignal,
    run: (tools: RequestTools) => Promise<T>,
    idleMs: number,
  ): Promise<{ fault: StorageFault } | { answer: T }> {
    signal.throwIfAborted()
    opened ??= open()
    const { sdk, client } = await opened
    const timeout = new AbortController()
    const timer = setTimeout(() => timeout.abort(), idleMs)
    const options = { abortSignal: AbortSignal.any([signal, timeout.signal]) }
    try {
      return { answer: await run({ sdk, client, options, touch: () => void timer.refresh() }) }
    } catch (error) {
      signal.throwIfAborted()
      const isTimeout = timeout.signal.aborted
      return { fault: isTimeout ? timeoutFault(contextOf(verb), idleMs) : faultOf(error, contextOf(verb)) }
    } finally {
      clearTimeout(timer)
    }
  }
}

/** Returns `Connection.waitForRetry`. */
function retryWaits(attempts: number, waitMs: number): Connection['waitForRetry'] {
  return async (fault, { count, since }, signal) => {
    const leftMs = isNoConnection(fault) ? since + noConnectionMs - performance.now() : Infinity
    if (!fault.isTransient || count >= attempts || leftMs <= 0) throw fault
    await wait(Math.min(waitMs * 2 ** (count - 1), leftMs), signal)
  }
}
