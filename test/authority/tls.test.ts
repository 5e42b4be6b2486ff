/** TLS connections with certificates of the authorities, which verify each other as the engine ports do. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { connect, createServer, type SecureContextOptions } from 'node:tls'
import {
  type CertificatePair,
  type CertificateRequest,
  createAuthority,
  signCertificate,
} from '../../src/authority/x509.ts'

const dayMs = 24 * 3600_000
const now = new Date()
const newAuthority = (name: string, at = now) =>
  createAuthority(`Berth ${name} authority 1`, 'Berth installation x', at)
const server: CertificateRequest = {
  commonName: 'node',
  use: 'server',
  dnsNames: ['node.engines.berth'],
  validDays: 30,
}
const client: CertificateRequest = { commonName: 'berth', use: 'client', validDays: 30 }

async function issue(authority: CertificatePair, request: CertificateRequest, at = now): Promise<SecureContextOptions> {
  const { certificatePem, keyPem } = await signCertificate(authority, request, at)
  return { cert: certificatePem, key: keyPem }
}

/**
 * Connects a client to a server, each of which verifies the other.
 * @returns `accepted`, or the side that refused the other one, with the code of the error
 */
async function connectionResult(
  trust: { byServer: string; byClient: string },
  own: { server: SecureContextOptions; client: SecureContextOptions },
  serverName = 'node.engines.berth',
): Promise<string> {
  // Node closes the connection without an error if it refuses clients itself, so the server sends the result instead.
  const listening = createServer({ ...own.server, ca: trust.byServer, requestCert: true, rejectUnauthorized: false })
  listening.on('secureConnection', (socket) =>
    socket.end(socket.authorized ? 'accepted' : `server: ${String(socket.authorizationError)}`),
  )
  // The client ends the handshake if it refuses the server.
  listening.on('tlsClientError', () => undefined)
  listening.listen(0, '127.0.0.1')
  await once(listening, 'listening')
  const { port } = listening.address() as AddressInfo
  const socket = connect({ host: '127.0.0.1', port, servername: serverName, ca: trust.byClient, ...own.client })
  try {
    return await text(socket)
  } catch (error) {
    return `client: ${(error as NodeJS.ErrnoException).code}`
  } finally {
    socket.destroy()
    listening.close()
  }
}

test('a server and a client of one authority accept each other', async () => {
  const engines = await newAuthority('engines')
  const trust = { byServer: engines.certificatePem, byClient: engines.certificatePem }
  const own = { server: await issue(engines, server), client: await issue(engines, client) }
  assert.equal(await connectionResult(trust, own), 'accepted')
  assert.equal(await connectionResult(trust, own, 'other.engines.berth'), 'client: ERR_TLS_CERT_ALTNAME_INVALID')
})

test('a certificate of the other authority, of the other use, or that has expired is refused', async () => {
  const engines = await newAuthority('engines', new Date(now.getTime() - 400 * dayMs))
  const installation = await newAuthority('installation')
  const trust = { byServer: engines.certificatePem, byClient: engines.certificatePem }
  const longAgo = new Date(now.getTime() - 40 * dayMs)
  const good = { server: await issue(engines, server), client: await issue(engines, client) }
  const cases: [what: string, own: typeof good, expected: string][] = [
    ['both good', good, 'accepted'],
    [
      'another client',
      { ...good, client: await issue(installation, client) },
      'server: UNABLE_TO_VERIFY_LEAF_SIGNATURE',
    ],
    [
      'another server',
      { ...good, server: await issue(installation, server) },
      'client: UNABLE_TO_VERIFY_LEAF_SIGNATURE',
    ],
    ['no client certificate', { ...good, client: {} }, 'server: UNABLE_TO_GET_ISSUER_CERT'],
    ['server as client', { ...good, client: good.server }, 'server: INVALID_PURPOSE'],
    ['client as server', { ...good, server: good.client }, 'client: INVALID_PURPOSE'],
    ['expired client', { ...good, client: await issue(engines, client, longAgo) }, 'server: CERT_HAS_EXPIRED'],
    ['expired server', { ...good, server: await issue(engines, server, longAgo) }, 'client: CERT_HAS_EXPIRED'],
  ]
  for (const [what, own, expected] of cases) assert.equal(await connectionResult(trust, own), expected, what)
})

test('during a rotation, certificates of both generations are accepted', async () => {
  const [older, newer] = [await newAuthority('engines'), await newAuthority('engines')]
  const bundle = older.certificatePem + newer.certificatePem
  const trust = { byServer: bundle, byClient: bundle }
  for (const [serverSide, clientSide] of [
    [older, newer],
    [newer, older],
  ] as const) {
    const own = { server: await issue(serverSide, server), client: await issue(clientSide, client) }
    assert.equal(await connectionResult(trust, own), 'accepted')
  }
})

test('a certificate cannot sign another one', async () => {
  const engines = await newAuthority('engines')
  const trust = { byServer: engines.certificatePem, byClient: engines.certificatePem }
  const issued = await signCertificate(engines, client, now)
  const forged = await signCertificate(issued, { ...client, commonName: 'forged' }, now)
  const own = {
    server: await issue(engines, server),
    client: { cert: forged.certificatePem + issued.certificatePem, key: forged.keyPem },
  }
  assert.match(await connectionResult(trust, own), /^server: /)
})
