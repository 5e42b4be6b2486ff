/** Asking a storage: one client of the SDK, each wait bounded; what fails in passing is tried again, ever later. */
import type { Agent as HttpAgent } from 'node:http'
import type { Agent as HttpsAgent } from 'node:https'
import { setTimeout as pause } from 'node:timers/promises'
import type { S3Client } from '@aws-sdk/client-s3'
import { type Egress, egressOf } from '../net/egress.ts'
import { limitAnswers } from './answers.ts'
import { endpointUrl, wantsPathStyle } from './endpoint.ts'
import { connectMs, faultOf, isNoConnection, silence, type StorageFault, type Tried, type Verb } from './faults.ts'

export interface Settings {
  /** A URL of http or https, or a host, which is reached by https. */
  endpoint: string
  /** Empty: us-east-1, which most storages that know no regions go by. */
  region: string
  bucket: string
  accessKey: string
  secretAccessKey: string
}

export interface Options {
  /** Where requests may go; without, nowhere that needs an exception. */
  egress?: Egress
  /** PEM of the authority to trust, in place of those that this machine knows. */
  ca?: string
  /** Of each request, the first included. */
  attempts?: number
  /** Before the second attempt; each wait after it is twice as long, up to 15 s. */
  waitMs?: number
  /** So long nothing may happen on the line while an answer is waited for. */
  idleMs?: number
}

type Sdk = typeof import('@aws-sdk/client-s3')

/** What a request is made with. */
export interface Asked {
  sdk: Sdk
  client: S3Client
  options: { abortSignal: AbortSignal }
  touch: () => void
}

/** Bounds that differ from the line's own. */
export interface Bounds {
  idleMs?: number
  attempts?: number
}

/** Attempts that failed one after the other; `since` is when the first of them did, by `performance.now()`. */
export interface Failures {
  count: number
  since: number
}

export interface Line {
  bucket: string
  attempts: number
  idleMs: number
  /** Throws a StorageFault, or the signal's reason where that is aborted. `touch` says that something happened. */
  ask<T>(verb: Verb, signal: AbortSignal, run: (asked: Asked) => Promise<T>, bounds?: Bounds): Promise<T>
  /** Waits before another attempt; throws the fault where there is to be none. `failures` include this one. */
  again(fault: StorageFault, failures: Failures, signal: AbortSignal): Promise<void>
  faultOf(error: unknown, verb: Verb): StorageFault
  silence(verb: Verb): StorageFault
  close(): void
}

const maxWaitMs = 15_000

/** 45 seconds of waits, so that a storage may start anew meanwhile; a minute until a line counts as dead. */
const patience = { attempts: 8, waitMs: 500, idleMs: 60_000 }
/** A storage that takes no connection is asked again no longer than this: whoever waits for a run is told soon. */
const noConnectionMs = 15_000

const silent = () => undefined

function refuseEndpoint(): never {
  throw new Error('The endpoint is neither a URL nor a host')
}

/** A quarter more or less, so that those that failed together do not come back together. */
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
  // Takes a quarter of a second and some memory: only what uses a storage loads it.
  const sdk = await import('@aws-sdk/client-s3')
  const client = new sdk.S3Client({
    endpoint: endpoint.href,
    region,
    credentials: { accessKeyId: accessKey, secretAccessKey },
    forcePathStyle: wantsPathStyle(endpoint, bucket),
    requestHandler: { ...own, connectionTimeout: connectMs },
    // The attempts are made here. Checksums in trailers are refused by storages that are not Amazon's.
    maxAttempts: 1,
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    expectContinueHeader: false,
    // Nothing from the files and the environment of this machine's other users of S3.
    useDualstackEndpoint: false,
    useFipsEndpoint: false,
    useArnRegion: false,
    retryMode: 'standard',
    defaultsMode: 'legacy',
    disableS3ExpressSessionAuth: true,
    disableMultiregionAccessPoints: true,
    userAgentAppId: 'berth',
    // Else it writes warnings on the console. What fails is thrown.
    logger: { trace: silent, debug: silent, info: silent, warn: silent, error: silent },
  })
  limitAnswers(client)
  return { sdk, client }
}

export function openLine(settings: Settings, { ca, egress = egressOf([]), ...given }: Options): Line {
  const { attempts, waitMs, idleMs } = { ...patience, ...given }
  const endpoint = endpointUrl(settings.endpoint) ?? refuseEndpoint()
  const region = settings.region || 'us-east-1'
  const agents: Agents = {
    httpAgent: egress.httpAgent({ keepAlive: true }),
    httpsAgent: egress.httpsAgent({ keepAlive: true, ...(ca === undefined ? {} : { ca }) }),
  }
  const triedTo = (verb: Verb): Tried => ({ verb, host: endpoint.host, bucket: settings.bucket, region, now: Date.now })
  let opened: Promise<{ sdk: Sdk; client: S3Client }> | undefined
  return {
    bucket: settings.bucket,
    attempts,
    idleMs,
    ask,
    again,
    faultOf: (error, verb) => faultOf(error, triedTo(verb)),
    silence: (verb) => silence(triedTo(verb), idleMs),
    close() {
      agents.httpAgent.destroy()
      agents.httpsAgent.destroy()
    },
  }

  async function ask<T>(
    verb: Verb,
    signal: AbortSignal,
    run: (asked: Asked) => Promise<T>,
    bounds: Bounds = {},
  ): Promise<T> {
    const most = bounds.attempts ?? attempts
    let since: number | undefined
    for (let count = 1; ; count++) {
      const fault = await once(verb, signal, run, bounds.idleMs ?? idleMs)
      if (!('kind' in fault)) return fault.answer
      if (count >= most) throw fault
      since ??= performance.now()
      await again(fault, { count, since }, signal)
    }
  }

  async function once<T>(
    verb: Verb,
    signal: AbortSignal,
    run: (asked: Asked) => Promise<T>,
    ms: number,
  ): Promise<StorageFault | { answer: T }> {
    signal.throwIfAborted()
    opened ??= openClient(settings, endpoint, region, agents)
    const { sdk, client } = await opened
    const late = new AbortController()
    const timer = setTimeout(() => late.abort(), ms)
    const options = { abortSignal: AbortSignal.any([signal, late.signal]) }
    try {
      return { answer: await run({ sdk, client, options, touch: () => void timer.refresh() }) }
    } catch (error) {
      signal.throwIfAborted()
      return late.signal.aborted ? silence(triedTo(verb), ms) : faultOf(error, triedTo(verb))
    } finally {
      clearTimeout(timer)
    }
  }

  async function again(fault: StorageFault, { count, since }: Failures, signal: AbortSignal) {
    const leftMs = isNoConnection(fault) ? since + noConnectionMs - performance.now() : Infinity
    if (!fault.isPassing || count >= attempts || leftMs <= 0) throw fault
    await wait(Math.min(waitMs * 2 ** (count - 1), leftMs), signal)
  }
}
