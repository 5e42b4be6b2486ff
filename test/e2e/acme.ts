/**
 * A real ACME server (pebble) that containers reach too, with a name server that says where names are. It asks the
 * proxy at its own ports. `./berth test` puts the programs where they are looked for.
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
import { docker, freePort } from './swarm.ts'

const programs = new URL('../../node_modules/.cache/berth-acme/', import.meta.url).pathname

export type Acme = Awaited<ReturnType<typeof startAcme>>

export interface AcmeOptions {
  httpPort: number
  httpsPort: number
}

/** `httpPort`, `httpsPort`: of the proxy, on this machine. Every name is found there but those that are `lost`. */
export async function startAcme({ httpPort, httpsPort }: AcmeOptions) {
  if (!existsSync(join(programs, 'pebble'))) throw new Error(`${programs} has no pebble: ./berth test e2e makes it`)
  await using opened = new AsyncDisposableStack()
  const folder = mkdtempSync(join(tmpdir(), 'berth-acme-'))
  opened.defer(() => rmSync(folder, { recursive: true, force: true }))
  const at = (name: string) => join(folder, name)
  const [host = ''] = await docker(
    'network',
    'inspect',
    'docker_gwbridge',
    '--format',
    '{{(index .IPAM.Config 0).Gateway}}',
  )
  const [port, managementPort, dnsPort, namesPort] = [
    await freePort(),
    await freePort(),
    await freePort(),
    await freePort(),
  ]
  const authority = makeCertificate({ names: ['the authority of a directory'], ca: true })
  const own = makeCertificate({ names: [host], by: authority })
  for (const [name, content] of Object.entries({ roots: authority.chain, chain: own.chain, key: own.key })) {
    writeFileSync(at(`${name}.pem`), content)
  }
  writeFileSync(
    at('config.json'),
    JSON.stringify({
      pebble: {
        listenAddress: `${host}:${port}`,
        managementListenAddress: `${host}:${managementPort}`,
        certificate: at('chain.pem'),
        privateKey: at('key.pem'),
        httpPort,
        tlsPort: httpsPort,
        profiles: { default: { description: 'the only one', validityPeriod: 90 * 86_400 } },
      },
    }),
  )
  const names = begin(
    'pebble-challtestsrv',
    '-dnsserver',
    `127.0.0.1:${dnsPort}`,
    '-management',
    `127.0.0.1:${namesPort}`,
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
  opened.defer(() => end(names))
  let server: ChildProcess | null = null
  await until('the name server to answer', () =>
    tell('clear-servfail', 'nobody.example').then(
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
    lose: (name: string) => tell('set-servfail', name),
    find: (name: string) => tell('clear-servfail', name),
    env: {
      BERTH_ACME_DIRECTORY: `https://${host}:${port}/dir`,
      BERTH_ACME_ROOTS: at('roots.pem'),
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

  /** Without its memory: accounts and orders of before are unknown to it. */
  async function start() {
    server = begin('pebble', '-config', at('config.json'), '-dnsserver', `127.0.0.1:${dnsPort}`)
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

  /** PEM: by which clients know the certificates that it gives. */
  async function root(): Promise<string> {
    const asked = get(`https://${host}:${managementPort}/roots/0`, { ca: authority.chain, agent: false })
    const [answer] = await once(asked, 'response')
    return text(answer)
  }

  async function tell(what: string, name: string) {
    const { ok, status } = await fetch(`http://127.0.0.1:${namesPort}/${what}`, {
      method: 'POST',
      body: JSON.stringify({ host: name }),
    })
    if (!ok) throw new Error(`The name server answered ${status}`)
  }
}

async function end(child: ChildProcess) {
  if (child.exitCode !== null || child.signalCode !== null) return
  const gone = once(child, 'exit')
  child.kill('SIGKILL')
  await gone
}
