/**
 * Makes pre-signed URLs: whoever has one can read the object without the access key, until it expires.
 * Source: docs.aws.amazon.com/AmazonS3/latest/API/sigv4-query-string-auth.html
 */
import { createHash, createHmac } from 'node:crypto'
import type { Readable } from 'node:stream'
import type { Connection, RequestTools } from './connection.ts'
import { StorageFault } from '../storage/faults.ts'
import type { PresignedUrl } from '../storage/storage.ts'

/** The part of a request of the SDK that a URL consists of. The path is percent-encoded, the query is not. */
interface UnsignedRequest {
  protocol: string
  hostname: string
  port?: number
  path: string
  query?: Record<string, string | string[] | null>
  headers: Record<string, string>
}

interface Key {
  accessKeyId: string
  secretAccessKey: string
  region: string
}

export const presignOn = (
  connection: Connection,
  objectKey: string,
  seconds: number,
  signal: AbortSignal,
): Promise<PresignedUrl> =>
  connection.ask('read', signal, async (tools) => {
    const { config } = tools.client
    const key = { ...(await config.credentials()), region: await config.region() }
    const request = await requestOf(tools, connection.bucket, objectKey)
    // The SDK knows from earlier answers how far the storage's clock is from this machine's.
    const at = new Date(Date.now() + config.systemClockOffset)
    const query = signedQuery(key, request, seconds, at)
    await checkAccepted(tools, Object.assign(request, { query }))
    return { url: urlOf(request, query), expiresAt: new Date(at.getTime() + seconds * 1000) }
  })

/** The request that reads the object, as the SDK would send it before it signs it. */
async function requestOf({ sdk, client }: RequestTools, Bucket: string, Key: string): Promise<UnsignedRequest> {
  const command = new sdk.GetObjectCommand({ Bucket, Key })
  let built: UnsignedRequest | undefined
  command.middlewareStack.add(
    () => async (args) => {
      built = (args as { request: UnsignedRequest }).request
      return { response: {}, output: { $metadata: {} } }
    },
    { step: 'finalizeRequest', priority: 'high', name: 'takeRequest' },
  )
  await client.send(command)
  return Object.assign(built!, { headers: { host: hostOf(built!) } })
}

/** Reads the first byte by the URL. @throws StorageFault if the storage does not accept it */
async function checkAccepted({ client, options }: RequestTools, request: UnsignedRequest): Promise<void> {
  Object.assign(request.headers, { range: 'bytes=0-0' })
  const { response } = await client.config.requestHandler.handle(request as never, options)
  const body = response.body as Readable
  body.destroy()
  if (response.statusCode === 206 || response.statusCode === 200) return
  throw new StorageFault(
    'answer',
    `The storage does not accept pre-signed URLs: it answers HTTP ${response.statusCode}`,
  )
}

const hostOf = ({ hostname, port }: Pick<UnsignedRequest, 'hostname' | 'port'>) =>
  port === undefined ? hostname : `${hostname}:${port}`

type Query = Record<string, string>

/** The query of the URL, with the signature. */
export function signedQuery(
  { accessKeyId, secretAccessKey, region }: Key,
  { path, query = {}, ...request }: Pick<UnsignedRequest, 'hostname' | 'port' | 'path' | 'query'>,
  seconds: number,
  at: Date,
): Query {
  const time = at.toISOString().replace(/[-:]|\.\d+/g, '')
  const scope = [time.slice(0, 8), region, 's3', 'aws4_request']
  const unsigned = {
    ...Object.fromEntries(Object.entries(query).map(([name, value]) => [name, String(value ?? '')])),
    'X-Amz-Algorithm': 'AWS4-HMAC-SHA256',
    'X-Amz-Credential': [accessKeyId, ...scope].join('/'),
    'X-Amz-Date': time,
    'X-Amz-Expires': String(seconds),
    'X-Amz-SignedHeaders': 'host',
  }
  const canonical = ['GET', path, queryText(unsigned), `host:${hostOf(request)}`, '', 'host', 'UNSIGNED-PAYLOAD']
  const digest = createHash('sha256').update(canonical.join('\n')).digest('hex')
  const signingKey = scope.reduce<string | Buffer>((key, part) => hmac(key, part), `AWS4${secretAccessKey}`)
  const signature = hmac(signingKey, ['AWS4-HMAC-SHA256', time, scope.join('/'), digest].join('\n')).toString('hex')
  return { ...unsigned, 'X-Amz-Signature': signature }
}

const hmac = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text).digest()

/** Sorted by name. All but the unreserved characters of RFC 3986 are percent-encoded. */
const queryText = (query: Query): string =>
  Object.entries(query)
    .map(([name, value]) => `${encoded(name)}=${encoded(value)}`)
    .sort()
    .join('&')

const encoded = (text: string) =>
  encodeURIComponent(text).replace(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`)

const urlOf = (request: UnsignedRequest, query: Query): string =>
  `${request.protocol}//${hostOf(request)}${request.path}?${queryText(query)}`
