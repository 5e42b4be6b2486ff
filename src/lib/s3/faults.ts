/**
 * What goes wrong with a storage, told apart and in a sentence that says what to do. What a server or the SDK said is
 * never shown: only names of errors, of regions and numbers are taken from it.
 */
import { EgressFault } from '../net/egress.ts'
import { tlsFaultKind } from '../net/tls-faults.ts'

export type FaultKind =
  | 'name'
  | 'refused'
  | 'unreachable'
  | 'broken'
  | 'tls'
  | 'clock'
  | 'accessKey'
  | 'secretAccessKey'
  | 'bucket'
  | 'region'
  | 'rights'
  | 'timeout'
  | 'busy'
  | 'missing'
  | 'changed'
  | 'answer'
  | 'egress'

/** What was to be done, as it stands after "to". */
export type Verb = 'write' | 'read' | 'list' | 'delete'

/** What a sentence names. */
export interface Tried {
  verb: Verb
  host: string
  bucket: string
  region: string
  now: () => number
}

export class StorageFault extends Error {
  readonly kind: FaultKind
  /** Worth another try. */
  readonly isPassing: boolean

  /** `message` is a sentence for the caller. */
  constructor(kind: FaultKind, message: string, isPassing = passing.includes(kind)) {
    super(message)
    this.name = 'StorageFault'
    this.kind = kind
    this.isPassing = isPassing
  }
}

/** After a refusal for the clock the SDK goes by the server's. */
const passing: readonly FaultKind[] = ['refused', 'unreachable', 'broken', 'clock', 'timeout', 'busy']

/** The storage takes no connection at all: to ask it for anything else is of no use now. */
export const isNoConnection = (error: unknown): boolean =>
  error instanceof StorageFault && (error.kind === 'refused' || error.kind === 'unreachable' || error.kind === 'name')

/** An upload failed, for its cause, and could not be aborted either: what was sent lies there until somebody does. */
export class LeftUpload extends Error {
  readonly uploadId: string

  constructor(uploadId: string, cause: unknown) {
    super('What was sent of it could not be deleted either', { cause })
    this.name = 'LeftUpload'
    this.uploadId = uploadId
  }
}

/** One sentence on what went wrong and what to do, without a secret. */
export function explain(error: unknown): string {
  if (error instanceof StorageFault) return error.message
  if (error instanceof LeftUpload) return `${explain(error.cause)}. ${error.message}`
  return 'The storage could not be used, for a reason that is not known'
}

/** The members of what the SDK throws that are looked at. */
interface Raw {
  name?: unknown
  code?: unknown
  message?: unknown
  Region?: unknown
  ServerTime?: unknown
  $metadata?: { httpStatusCode?: number }
  $response?: { headers?: Record<string, string> }
}

export function faultOf(error: unknown, tried: Tried): StorageFault {
  if (error instanceof StorageFault) return error
  if (error instanceof EgressFault) return new StorageFault('egress', error.message)
  const raw = (typeof error === 'object' && error !== null ? error : {}) as Raw
  const status = raw.$metadata?.httpStatusCode
  return status === undefined ? faultOfLine(raw, tried) : faultOfAnswer(raw, status, tried)
}

/** How long nothing was heard, in words. */
export const silence = ({ host, verb }: Tried, ms: number): StorageFault =>
  new StorageFault(
    'timeout',
    `${host} did not answer within ${ms / 1000} seconds when it was asked to ${verb}. ` +
      'Check the endpoint, and that no firewall drops the connection',
  )

