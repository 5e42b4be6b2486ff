/** Tests that Berth stops reading an endless answer at the limit. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { pipeline } from 'node:stream'
import { after, before, test } from 'node:test'
import type { Storage } from '../storage/storage.ts'
import { openBucket } from './s3.ts'

const piece = Buffer.alloc(1024 ** 2, 32)
let sentBytes = 0

function* endless() {
  for (sentBytes = 0; sentBytes < 1024 ** 3; sentBytes += piece.length) yield piece
}

const server = createServer((request, response) => {
  response.writeHead(request.url!.includes('fails') ? 500 : 200, { 'content-type': 'application/xml' })
  pipeline(endless(), response, () => undefined)
})
let bucket: Storage
before(async () => {
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  bucket = openBucket({ endpoint, region: '', bucket: 'it', accessKey: 'a', secretAccessKey: 'b' }, { attempts: 1 })
})
after(() => {
  bucket[Symbol.dispose]()
  server.closeAllConnections()
  server.close()
})

const signal = new AbortController().signal
const cases: [what: string, ask: () => Promise<unknown>][] = [
  ['a list', () => bucket.list('', 1000)],
  ['a list of uploads', () => bucket.listUploads('', signal)],
  ['the beginning of an upload', () => bucket.upload('key', (async function* () {})(), { signal })],
  ['a failure instead of an object', () => Array.fromAsync(bucket.get('fails'))],
]
for (const [what, ask] of cases) {
  test(`refuses an endless answer: ${what}`, async () => {
    await assert.rejects(ask(), { message: /^The storage sent an answer larger than 16 MiB\. Check/ })
    assert.ok(sentBytes < 64 * 1024 ** 2, `${sentBytes} bytes were sent`)
  })
}
