/** The port to the engine of another node, with real engines: who gets an answer, and what happens when it fails. */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import https from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { currentOf, issueCertificate } from '../../src/authority/issue.ts'
import { generationsOf, openKey } from '../../src/authority/queries.ts'
import { createAuthority, signCertificate } from '../../src/authority/x509.ts'
import { nodeEngineMessage } from '../../src/nodes/engines/reason-message.ts'
import { fromJson } from '../../src/lib/json.ts'
import { until } from '../engine/until.ts'
import { type EnginePort, enginePortOf } from './engine-port.ts'
import { copyImages, run } from './host.ts'
import { type MultiNodeBerth, startMultiNodeBerth } from './multi-node-berth.ts'
import type { Node } from './nodes.ts'

const image = 'haproxy:3.0'
const waitHeader = { prefer: 'wait=60' }
const end = new AsyncDisposableStack()
const folder = mkdtempSync(join(tmpdir(), 'berth-engine-port-'))
end.defer(async () => rmSync(folder, { recursive: true, force: true }))
let runtime: MultiNodeBerth
let worker: Node
let nodeId: string
let enginePort: EnginePort

before(async () => {
  runtime = end.use(await startMultiNodeBerth(2, { managerImages: [image], workerImages: [] }))
  worker = runtime.workers[0]!
  nodeId = (await runtime.engine.nodes()).find(({ local }) => !local)!.id
  enginePort = enginePortOf(runtime, nodeId)
})

after(() => end.disposeAsync())

const pairOf = ({ certificatePem, keyPem }: { certificatePem: string; keyPem: string }) => ({
  certificate: certificatePem,
  key: keyPem,
})

test('a missing image is named, with the commands that copy it', async () => {
  const row = await until(
    'the missing image to be found',
    async () => {
      const port = await enginePort.read()
      return port?.state === 'unreachable' ? port : null
    },
    60_000,
  )
  const message = nodeEngineMessage(fromJson(row.reason)!)
  assert.match(message, /docker save haproxy:3\.0 \| ssh node2 docker load/)
  await copyImages([image], worker.host)
  await enginePort.untilReachable()
})

test('Berth gets the answer of the engine', async () => {
  await runtime.engine.pingNode(nodeId)
  assert.equal(await enginePort.infoWith({}), nodeId)
})

test('nobody else gets anything', async () => {
  const { db, vault, now } = runtime.berth.app
  const request = { commonName: 'berth', use: 'client', validDays: 10 } as const
  const authority = currentOf(await generationsOf(db, 'engines'))
  const signer = { certificatePem: authority.certificatePem, keyPem: openKey(vault, authority) }
  const stranger = await createAuthority('Berth engines authority 1', 'x', now())
  const refused: [title: string, certificates: Parameters<EnginePort['infoWith']>[0], code: RegExp][] = [
    ['no certificate', { certificate: undefined, key: undefined }, /CERTIFICATE_REQUIRED/],
    ['a foreign authority', pairOf(await signCertificate(stranger, request, now())), /ALERT|ECONNRESET/],
    ['an expired certificate', pairOf(await signCertificate(signer, request, new Date('2020-01-01'))), /EXPIRED/],
    [
      'a certificate of the authority of databases',
      pairOf(await issueCertificate({ db, vault, now }, 'installation', request)),
      /ALERT|ECONNRESET/,
    ],
    [
      'another certificate of the right authority',
      pairOf(await issueCertificate({ db, vault, now }, 'engines', request)),
      /ECONNRESET/,
    ],
  ]
  for (const [title, certificates, code] of refused) assert.match(await enginePort.infoWith(certificates), code, title)
})

/** Writes Berth's certificate to files, for other programs. */
async function writeCertificates() {
  const { ca, certificate, key } = await enginePort.connection()
  for (const [name, text] of Object.entries({ ca, certificate, key })) writeFileSync(join(folder, `${name}.pem`), text)
}

test("Berth's certificate gets nothing from another address than Berth's", async () => {
  await writeCertificates()
  const { host, port, serverName } = await enginePort.connection()
  const curl = [`curl --silent --fail --max-time 5 --cacert ${folder}/ca.pem --cert ${folder}/certificate.pem`]
  curl.push(`--key ${folder}/key.pem --resolve ${serverName}:${port}:${host} https://${serverName}:${port}/info`)
  const command = curl.join(' ')
  const [program, ...argv] = command.split(' ')
  assert.match((await run(program!, argv)).stdout, new RegExp(nodeId))
  for (const node of [runtime.own, worker]) await assert.rejects(node.runCommandLine(command), /curl/)
})

/** Docker's own client with the port. */
async function dockerThroughPort(...argv: string[]) {
  const { host, port } = await enginePort.connection()
  const tls = [
    '--tls',
    '--tlscacert',
    `${folder}/ca.pem`,
    '--tlscert',
    `${folder}/certificate.pem`,
    '--tlskey',
    `${folder}/key.pem`,
  ]
  return run('docker', [...tls, '--host', `tcp://${host}:${port}`, ...argv])
}

const containerOfPort = async () => (await worker.docker('ps', '--quiet', '--filter', 'name=berth-engine-'))[0]!

test('a program runs in a container of the node, with its streams', async () => {
  const { stdout } = await dockerThroughPort('exec', await containerOfPort(), 'sh', '-c', 'echo out; id -u')
  assert.equal(stdout, 'out\n0\n')
})

test('HAProxy starts again after it was killed', async () => {
  for (const _round of [1, 2]) {
    const killed = await containerOfPort()
    const { host, port, ca, certificate: cert, key, serverName: servername } = await enginePort.connection()
    // An open stream, whose connection the kernel still knows when HAProxy starts again.
    const events = https.get({ host, port, ca, cert, key, servername, agent: false, path: '/events' })
    events.on('error', () => undefined)
    await new Promise((resolve) => events.on('response', resolve))
    await worker.docker('kill', killed)
    await until(
      'the new container',
      async () => (await containerOfPort()) !== undefined && (await enginePort.infoWith({})) === nodeId,
    )
    const ended = await worker.docker('ps', '--all', '--quiet', '--filter', 'name=berth-engine-')
    events.destroy()
    assert.ok(ended.length <= 3, `${ended.length} containers: HAProxy failed to start`)
  }
  await enginePort.untilReachable()
})

test('a removed node leaves no service', async () => {
  const { status, body } = await runtime.berth.call('cluster.removeWorker', { nodeId }, undefined, waitHeader)
  assert.deepEqual([status, body.state], [200, 'done'], JSON.stringify(body))
  await until('the service to be removed', async () => {
    const services = await runtime.own.docker('service', 'ls', '--quiet', '--filter', 'name=berth-engine-')
    return services.length === 0 && (await enginePort.read()) === undefined
  })
  const secrets = await runtime.own.docker('secret', 'ls', '--quiet')
  assert.deepEqual(secrets, [])
})