function faultOfLine({ code, name, message }: Raw, tried: Tried): StorageFault {
  const { host, verb } = tried
  const fault = (kind: FaultKind, text: string) => new StorageFault(kind, text)
  switch (code) {
    case 'ENOTFOUND':
      return fault('name', `The name ${host} could not be resolved. Check the endpoint for a slip, and the DNS`)
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
  // The SDK gives this name to broken connections as well.
  if (name === 'TimeoutError' || code === 'ETIMEDOUT') return silence(tried, connectMs)
  const tls = typeof code === 'string' ? tlsFault(code, String(message), host) : null
  if (tls !== null) return fault('tls', tls)
  if (typeof code === 'string' && /^E[A-Z]+$/.test(code)) {
    return fault('unreachable', `${host} cannot be reached from this machine (${code}). Check endpoint and route`)
  }
  return notS3(tried)
}

/** Bound on taking up a connection. */
export const connectMs = 10_000

function tlsFault(code: string, message: string, host: string): string | null {
  const certificate = `The certificate of ${host}`
  switch (tlsFaultKind(code, message)) {
    case 'authority':
      return (
        `${certificate} is signed by an authority that this machine does not know. If it is your own, start Berth ` +
        'with NODE_EXTRA_CA_CERTS=/path/to/its/certificate.pem'
      )
    case 'expired':
      return `${certificate} has expired. Renew it there, or check this machine's clock`
    case 'early':
      return `${certificate} is not valid yet. Check the clocks of both machines`
    case 'name':
      return `${certificate} is for another name. Write the endpoint as the certificate has it`
    case 'plain':
      return `${host} does not speak TLS on this port. Write the endpoint with http://, or take its port for https`
    case 'other':
      return `No TLS connection to ${host} came about (${code.slice(0, 60)}). Check its certificate and versions of TLS`
    case null:
      return null
  }
}

function faultOfAnswer(raw: Raw, status: number, tried: Tried): StorageFault {
  const { host, bucket, region, verb } = tried
  const fault = (kind: FaultKind, text: string) => new StorageFault(kind, text)
  const name = wordOf(raw.name)
  const known = knownAnswers[name]
  if (name === 'RequestTimeTooSkewed') return fault('clock', clockText(raw, tried))
  if (status === 301 || /^(?:AuthorizationHeaderMalformed|IllegalLocationConstraintException)$/.test(name)) {
    const right = rightRegion(raw)
    const other = right === null ? 'Look up the region of the bucket' : `The right one is ${right}`
    return fault('region', `The bucket ${bucket} is not in the region "${region}". ${other}`)
  }
  if (known !== undefined)
    return fault(
      known[0],
      known[1].replace('BUCKET', () => bucket),
    )
  if (status === 403 && !isUnread(raw)) {
    return fault('rights', `The access key may not ${verb} in the bucket ${bucket}. Give it that right`)
  }
  if (status >= 500 || status === 429 || brokenOnTheWay.test(name)) {
    return fault('busy', `${host} could not ${verb} now (HTTP ${status}). Try again later`)
  }
  if (status === 404 && !isUnread(raw)) return fault('missing', `There is no such object in the bucket ${bucket}`)
  if (isUnread(raw) || name === '') return notS3(tried, status)
  return fault('answer', `${host} refused to ${verb}: ${name} (HTTP ${status})`)
}

/** Signatures over what came prove that something else came. */
const brokenOnTheWay = /^(?:SlowDown|RequestTimeout|BadDigest|XAmzContentSHA256Mismatch|IncompleteBody|InternalError)$/

const knownAnswers: Record<string, [FaultKind, string] | undefined> = {
  InvalidAccessKeyId: ['accessKey', 'The storage does not know this access key. Check it for a slip'],
  SignatureDoesNotMatch: ['secretAccessKey', 'The secret access key does not belong to this access key. Set it anew'],
  NoSuchBucket: ['bucket', 'There is no bucket BUCKET at this endpoint. Make it there, or correct its name'],
  NoSuchUpload: ['missing', 'There is no such upload any more'],
  PreconditionFailed: ['changed', 'The object was replaced while it was read. Read it again'],
}

/** The answer was no XML: a web page, say. */
const isUnread = ({ name }: Raw) => name === 'Error' || name === 'SyntaxError' || name === 'TypeError'

const notS3 = ({ host }: Tried, status?: number) =>
  new StorageFault(
    'answer',
    `${host} did not answer as S3 does${status === undefined ? '' : ` (HTTP ${status})`}. Check that the endpoint is the ` +
      'one of its S3 API, with the right port and scheme',
  )

function clockText({ ServerTime }: Raw, { host, now }: Tried): string {
  const apart = Math.round(Math.abs(Date.parse(String(ServerTime)) - now()) / 60_000)
  const minutes = Number.isFinite(apart) && apart > 0 ? `${apart} minutes` : 'too far'
  return `The clocks of this machine and of ${host} are ${minutes} apart. Set this one by a time server (NTP)`
}

function rightRegion({ Region, message, $response }: Raw): string | null {
  const said = [
    Region,
    $response?.headers?.['x-amz-bucket-region'],
    /expecting ["']([^"']+)["']/.exec(String(message))?.[1],
  ]
  return said.find((it): it is string => typeof it === 'string' && /^[A-Za-z0-9-]{1,63}$/.test(it)) ?? null
}

/** The name of an error, where it is one; the SDK says Unknown where there is none. */
function wordOf(name: unknown): string {
  return typeof name === 'string' && /^[A-Z][A-Za-z0-9.]{2,63}$/.test(name) && name !== 'Unknown' ? name : ''
}
