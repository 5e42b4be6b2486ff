/** Fetches certificates from servers that speak the beginning of each protocol, and from servers that do not. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { after, before, test, type TestContext } from 'node:test'
import { TLSSocket } from 'node:tls'
import { type CertificatePair, createAuthority, type IssuedCertificate, signCertificate } from '../../authority/x509.ts'
import { fetchCertificate, type Handshake, HandshakeFailure, type HandshakeFault } from './tls-handshake.ts'

let ca: CertificatePair
let issued: IssuedCertificate
before(async () => {
  ca = await createAuthority('Berth', 'test', new Date())
  const request = {
    commonName: 'db',
    use: 'server',
    dnsNames: ['db'],
    ipAddresses: ['10.0.0.2'],
    validDays: 2,
  } as const
  issued = await signCertificate(ca, request, new Date())
})

const sockets = new Set<Socket>()
after(() => {
  for (const socket of sockets) socket.destroy()
})

async function listen(t: TestContext, serve: (socket: Socket) => void): Promise<number> {
  const server: Server = createServer((socket) => {
    sockets.add(socket.on('error', () => undefined))
    serve(socket)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  t.after(() => server.close())
  return (server.address() as AddressInfo).port
}

/** Lets the server begin TLS on a connection. */
const secure = (socket: Socket) =>
  new TLSSocket(socket, { isServer: true, cert: issued.certificatePem, key: issued.keyPem }).on(
    'error',
    () => undefined,
  )

/** The greeting of a MySQL server, with the capability of TLS or without it. */
function greeting(canTls: boolean): Buffer {
  const capabilities = Buffer.alloc(2)
  capabilities.writeUInt16LE(canTls ? 0xffff : 0xf7ff)
  const body = Buffer.concat([Buffer.from('\x0a8.4.0\0'), Buffer.alloc(13), capabilities, Buffer.alloc(30)])
  return Buffer.concat([Buffer.from([body.length, 0, 0, 0]), body])
}

/** Servers of each protocol. */
const serve: Record<Handshake, (socket: Socket) => void> = {
  direct: secure,
  postgres: (socket) =>
    socket.once('data', (request: Buffer) => {
      assert.equal(request.toString('hex'), '0000000804d2162f')
      socket.write('S')
      secure(socket)
    }),
  mysql(socket) {
    // A slow server sends its greeting in parts.
    const bytes = greeting(true)
    socket.write(bytes.subarray(0, 2))
    setImmediate(() => socket.write(bytes.subarray(2)))
    socket.once('data', (request: Buffer) => {
      assert.deepEqual([request.readUIntLE(0, 3), request[3]], [32, 1])
      assert.equal(request.readUInt32LE(4) & 0x0800, 0x0800)
      // The client does not wait before it begins TLS.
      socket.pause().unshift(request.subarray(36))
      secure(socket)
    })
  },
}

const fetchFrom = (port: number, handshake: Handshake, more: { serverName?: string; ca?: string } = {}) =>
  fetchCertificate({ host: '127.0.0.1', port, handshake, serverName: 'db', timeoutMs: 5000, ...more })

for (const handshake of ['direct', 'postgres', 'mysql'] as const) {
  test(`${handshake}: returns the certificate, and whether it proves the name`, async (t) => {
    const port = await listen(t, serve[handshake])
    const trusted = { ca: ca.certificatePem }
    const { fingerprint, notAfter, fault, protocol } = await fetchFrom(port, handshake, trusted)
    assert.deepEqual([fingerprint, fault, protocol], [issued.fingerprint, null, 'TLSv1.3'])
    assert.equal(notAfter.getTime(), Math.floor(issued.notAfter.getTime() / 1000) * 1000)
    const faultWith = async (more: { serverName?: string; ca?: string }) =>
      (await fetchFrom(port, handshake, more)).fault
    assert.equal(await faultWith({ ...trusted, serverName: '10.0.0.2' }), null)
    assert.equal(await faultWith({ ...trusted, serverName: '10.0.0.3' }), 'name')
    assert.equal(await faultWith({ ...trusted, serverName: 'other' }), 'name')
    assert.equal(
      await faultWith({ ca: (await createAuthority('Berth', 'test', new Date())).certificatePem }),
      'authority',
    )
    assert.equal(await faultWith({}), 'authority')
  })
}

const faulty: [text: string, handshake: Handshake, serve: (socket: Socket) => void, fault: HandshakeFault][] = [
  ['PostgreSQL without TLS', 'postgres', (socket) => socket.write('N'), 'plain'],
  ['another server than PostgreSQL', 'postgres', (socket) => socket.write('HTTP'), 'protocol'],
  ['MySQL without TLS', 'mysql', (socket) => socket.write(greeting(false)), 'plain'],
  ['MySQL with an error', 'mysql', (socket) => socket.write('\x08\0\0\0\xffno room', 'latin1'), 'protocol'],
  ['a greeting that is too long', 'mysql', (socket) => socket.write('\xff\xff\0\0', 'latin1'), 'protocol'],
  ['a server that closes', 'mysql', (socket) => socket.end('\x08\0'), 'protocol'],
  ['a server that closes during TLS', 'direct', (socket) => socket.end(), 'tls'],
  ['a server without TLS', 'direct', (socket) => socket.end('-ERR plain\r\n'), 'tls'],
]

for (const [text, handshake, serveFaulty, fault] of faulty) {
  test(`${text}: fails with the fault ${fault}`, async (t) => {
    const port = await listen(t, serveFaulty)
    await assert.rejects(
      fetchFrom(port, handshake),
      (error) => error instanceof HandshakeFailure && error.fault === fault,
    )
  })
}

test('fails if nothing listens, and if the server does not answer in time', async (t) => {
  const rejects = (port: number, handshake: Handshake, fault: HandshakeFault) =>
    assert.rejects(
      fetchCertificate({ host: '127.0.0.1', port, handshake, serverName: 'db', timeoutMs: 300 }),
      (error) => error instanceof HandshakeFailure && error.fault === fault,
    )
  await rejects(1, 'direct', 'unreachable')
  const port = await listen(t, () => undefined)
  for (const handshake of ['direct', 'postgres', 'mysql'] as const) await rejects(port, handshake, 'timeout')
})
