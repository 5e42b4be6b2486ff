/** A server that keeps objects in memory. Implements the part of S3 that Berth uses, with the rules of several providers. */
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'

/** What storages demand, and how they differ. Each rule is off by default. */
export interface Rules {
  /** All parts of an upload but the last have one size, and the last is not larger (Cloudflare R2). */
  equalParts?: boolean
  /** Each upload states an MD5 or a checksum, as a bucket with object lock requires. */
  checksumRequired?: boolean
  /** A header `x-amz-checksum-*` or a trailer is refused, as older storages do. */
  checksumRefused?: boolean
  /** The most parts of an upload. */
  maxParts?: number
  /** A deletion without a version hides the object behind a marker (Backblaze B2). */
  versions?: boolean
  /** The access key may not delete versions. */
  versionsRefused?: boolean
  /** Object lock: no version can be deleted before this time. */
  lockedUntil?: Date
  /** Each request is refused once before it is accepted, by this status: 429 or 503. */
  busyWith?: number
}

export interface MemoryBucket extends AsyncDisposable {
  /** The endpoint of a destination. The name of the bucket is the first segment of each path. */
  endpoint: string
  /** The fields of a destination for a bucket of this server, without its name. */
  settings: { endpoint: string; region: string; bucket: string; accessKey: string; secretAccessKey: string }
  /** The objects that can be read, by key. */
  objects: Map<string, Buffer>
  /** All versions by key, oldest first, if the bucket keeps them. A deletion marker has no body. */
  versions: Map<string, Version[]>
  /** Uploads that are neither completed nor aborted, by id. */
  uploads: Map<string, Map<number, Buffer>>
  rules: Rules
}

interface Version {
  id: string
  body: Buffer | null
}

interface Reply {
  status?: number
  body?: Buffer | string
  headers?: Record<string, string>
}

const refusal = (status: number, code: string): Reply => ({ status, body: `<Error><Code>${code}</Code></Error>` })

