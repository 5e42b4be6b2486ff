/**
 * A real ACME server (Pebble), which containers can reach too, and its name server. Pebble validates names at the
 * ports of the proxy under test. `./berth test` builds the programs.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { get } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { until } from '../engine/until.ts'
import { makeCertificate } from './certificate-files.ts'
import { freePort } from '../fixtures/free-port.ts'
import { docker } from './swarm.ts'

const programs = join(import.meta.dirname, '../../node_modules/.cache/berth-acme')

export type Acme = Awaited<ReturnType<typeof startAcme>>

export interface AcmeOptions {
  httpPort: number
  httpsPort: number
}

/**
 * Starts the ACME server and its name server. Every name resolves to this machine, except after `failLookups`.
 * `httpPort` and `httpsPort` are the ports of the proxy on this machine.
 */
export async function startAcme({ httpPort, httpsPort }: AcmeOptions) {
  if (!existsSync(join(programs, 'pebble')))
    throw new Error(`${programs} has no pebble. Run ./berth test e2e to build it.`)
  await using opened = new AsyncDisposableStack()
  const folder = mkdtempSync(join(tmpdir(), 'berth-acme-'))
  opened.defer(() => rmSync(folder, { recursive: true, force: true }))
  const pathOf = (name: string) => join(folder, name)
  const [host = ''] = await docker(
    'network',
    'inspect',
    'docker_gwbridge',
    '--format',
    '{{(index .IPAM.Config 0).Gateway}}',
  )
  const [port, managementPort, dnsPort, dnsManagementPort] = [
    await freePort(),
    await freePort(),
    await freePort(),
    await freePort(),
  ]
  const authority = makeCertificate({ names: ['the authority of a directory'], ca: true })
  const own = makeCertificate({ names: [host], by: authority })
  for (const [name, content] of Object.entries({ roots: authority.chain, chain: own.chain, key: own.key })) {
    writeFileSync(pathOf(`${name}.pem`), content)
  }
  writeFileSync(
    pathOf('config.json'),
    JSON.stringify({
      pebble: {
        listenAddress: `${host}:${port}`,
        managementListenAddress: `${host}:${managementPort}`,
        certificate: pathOf('chain.pem'),
        privateKey: pathOf('key.pem'),
        httpPort,
        tlsPort: httpsPort,
        profiles: { default: { description: 'the only one', validityPeriod: 90 * 86_400 } },
      },
    }),
  )
  const nameServer = begin(
    'pebble-challtestsrv',
    '-dnsserver',
    `127.0.0.1:${dnsPort}`,
    '-management',
    `127.0.0.1:${dnsManagementPort}`,
    '-defaultIPv4',
    '127.0.0.1',
    '-defaultIPv6',
    '',
    '-doh',
    '',
    '-http01',
    '',
    '-https01',
    '',
    '-tlsalpn01',
    '',
  )
  opened.defer(() => end(nameServer))
  let server: ChildProcess | null = null
  await until('the name server to answer', () =>
    configureDns('clear-servfail', 'nobody.example').then(
      () => true,
      () => false,
    ),
  )
  opened.defer(stop)
  await start()
  const all = opened.move()
  return {
    start,
    stop,
    root,
    /** Makes the name server answer SERVFAIL for this name. */
    failLookups: (name: string) => configureDns('set-servfail', name),
    restoreLookups: (name: string) => configureDns('clear-servfail', name),
    env: {
      BERTH_ACME_DIRECTORY: `https://${host}:${port}/dir`,
      BERTH_ACME_ROOTS: pathOf('roots.pem'),
      BERTH_ACME_EMAIL: 'ops@example.org',
      BERTH_PROXY_HTTP_PORT: String(httpPort),
      BERTH_PROXY_HTTPS_PORT: String(httpsPort),
    },
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  }

  function begin(program: string, ...argv: string[]): ChildProcess {
    const env = { ...process.env, PEBBLE_VA_NOSLEEP: '1', PEBBLE_WFE_NONCEREJECT: '0' }
    return spawn(join(programs, program), argv, { env, stdio: 'ignore' })
  }

  /** Starts the ACME server without any state: it does not know accounts and orders from before a stop. */
  async function start() {
    server = begin('pebble', '-config', pathOf('config.json'), '-dnsserver', `127.0.0.1:${dnsPort}`)
    await until('the ACME server to answer', () =>
      root().then(
        () => true,
        () => false,
      ),
    )
  }

  async function stop() {
    if (server !== null) await end(server)
  }

  /** Returns the root certificate (PEM) of the issued certificates. */
  async function root(): Promise<string> {
    const request = get(`https://${host}:${managementPort}/roots/0`, { ca: authority.chain, agent: false })
    const [response] = await once(request, 'response')
    return text(response)
  }

  async function configureDns(command: string, name: string) {
    const { ok, status } = await fetch(`http://127.0.0.1:${dnsManagementPort}/${command}`, {
      method: 'POST',
      body: JSON.stringify({ host: name }),
    })
    if (!ok) throw new Error(`The name server answered ${command} with status ${status}`)
  }
}

async function end(child: ChildProcess) {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exited = once(child, 'exit')
  child.kill('SIGKILL')
  await exited
}
