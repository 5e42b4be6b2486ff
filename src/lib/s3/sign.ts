/**
 * Signs requests that another process sends to the storage. The other process gets no credentials: a signature covers
 * one request, and for a part also the bytes. Storages accept a signature for about 15 minutes.
 */
import type { Connection, RequestTools } from './connection.ts'

/** A request on an object. `part`: sends a part of an upload. `read`: reads from a position on. `head`: reads no byte. */
export type WantedRequest =
  | { do: 'part'; number: number; sizeBytes: number; sha256: string }
  | { do: 'read'; at: number; etag: string | null }
  | { do: 'head' }

/** An HTTP request without its body. The other process sends it exactly as it is. */
export interface SignedRequest {
  method: string
  protocol: string
  hostname: string
  port: number | null
  /** With the query. */
  path: string
  headers: Record<string, string>
}

/** The fields of the SDK's requests that Berth reads. */
interface SdkRequest extends Omit<SignedRequest, 'port'> {
  port?: number
  query: Record<string, string | string[] | null>
}

/** See `Bucket.sign`. */
export function signOn(
  connection: Connection,
  key: string,
  request: WantedRequest,
  uploadId: string | null,
  signal: AbortSignal,
): Promise<SignedRequest> {
  return connection.ask('write', signal, async (tools) => {
    let signed: SdkRequest | undefined
    const command = commandOf(tools, { Bucket: connection.bucket, Key: key }, request, uploadId)
    command.middlewareStack.add(
      (next) => (args) => {
        const { headers } = args.request as SdkRequest
        if (request.do === 'part') {
          Object.assign(headers, {
            'x-amz-content-sha256': request.sha256,
            'content-length': String(request.sizeBytes),
          })
        }
        return next(args)
      },
      { step: 'build', name: 'checksumOfPart' },
    )
    // The last step before the request would be sent.
    command.middlewareStack.add(
      () => async (args) => {
        signed = args.request as SdkRequest
        return { response: {}, output: { $metadata: {} } }
      },
      { step: 'finalizeRequest', priority: 'low', name: 'keepRequest' },
    )
    await tools.client.send(command, tools.options)
    return requestOf(signed!)
  })
}

/** All commands have the same type for the caller: the answer is never read. */
type Command = InstanceType<RequestTools['sdk']['HeadObjectCommand']>

function commandOf(
  { sdk }: RequestTools,
  object: { Bucket: string; Key: string },
  request: WantedRequest,
  uploadId: string | null,
): Command {
  switch (request.do) {
    case 'part': {
      const upload = { UploadId: uploadId ?? undefined, PartNumber: request.number }
      return new sdk.UploadPartCommand({ ...object, ...upload }) as unknown as Command
    }
    case 'read': {
      const { at, etag } = request
      const rest = at === 0 ? {} : { Range: `bytes=${at}-`, ...(etag === null ? {} : { IfMatch: etag }) }
      return new sdk.GetObjectCommand({ ...object, ...rest }) as unknown as Command
    }
    case 'head':
      return new sdk.HeadObjectCommand(object)
  }
}

function requestOf({ method, protocol, hostname, port, path, query, headers }: SdkRequest): SignedRequest {
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    [value ?? ''].flat().map((text) => `${escaped(name)}=${escaped(text)}`),
  )
  const search = pairs.length === 0 ? '' : `?${pairs.join('&')}`
  return { method, protocol, hostname, port: port ?? null, path: path + search, headers }
}

/** The escapes of a signature. Source: docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html. */
const escaped = (text: string) =>
  encodeURIComponent(text).replace(/[!'()*]/g, (it) => `%${it.charCodeAt(0).toString(16).toUpperCase()}`)
