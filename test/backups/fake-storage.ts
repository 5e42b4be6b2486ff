/** A server that keeps objects in memory. Implements the part of S3 that backup runs use. */
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'

export type Bucket = Awaited<ReturnType<typeof openFakeStorage>>

export async function openFakeStorage() {
  const objects = new Map<string, Buffer>()
  const uploads = new Map<string, Map<number, Buffer>>()
  const server = createServer((request, response) => void answer(request, response))
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    objects,
    settings: { endpoint, region: '', bucket: 'backups', accessKey: 'key', secretAccessKey: 'a-secret-of-the-storage' },
    async close() {
      server.closeAllConnections()
      server.close()
    },
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '', endpoint)
    const key = decodeURIComponent(url.pathname.slice('/backups/'.length))
    const body = await buffer(request)
    const upload = url.searchParams.get('uploadId')
    const xml = (text: string) => response.writeHead(200, { 'content-type': 'application/xml' }).end(text)
    if (url.searchParams.has('uploads')) {
      if (request.method === 'GET') return void xml('<ListMultipartUploadsResult/>')
      uploads.set(key, new Map())
      return void xml(`<InitiateMultipartUploadResult><UploadId>${key}</UploadId></InitiateMultipartUploadResult>`)
    }
    if (upload !== null && request.method === 'PUT') {
      uploads.get(upload)!.set(Number(url.searchParams.get('partNumber')), body)
      return void response.writeHead(200, { etag: '"part"' }).end()
    }
    if (upload !== null && request.method === 'POST') {
      const parts = [...uploads.get(upload)!].sort(([a], [b]) => a - b).map(([, part]) => part)
      objects.set(key, Buffer.concat(parts))
      return void xml('<CompleteMultipartUploadResult><ETag>"whole"</ETag></CompleteMultipartUploadResult>')
    }
    if (request.method === 'PUT') objects.set(key, body)
    if (request.method === 'DELETE') (upload === null ? objects : uploads).delete(key)
    if (request.method !== 'GET') return void response.writeHead(200).end()
    const object = objects.get(key)
    if (object === undefined) return void response.writeHead(404).end()
    response.writeHead(200, { 'content-length': object.length, etag: '"whole"' }).end(object)
  }
}
