/** A server that keeps objects in memory. Implements the part of S3 that dumps and restores use. */
import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'

export interface MemoryBucket extends AsyncDisposable {
  /** The endpoint of a destination. The name of the bucket is the first segment of each path. */
  endpoint: string
  /** The fields of a destination for a bucket of this server, without its name. */
  settings: { endpoint: string; region: string; bucket: string; accessKey: string; secretAccessKey: string }
  /** The stored objects, by key. */
  objects: Map<string, Buffer>
  /** The ids of the uploads that were begun and neither completed nor aborted. */
  openUploads(): string[]
}

interface Reply {
  status?: number
  body?: Buffer | string
  headers?: Record<string, string>
}

/** @param address where to listen; 127.0.0.1 by default, for which Berth starts no workers */
export async function memoryBucket(address = '127.0.0.1'): Promise<MemoryBucket> {
  const objects = new Map<string, Buffer>()
  const parts = new Map<string, Map<number, Buffer>>()
  let lastUpload = 0
  const server = createServer((request, response) => {
    void answerTo(request).then(({ status = 200, body = '', headers = {} }) => {
      response.writeHead(status, { 'content-length': Buffer.byteLength(body), ...headers })
      response.end(request.method === 'HEAD' ? undefined : body)
    })
  }).listen(0, address)
  await once(server, 'listening')
  const endpoint = `http://${address}:${(server.address() as AddressInfo).port}`
  return {
    endpoint,
    settings: { endpoint, region: '', bucket: 'backups', accessKey: 'key', secretAccessKey: 'a-secret-of-the-storage' },
    objects,
    openUploads: () => [...parts.keys()],
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }

  async function answerTo(request: IncomingMessage): Promise<Reply> {
    const { pathname, searchParams } = new URL(request.url!, 'http://storage')
    const key = decodeURIComponent(pathname.split('/').slice(2).join('/'))
    const body = await buffer(request)
    const uploadId = searchParams.get('uploadId')
    if (request.method === 'POST' && searchParams.has('uploads')) return beginUpload(key)
    if (uploadId !== null)
      return continueUpload(request.method!, key, uploadId, Number(searchParams.get('partNumber')), body)
    if (request.method === 'PUT') objects.set(key, body)
    if (request.method === 'DELETE') objects.delete(key)
    if (request.method === 'GET' && key === '') return { body: '<ListMultipartUploadsResult/>' }
    if (request.method !== 'GET' && request.method !== 'HEAD') return { headers: { etag: '"it"' } }
    const object = objects.get(key)
    return object === undefined
      ? { status: 404, body: '<Error><Code>NoSuchKey</Code></Error>' }
      : { body: object, headers: { etag: '"it"' } }
  }

  function beginUpload(key: string): Reply {
    const id = `upload-${++lastUpload}`
    parts.set(id, new Map())
    const names = `<Bucket>backups</Bucket><Key>${key}</Key><UploadId>${id}</UploadId>`
    return { body: `<InitiateMultipartUploadResult>${names}</InitiateMultipartUploadResult>` }
  }

  function continueUpload(method: string, key: string, id: string, number: number, body: Buffer): Reply {
    const uploaded = parts.get(id)
    if (uploaded === undefined) return { status: 404, body: '<Error><Code>NoSuchUpload</Code></Error>' }
    if (method === 'PUT') {
      uploaded.set(number, body)
      return { headers: { etag: `"${number}"` } }
    }
    parts.delete(id)
    if (method === 'DELETE') return { status: 204 }
    const inOrder = [...uploaded].sort(([a], [b]) => a - b).map(([, part]) => part)
    objects.set(key, Buffer.concat(inOrder))
    return { body: `<CompleteMultipartUploadResult><Key>${key}</Key></CompleteMultipartUploadResult>` }
  }
}
