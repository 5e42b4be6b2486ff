import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtempDisposableSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { adminAt, ProxyRefused, ProxyUnavailable } from './admin.ts'
import type { CaddyConfig } from './caddy.ts'

const config: CaddyConfig = { admin: { listen: '' }, logging: { logs: {} }, apps: { http: { servers: {} } } }

/** Starts a server on a unix socket. It closes the first `closed` connections without an answer. */
async function startServer(closed: number, listener: RequestListener) {
  const folder = mkdtempDisposableSync(join(tmpdir(), 'berth-admin-'))
  const path = join(folder.path, 'admin.sock')
  let connectionCount = 0
  const server = createServer(listener)
  server.on('connection', (socket) => {
    connectionCount += 1
    if (connectionCount <= closed) socket.destroy()
  })
  server.listen(path)
  await once(server, 'listening')
  return {
    path,
    connectionCount: () => connectionCount,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
      folder.remove()
    },
  }
}

test('sends a request again whose connection closes without an answer', async () => {
  const bodies: string[] = []
  await using server = await startServer(4, (request, response) => {
    request.on('data', (part: Buffer) => bodies.push(part.toString())).on('end', () => response.end())
  })
  await adminAt(server.path).load(config, 'abc')
  assert.equal(server.connectionCount(), 5)
  assert.equal(bodies.length, 1)
  assert.equal(JSON.parse(bodies[0]!).admin['@id'], 'berth-abc')
})

test('gives up after five connections', async () => {
  await using server = await startServer(9, (_request, response) => response.end())
  await assert.rejects(adminAt(server.path).has('abc'), ProxyUnavailable)
  assert.equal(server.connectionCount(), 5)
})

test('sends no request again that Caddy has answered, or whose socket does not exist', async () => {
  await using server = await startServer(0, (_request, response) => {
    response.statusCode = 400
    response.end('{"error":"loading config: no such module"}')
  })
  await assert.rejects(adminAt(server.path).load(config, 'abc'), (error) => {
    assert.ok(error instanceof ProxyRefused)
    assert.equal(error.message, 'loading config: no such module')
    return true
  })
  assert.equal(server.connectionCount(), 1)
  await assert.rejects(adminAt(`${server.path}.missing`).has('abc'), /ENOENT/)
})
