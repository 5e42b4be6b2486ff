/**
 * Fetches the certificate that a server presents. The client speaks as much of the product's protocol as is needed to
 * begin TLS, and closes the connection after the handshake, without a login.
 */
import { once } from 'node:events'
import { connect as connectTcp, type Socket } from 'node:net'
import { connect as connectTls, type TLSSocket } from 'node:tls'
import { isAddress } from './address.ts'
import { type TlsFaultKind, tlsFaultKind } from './tls-faults.ts'

/** How a client begins TLS: at once, or after the first messages of PostgreSQL's or MySQL's protocol. */
export type Handshake = 'direct' | 'postgres' | 'mysql'

export interface HandshakeRequest {
  host: string
  port: number
  handshake: Handshake
  /** The name or the address that the certificate must contain. */
  serverName: string
  /** The authorities to trust, in PEM. If absent, no authority is trusted, and `fault` is `authority`. */
  ca?: string
  /** The limit for everything, in milliseconds. */
  timeoutMs: number
}

export interface ServedCertificate {
  /** SHA-256 of the certificate, 64 hexadecimal digits in lower case. */
  fingerprint: string
  /** The end of its validity. */
  notAfter: Date
  /** Why the certificate does not prove `serverName`, or null if it does. */
  fault: TlsFaultKind | null
  /** The version of TLS, such as `TLSv1.3`. */
  protocol: string
}

/**
 * `unreachable`: no connection. `timeout`: no answer in time. `plain`: the server refuses TLS. `protocol`: the server does
 * not speak the protocol. `tls`: the handshake failed.
 */
export type HandshakeFault = 'unreachable' | 'timeout' | 'plain' | 'protocol' | 'tls'

/** No certificate was presented. */
export class HandshakeFailure extends Error {
  override name = 'HandshakeFailure'
  fault: HandshakeFault
  constructor(fault: HandshakeFault, detail: string) {
    super(detail)
    this.fault = fault
  }
}

/** Ends when the server expects the first message of TLS. */
const begin: Record<Handshake, (socket: Socket, signal: AbortSignal) => Promise<void>> = {
  direct: async () => undefined,
  postgres: beginPostgres,
  mysql: beginMysql,
}

/** @throws HandshakeFailure if the server presents no certificate */
export async function fetchCertificate(request: HandshakeRequest): Promise<ServedCertificate> {
  const socket = connectTcp({ host: request.host, port: request.port })
  // An error outside a wait must not end the process.
  socket.on('error', () => undefined)
  const signal = AbortSignal.timeout(request.timeoutMs)
  try {
    await waitFor(once(socket, 'connect', { signal }), 'unreachable', signal)
    await begin[request.handshake](socket, signal)
    return await secure(socket, request, signal)
  } finally {
    socket.destroy()
  }
}

async function waitFor<T>(event: Promise<T>, fault: HandshakeFault, signal: AbortSignal): Promise<T> {
  try {
    return await event
  } catch (error) {
    if (signal.aborted) throw new HandshakeFailure('timeout', 'no answer in time')
    const { code, message } = error as NodeJS.ErrnoException
    throw new HandshakeFailure(fault, message || code || String(error))
  }
}

async function secure(plain: Socket, request: HandshakeRequest, signal: AbortSignal): Promise<ServedCertificate> {
  const { serverName, ca = [] } = request
  const named = isAddress(serverName) ? {} : { servername: serverName }
  // Node compares the certificate with `host` if there is no name. It rejects nothing, and reports the fault.
  const socket = connectTls({ socket: plain, host: serverName, ca, rejectUnauthorized: false, ...named })
  socket.on('error', () => undefined)
  try {
    const ended = once(plain, 'close', { signal }).then(() => {
      throw new Error('the server closed the connection')
    })
    ended.catch(() => undefined)
    await waitFor(Promise.race([once(socket, 'secureConnect', { signal }), ended]), 'tls', signal)
    const served = certificateOf(socket)
    // A client that leaves before its last message of the handshake is an error in the server's log.
    await new Promise<void>((sent) => socket.end(sent))
    return served
  } finally {
    socket.destroy()
  }
}

