/**
 * Runs the proxy as real Caddy processes on loopback, an application that echoes its requests, and clients that can
 * send malformed requests. `./berth test` copies Caddy out of its image.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, existsSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, request, type IncomingMessage, type RequestOptions } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer, text } from 'node:stream/consumers'
import { setTimeout as pause } from 'node:timers/promises'
import type { ProxySettings } from '../../src/lib/net/outgoing-proxy.ts'
import type { CaddyConfig } from '../../src/routing/caddy/caddy.ts'
import { frontConfig } from '../../src/routing/caddy/front-config.ts'
import { keysConfig, type KeysInput, keysReloadMs } from '../../src/routing/caddy/keys-config.ts'
import { loopbackOf, type ProcessName, processNames, socketPathsIn, program } from '../../src/routing/caddy/launch.ts'
import { outgoingVariables } from '../../src/routing/caddy/outgoing.ts'
import { type Application, rulesConfig } from '../../src/routing/caddy/rules-config.ts'
import { until } from '../engine/until.ts'
import { freePort } from '../fixtures/free-port.ts'

/** The folder with the program. */
export const programs = join(import.meta.dirname, '../../node_modules/.cache/berth-caddy')
const caddy = join(programs, 'caddy')

/** The secret with which the front process fetches certificates. */
export const keysSecret = 'of-the-front-alone'

export interface ProxyResponse {
  status: number
  headers: IncomingMessage['headers']
  body: string
}
export type Proxy = Awaited<ReturnType<typeof startProxy>>

const noOutgoing: ProxySettings = { httpProxy: null, httpsProxy: null, direct: [] }

/** Starts all processes and configures only the front. `secret` is in their environment and in a file of the folder. */
export async function startProxy({ secret = 'unsaid', trustedProxies = [] as string[], outgoing = noOutgoing } = {}) {
  if (!existsSync(caddy)) throw new Error(`${caddy} is missing. Run ./berth test e2e to get it.`)
  await using opened = new AsyncDisposableStack()
  const folder = mkdtempSync(join(tmpdir(), 'berth-proxy-'))
  opened.defer(() => rmSync(folder, { recursive: true, force: true }))
  const [httpPort, httpsPort] = [await freePort(), await freePort()]
  const socketPaths = socketPathsIn(folder)
  writeFileSync(join(folder, 'secret'), secret)
  const loopback = loopbackOf(folder)
  const sockets = {
    rulesSocket: socketPaths.rules,
    keysSocket: socketPaths.keys,
    challengesSocket: socketPaths.challenges,
  }
  const log = openSync(join(folder, 'log'), 'a')
  opened.defer(() => closeSync(log))
  const children = processNames.map((name) => {
    mkdirSync(join(folder, name))
    const {
      argv: [file = '', ...rest],
      env,
    } = program(caddy, socketPaths[`${name}Admin`], join(folder, name))
    return spawn(file, rest, {
      env: { ...outgoingVariables(name, outgoing), ...env, PATH: process.env.PATH, HOME: folder, SECRET: secret },
      stdio: ['ignore', log, log],
    })
  })
  opened.defer(async () => {
    await Promise.all(processNames.map(end))
  })
  for (const processName of processNames)
    await until('Caddy to listen', () => isListening(socketPaths[`${processName}Admin`]))
  await loadKeys()
  await load(
    socketPaths.frontAdmin,
    frontConfig({
      listen: { host: '127.0.0.1', httpPort, httpsPort },
      ...sockets,
      adminSocket: socketPaths.frontAdmin,
      certificates: { address: loopback.certificates, secret: keysSecret },
      trustedProxies,
    }),
  )
  const resources = opened.move()
  return {
    folder,
    httpPort,
    httpsPort,
    loadRules,
    loadRulesConfig,
    loadKeys,
    get,
    raw,
    configOf,
    processorMs: () => children.map(({ pid }) => processorMsOf(pid!)).reduce((sum, ms) => sum + ms),
    end,
    acmeLog: () => (existsSync(join(folder, 'acme.log')) ? readFileSync(join(folder, 'acme.log'), 'utf8') : ''),
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }

  async function end(processName: ProcessName) {
    const child = children[processNames.indexOf(processName)]!
    const exited = once(child, 'exit')
    if (child.kill('SIGKILL')) await exited
  }

  function rules(applications: Application[]): CaddyConfig {
    return rulesConfig({
      applications,
      publicHttpsPort: httpsPort,
      adminSocket: socketPaths.rulesAdmin,
      socket: socketPaths.rules,
    })
  }

  function loadRules(applications: Application[]) {
    return loadRulesConfig(rules(applications))
  }

  async function loadRulesConfig(config: unknown) {
    return load(socketPaths.rulesAdmin, config)
  }

  async function loadKeys(more: Partial<KeysInput> = {}) {
    await load(
      socketPaths.keysAdmin,
      keysConfig({
        pairs: [],
        now: new Date(),
        acme: null,
        managed: [],
        issued: [],
        adminSocket: socketPaths.keysAdmin,
        ...sockets,
        spareAddress: loopback.spare,
        storageFolder: join(folder, 'storage'),
        acmeLog: join(folder, 'acme.log'),
        ...more,
      }),
    )
    await pause(keysReloadMs)
  }

  async function configOf(name: ProcessName): Promise<string> {
    return (await send({ socketPath: socketPaths[`${name}Admin`], path: '/config/', headers: { host: 'localhost' } }))
      .body
  }

  /** Sends an HTTP request for a URL without normalizing the URL. */
  function get(url: string, options: RequestOptions & { body?: string } = {}): Promise<ProxyResponse> {
    const [, host = '', path = '/'] = /^http:\/\/([^/?]+)(.*)$/.exec(url) ?? []
    return send(
      {
        host: '127.0.0.1',
        port: httpPort,
        path: path === '' ? '/' : path,
        agent: false,
        ...options,
        headers: { host, ...options.headers },
      },
      options.body,
    )
  }

  /** Sends these bytes and returns the response. */
  async function raw(bytes: string): Promise<string> {
    const connection = connect(httpPort, '127.0.0.1')
    // Only the proxy ends the connection: it would treat a half-closed one as an aborted request.
    connection.write(bytes)
    return (await buffer(connection)).toString('latin1')
  }
}

