/** Sends requests to a storage through the SDK, with timeouts. Retries transient failures after waits that grow. */
import type { Agent as HttpAgent } from 'node:http'
import type { Agent as HttpsAgent } from 'node:https'
import type { S3Client } from '@aws-sdk/client-s3'
import { egressOf } from '../net/egress.ts'
import { limitAnswers } from './answers.ts'
import { endpointUrl, maxPartsOf, wantsPathStyle } from './endpoint.ts'
import type { StorageFault, Verb } from '../storage/faults.ts'
import { retryWaits, usualLimits, type WaitForRetry } from '../storage/retries.ts'
import type { StorageOptions } from '../storage/storage.ts'
import { connectMs, faultOf, timeoutFault, type FaultContext } from './faults.ts'

export interface Settings {
  /** An http or https URL, or a host, which is reached by https. */
  endpoint: string
  /** Empty means us-east-1, which most storages without regions expect. */
  region: string
  bucket: string
  accessKey: string
  secretAccessKey: string
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
  waitForRetry: WaitForRetry
  faultOf(error: unknown, verb: Verb): StorageFault
  timeoutFault(verb: Verb): StorageFault
  close(): void
}

const ignore = () => undefined

function refuseEndpoint(): never {
  throw new Error('endpoint is neither an http or https URL nor a host')
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
export function openConnection(
  settings: Settings,
  { ca, egress = egressOf([]), ...limits }: StorageOptions,
): Connection {
  const endpoint = endpointUrl(settings.endpoint) ?? refuseEndpoint()
  const { attempts, waitMs, idleMs, maxParts } = { ...usualLimits, maxParts: maxPartsOf(endpoint), ...limits }
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
