/**
 * Classifies failures of a storage and describes each in a message that says what to do. A message contains no text of
 * the server or the SDK except names of errors and regions, and numbers.
 */
import { EgressFault } from '../net/egress.ts'
import type { OutgoingProxy } from '../net/outgoing-proxy.ts'
import { loginFault, ProxyFault } from '../net/proxy-fault.ts'
import { tlsFaultKind } from '../net/tls-faults.ts'
import { type FaultKind, StorageFault, type Verb } from '../storage/faults.ts'

/** The context of a request, for messages. */
export interface FaultContext {
  verb: Verb
  host: string
  bucket: string
  region: string
  now: () => number
  /** The proxy by which the request went. */
  proxy?: OutgoingProxy | null
}

/** The fields of the SDK's errors that Berth reads. */
interface SdkError {
  name?: unknown
  code?: unknown
  message?: unknown
  Region?: unknown
  ServerTime?: unknown
  $metadata?: { httpStatusCode?: number }
  $response?: { headers?: Record<string, string> }
}

/** Converts the error of a request into a StorageFault. */
export function faultOf(error: unknown, context: FaultContext): StorageFault {
  if (error instanceof StorageFault) return error
  if (error instanceof EgressFault) return new StorageFault('egress', error.message)
  if (error instanceof ProxyFault) return new StorageFault('proxy', error.message, error.isTransient)
  const sdkError = (typeof error === 'object' && error !== null ? error : {}) as SdkError
  const status = sdkError.$metadata?.httpStatusCode
  if (status === 407 && context.proxy) return faultOf(loginFault(context.proxy), context)
  const fault = status === undefined ? connectionFault(sdkError, context) : responseFault(sdkError, status, context)
  return namingProxy(fault, context.proxy)
}

/** Faults that a proxy can cause although the storage works. */
const maybeOfProxy: readonly FaultKind[] = ['answer', 'busy', 'broken', 'timeout']

/** Adds the proxy to the message of a fault that the proxy can have caused. */
export function namingProxy(fault: StorageFault, proxy: OutgoingProxy | null | undefined): StorageFault {
  if (!proxy || !maybeOfProxy.includes(fault.kind)) return fault
  const message = `${fault.message}. The request went by the proxy ${proxy.host} (${proxy.setting})`
  return new StorageFault(fault.kind, message, fault.isTransient)
}

/** @param ms how long the storage did not answer */
export const timeoutFault = (context: FaultContext, ms: number): StorageFault =>
  namingProxy(noAnswer(context, ms), context.proxy)

const noAnswer = ({ host, verb }: FaultContext, ms: number): StorageFault =>
  new StorageFault(
    'timeout',
    `${host} did not answer within ${ms / 1000} seconds when it was asked to ${verb}. ` +
      'Check the endpoint, and that no firewall drops the connection',
  )

function connectionFault({ code, name, message }: SdkError, context: FaultContext): StorageFault {
  const { host, verb } = context
  const fault = (kind: FaultKind, text: string) => new StorageFault(kind, text)
  switch (code) {
    case 'ENOTFOUND':
      return fault(
        'name',
        `The name ${host} could not be resolved. Check the endpoint for a typing error, and check the DNS`,
      )
    case 'EAI_AGAIN':
      return new StorageFault('name', `No DNS server answered for the name ${host}. Try again, and check the DNS`, true)
    case 'ECONNREFUSED':
      return fault('refused', `${host} refused the connection. Check the endpoint, its port and that the storage runs`)
    case 'ECONNRESET':
    case 'EPIPE':
    case 'ECONNABORTED':
    case 'ERR_STREAM_PREMATURE_CLOSE':
      return fault(
        'broken',
        `The connection to ${host} broke when it was asked to ${verb}. Try again, and check that ` +
          'the endpoint has the right scheme (https:// or http://) and port',
      )
  }
  // The SDK names broken connections TimeoutError as well, so their codes are checked first.
  if (name === 'TimeoutError' || code === 'ETIMEDOUT') return noAnswer(context, connectMs)
  const tls = typeof code === 'string' ? tlsFault(code, String(message), host) : null
  if (tls !== null) return fault('tls', tls)
  if (typeof code === 'string' && /^E[A-Z]+$/.test(code)) {
    return fault('unreachable', `${host} cannot be reached from this machine (${code}). Check endpoint and route`)
  }
  return notS3(context)
}

/** The timeout for opening a connection. */
export const connectMs = 10_000