export async function memoryBucket(rules: Rules = {}): Promise<MemoryBucket> {
  const objects = new Map<string, Buffer>()
  const versions = new Map<string, Version[]>()
  const uploads = new Map<string, Map<number, Buffer>>()
  const refusedOnce = new Set<string>()
  let lastId = 0
  const server = createServer((request, response) => {
    void answerTo(request).then(({ status = 200, body = '', headers = {} }) => {
      response.writeHead(status, { 'content-length': Buffer.byteLength(body), ...headers })
      response.end(request.method === 'HEAD' ? undefined : body)
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    endpoint,
    settings: { endpoint, region: '', bucket: 'backups', accessKey: 'key', secretAccessKey: 'a-secret-of-the-storage' },
    objects,
    versions,
    uploads,
    rules,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }

  async function answerTo(request: IncomingMessage): Promise<Reply> {
    const { method, headers } = request
    const { pathname, searchParams } = new URL(request.url!, 'http://storage')
    const key = decodeURIComponent(pathname.split('/').slice(2).join('/'))
    const body = await buffer(request)
    const refused = refusalOf(request, body)
    if (refused !== null) return refused
    const uploadId = searchParams.get('uploadId')
    if (method === 'POST' && searchParams.has('uploads')) return beginUpload(key)
    if (uploadId !== null) return continueUpload(method!, key, uploadId, Number(searchParams.get('partNumber')), body)
    if (method === 'PUT') return put(key, body)
    if (method === 'DELETE') return remove(key, searchParams.get('versionId'))
    if (method === 'GET' && key === '') return list(searchParams)
    return read(method!, key, headers.range)
  }

  function refusalOf({ url, method, headers }: IncomingMessage, body: Buffer): Reply | null {
    const request = `${method} ${url}`
    if (rules.busyWith !== undefined && !refusedOnce.has(request)) {
      refusedOnce.add(request)
      return refusal(rules.busyWith, 'SlowDown')
    }
    if (method !== 'PUT') return null
    const hasChecksum = Object.keys(headers).some((name) => /^x-amz-(?:checksum-|trailer)/.test(name))
    if (rules.checksumRefused === true && hasChecksum) return refusal(501, 'NotImplemented')
    const md5 = headers['content-md5']
    if (rules.checksumRequired === true && md5 === undefined && !hasChecksum) return refusal(400, 'InvalidRequest')
    const isGood = md5 === undefined || createHash('md5').update(body).digest('base64') === md5
    return isGood ? null : refusal(400, 'BadDigest')
  }

  function put(key: string, body: Buffer): Reply {
    objects.set(key, body)
    if (rules.versions !== true) return { headers: { etag: '"it"' } }
    const id = `version-${++lastId}`
    versions.set(key, [...(versions.get(key) ?? []), { id, body }])
    return { headers: { etag: '"it"', 'x-amz-version-id': id } }
  }

  function remove(key: string, versionId: string | null): Reply {
    if (rules.versions !== true) objects.delete(key)
    else if (versionId === null) {
      objects.delete(key)
      versions.set(key, [...(versions.get(key) ?? []), { id: `version-${++lastId}`, body: null }])
    } else {
      if (rules.versionsRefused === true) return refusal(403, 'AccessDenied')
      if ((rules.lockedUntil?.getTime() ?? 0) > Date.now()) return refusal(403, 'AccessDenied')
      const rest = (versions.get(key) ?? []).filter(({ id }) => id !== versionId)
      versions.set(key, rest)
      const current = rest.at(-1)?.body ?? null
      if (current === null) objects.delete(key)
      else objects.set(key, current)
    }
    return { status: 204 }
  }

  function read(method: string, key: string, range: string | undefined): Reply {
    const body = objects.get(key)
    if (body === undefined) return refusal(404, 'NoSuchKey')
    const version = versions.get(key)?.at(-1)
    const headers: Record<string, string> = { etag: '"it"' }
    if (version !== undefined) headers['x-amz-version-id'] = version.id
    if (rules.lockedUntil !== undefined) {
      headers['x-amz-object-lock-mode'] = 'COMPLIANCE'
      headers['x-amz-object-lock-retain-until-date'] = rules.lockedUntil.toISOString()
    }
    if (method === 'HEAD') return { headers: { ...headers, 'content-length': String(body.length) } }
    const from = /^bytes=(\d+)-$/.exec(range ?? '')?.[1]
    if (from === undefined) return { body, headers }
    const part = `bytes ${from}-${body.length - 1}/${body.length}`
    return { status: 206, body: body.subarray(Number(from)), headers: { ...headers, 'content-range': part } }
  }

  function list(query: URLSearchParams): Reply {
    if (query.has('uploads')) {
      return { body: '<ListMultipartUploadsResult/>' }
    }
    const keys = [...objects.keys()].filter((key) => key.startsWith(query.get('prefix') ?? '')).sort()
    const contents = keys.slice(0, Number(query.get('max-keys') ?? 1000)).map((key) => {
      return `<Contents><Key>${key}</Key><Size>${objects.get(key)!.length}</Size></Contents>`
    })
    return { body: `<ListBucketResult>${contents.join('')}</ListBucketResult>` }
  }

  function beginUpload(key: string): Reply {
    const id = `upload-${++lastId}`
    uploads.set(id, new Map())
    const names = `<Bucket>backups</Bucket><Key>${key}</Key><UploadId>${id}</UploadId>`
    return { body: `<InitiateMultipartUploadResult>${names}</InitiateMultipartUploadResult>` }
  }

  function continueUpload(method: string, key: string, id: string, number: number, body: Buffer): Reply {
    const uploaded = uploads.get(id)
    if (uploaded === undefined) return refusal(404, 'NoSuchUpload')
    if (method === 'PUT') {
      if (number > (rules.maxParts ?? Infinity)) return refusal(400, 'InvalidArgument')
      uploaded.set(number, body)
      return { headers: { etag: `"${number}"` } }
    }
    if (method === 'DELETE') {
      uploads.delete(id)
      return { status: 204 }
    }
    const inOrder = [...uploaded].sort(([a], [b]) => a - b).map(([, part]) => part)
    if (rules.equalParts === true && !areEqual(inOrder)) return refusal(400, 'InvalidPart')
    uploads.delete(id)
    put(key, Buffer.concat(inOrder))
    return { body: `<CompleteMultipartUploadResult><Key>${key}</Key></CompleteMultipartUploadResult>` }
  }
}

/** Whether all parts but the last have one size, and the last is not larger. */
function areEqual(parts: readonly Buffer[]): boolean {
  const [first] = parts
  const last = parts.at(-1)
  const isEqual = parts.slice(0, -1).every(({ length }) => length === first!.length)
  return isEqual && (last?.length ?? 0) <= (first?.length ?? 0)
}