/** The processor time of a running process. Unlike elapsed time it does not depend on other processes. */
function processorMsOf(pid: number): number {
  // The two times are the fields 14 and 15, in hundredths of a second. The name before them may have spaces.
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /s, '')
    .split(' ')
  return 10 * (Number(fields[11]) + Number(fields[12]))
}

async function isListening(path: string): Promise<boolean> {
  const connection = connect(path)
  const isConnected = await once(connection, 'connect').then(
    () => true,
    () => false,
  )
  connection.destroy()
  return isConnected
}

/** Loads a configuration and returns the duration in milliseconds. Throws Caddy's message if Caddy rejects it. */
async function load(socketPath: string, config: unknown): Promise<number> {
  const body = JSON.stringify(config)
  const began = performance.now()
  const response = await send(
    {
      socketPath,
      path: '/load',
      method: 'POST',
      agent: false,
      headers: { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) },
    },
    body,
  )
  if (response.status !== 200) throw new Error(`${response.status} ${response.body}`)
  return performance.now() - began
}

async function send(options: RequestOptions, body?: string): Promise<ProxyResponse> {
  const outgoing = request(options)
  outgoing.end(body)
  const [response] = (await once(outgoing, 'response')) as [IncomingMessage]
  return { status: response.statusCode!, headers: response.headers, body: await text(response) }
}

export const rule = (regex: string, replacement: string, permanent = false) => ({ regex, replacement, permanent })
/** Returns an application for the host a.example whose only upstream is `dial`. */
export const behind = (dial: string, more: Partial<Application> = {}): Application => ({
  hosts: ['a.example'],
  tls: null,
  preflight: null,
  redirects: [],
  users: [],
  upstream: { dial: [dial] },
  ...more,
})

/** Starts an application that answers each request with the request itself as JSON. */
export async function startApplication() {
  let count = 0
  const server = createServer((incoming, response) => {
    count += 1
    const { method, url, headers } = incoming
    void text(incoming).then(
      (body) => response.end(JSON.stringify({ method, url, headers, body })),
      () => response.destroy(),
    )
  })
  server.keepAliveTimeout = 60_000
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    dial: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    requestCount: () => count,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