function certificateOf(socket: TLSSocket): ServedCertificate {
  const certificate = socket.getPeerX509Certificate()
  if (certificate === undefined) throw new HandshakeFailure('tls', 'the server presented no certificate')
  return {
    fingerprint: certificate.fingerprint256.replaceAll(':', '').toLowerCase(),
    notAfter: certificate.validToDate,
    fault: socket.authorized ? null : faultOf(socket.authorizationError),
    protocol: socket.getProtocol() ?? '',
  }
}

/** Node's types say Error, but the value is the code as a text, except for an error of the comparison of names. */
function faultOf(error: Error | string): TlsFaultKind {
  const code = typeof error === 'string' ? error : ((error as NodeJS.ErrnoException).code ?? '')
  return tlsFaultKind(code, '') ?? 'other'
}

/**
 * Sends SSLRequest, which the server answers with one byte: S or N. Source:
 * postgresql.org/docs/current/protocol-message-formats.html.
 */
async function beginPostgres(socket: Socket, signal: AbortSignal): Promise<void> {
  const request = Buffer.alloc(8)
  request.writeInt32BE(8, 0)
  request.writeInt32BE(80_877_103, 4)
  socket.write(request)
  const answer = String.fromCharCode((await read(socket, () => 1, signal))[0]!)
  if (answer === 'N') throw new HandshakeFailure('plain', 'the server refuses TLS')
  if (answer !== 'S') throw new HandshakeFailure('protocol', 'the server does not speak the protocol of PostgreSQL')
}

const protocol41 = 0x0200
const clientSsl = 0x0800
const secureConnection = 0x8000
const utf8mb4 = 45
const maxPacketBytes = 1024

/** The size of a packet with its head, which has the size of the rest in 3 bytes. A longer packet is not read. */
function packetSize(bytes: Buffer): number {
  if (bytes.length < 4) return 4
  const size = 4 + bytes.readUIntLE(0, 3)
  return size > maxPacketBytes ? 4 : size
}

/**
 * Reads the greeting of the server and sends SSLRequest. Source:
 * dev.mysql.com/doc/dev/mysql-server/latest/page_protocol_connection_phase_packets.html.
 */
async function beginMysql(socket: Socket, signal: AbortSignal): Promise<void> {
  const packet = await read(socket, packetSize, signal)
  const greeting = packet.subarray(4)
  // After the version, which ends with a zero byte: the thread (4 bytes), random bytes (8), a zero byte.
  const version = greeting.indexOf(0)
  if (greeting[0] !== 10 || version < 0 || greeting.length < version + 16) {
    throw new HandshakeFailure('protocol', 'the server does not speak the protocol of MySQL, or refuses connections')
  }
  const capabilities = greeting.readUInt16LE(version + 14)
  if ((capabilities & clientSsl) === 0) throw new HandshakeFailure('plain', 'the server refuses TLS')
  const request = Buffer.alloc(36)
  request.writeUIntLE(32, 0, 3)
  request.writeUInt8(1, 3)
  request.writeUInt32LE(protocol41 | clientSsl | secureConnection, 4)
  request.writeUInt32LE(2 ** 24 - 1, 8)
  request.writeUInt8(utf8mb4, 12)
  socket.write(request)
}

/**
 * Reads at least as many bytes as `sizeOf` returns for the bytes so far. The server then waits for the client, so there
 * are no further bytes.
 */
async function read(socket: Socket, sizeOf: (bytes: Buffer) => number, signal: AbortSignal): Promise<Buffer> {
  let bytes: Buffer = Buffer.alloc(0)
  const closed = once(socket, 'close', { signal }).then(() => {
    throw new Error('the server closed the connection')
  })
  closed.catch(() => undefined)
  while (bytes.length < sizeOf(bytes)) {
    const [chunk] = await waitFor(Promise.race([once(socket, 'data', { signal }), closed]), 'protocol', signal)
    bytes = Buffer.concat([bytes, chunk as Buffer])
  }
  socket.pause()
  return bytes
}