function tlsFault(code: string, message: string, host: string): string | null {
  const certificate = `The certificate of ${host}`
  switch (tlsFaultKind(code, message)) {
    case 'authority':
      return (
        `${certificate} is signed by an authority that this machine does not know. If you run the ` +
        'authority, start Berth with NODE_EXTRA_CA_CERTS=/path/to/ca.pem'
      )
    case 'expired':
      return `${certificate} has expired. Renew it there, or check this machine's clock`
    case 'early':
      return `${certificate} is not valid yet. Check the clocks of both machines`
    case 'name':
      return `${certificate} is for another name. Use a name of the certificate in the endpoint`
    case 'plain':
      return `${host} does not speak TLS on this port. Write the endpoint with http://, or use its https port`
    case 'other':
      return `The TLS handshake with ${host} failed (${code.slice(0, 60)}). Check its certificate and TLS versions`
    case null:
      return null
  }
}

function responseFault(sdkError: SdkError, status: number, context: FaultContext): StorageFault {
  const { host, bucket, region, verb } = context
  const fault = (kind: FaultKind, text: string) => new StorageFault(kind, text)
  const name = errorNameOf(sdkError.name)
  const knownFault = knownFaults[name]
  if (name === 'RequestTimeTooSkewed') return fault('clock', clockText(sdkError, context))
  if (status === 301 || /^(?:AuthorizationHeaderMalformed|IllegalLocationConstraintException)$/.test(name)) {
    const right = rightRegion(sdkError)
    const other = right === null ? 'Look up the region of the bucket' : `The right one is ${right}`
    return fault('region', `The bucket ${bucket} is not in the region "${region}". ${other}`)
  }
  if (knownFault !== undefined)
    return fault(
      knownFault[0],
      knownFault[1].replace('BUCKET', () => bucket),
    )
  if (status === 403 && !isUnparsed(sdkError)) {
    return fault('rights', `The access key may not ${verb} in the bucket ${bucket}. Grant the key that right`)
  }
  if (status >= 500 || status === 429 || retryableNames.test(name)) {
    return fault('busy', `${host} could not ${verb} now (HTTP ${status}). Try again later`)
  }
  if (status === 404 && !isUnparsed(sdkError))
    return fault('missing', `The object does not exist in the bucket ${bucket}`)
  if (isUnparsed(sdkError) || name === '') return notS3(context, status)
  return fault('answer', `${host} refused to ${verb}: ${name} (HTTP ${status})`)
}

/** Errors to retry. A digest mismatch means that the data was changed in transit. */
const retryableNames = /^(?:SlowDown|RequestTimeout|BadDigest|XAmzContentSHA256Mismatch|IncompleteBody|InternalError)$/

const knownFaults: Record<string, [FaultKind, string] | undefined> = {
  InvalidAccessKeyId: ['accessKey', 'The storage does not know this access key. Check it for a typing error'],
  SignatureDoesNotMatch: [
    'secretAccessKey',
    'The secret access key does not belong to this access key. Enter both again',
  ],
  NoSuchBucket: ['bucket', 'There is no bucket BUCKET at this endpoint. Create the bucket, or correct its name'],
  NoSuchUpload: ['missing', 'The upload does not exist any more'],
  PreconditionFailed: ['changed', 'The object was replaced while it was read. Read it again'],
}

/** Whether the SDK could not parse the answer as XML, for example because it is a web page. */
const isUnparsed = ({ name }: SdkError) => name === 'Error' || name === 'SyntaxError' || name === 'TypeError'

const notS3 = ({ host }: FaultContext, status?: number) =>
  new StorageFault(
    'answer',
    `${host} did not answer as S3 does${status === undefined ? '' : ` (HTTP ${status})`}. Check that the endpoint is the ` +
      'one of its S3 API, with the right port and scheme',
  )

function clockText({ ServerTime }: SdkError, { host, now }: FaultContext): string {
  const apart = Math.round(Math.abs(Date.parse(String(ServerTime)) - now()) / 60_000)
  const minutes = Number.isFinite(apart) && apart > 0 ? `${apart} minutes` : 'too far'
  return `The clocks of this machine and of ${host} are ${minutes} apart. Synchronize this machine with a time server (NTP)`
}

function rightRegion({ Region, message, $response }: SdkError): string | null {
  const candidates = [
    Region,
    $response?.headers?.['x-amz-bucket-region'],
    /expecting ["']([^"']+)["']/.exec(String(message))?.[1],
  ]
  return (
    candidates.find((name): name is string => typeof name === 'string' && /^[A-Za-z0-9-]{1,63}$/.test(name)) ?? null
  )
}

/** Returns the name of an S3 error, or '' if the SDK has no name for it. */
function errorNameOf(name: unknown): string {
  return typeof name === 'string' && /^[A-Z][A-Za-z0-9.]{2,63}$/.test(name) && name !== 'Unknown' ? name : ''
}
