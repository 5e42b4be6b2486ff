/**
 * The proxy as the processes of the real Caddy on loopback, with an application behind it that tells what it was asked,
 * and clients that send what no well-behaved one would. `./berth test` puts the program where it is looked for.
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
import type { CaddyConfig } from '../../src/routing/caddy/caddy.ts'
import { frontConfig } from '../../src/routing/caddy/front-config.ts'
import { keysConfig, type KeysInput, keysSettleMs } from '../../src/routing/caddy/keys-config.ts'
import { loopbackOf, type Part, parts, placesIn, program } from '../../src/routing/caddy/launch.ts'
import { type Application, rulesConfig } from '../../src/routing/caddy/rules-config.ts'
import { until } from '../engine/until.ts'
import { freePort } from './swarm.ts'

const caddy = new URL('../../node_modules/.cache/berth-caddy/caddy', import.meta.url).pathname

/** By which the front and nobody else is given certificates. */
export const keysSecret = 'of-the-front-alone'

export interface Answer {
  status: number
  headers: IncomingMessage['headers']
  body: string
}
export type Proxy = Awaited<ReturnType<typeof startProxy>>

/** All processes; nothing is configured but the front. `secret` is in their environment and in a file. */
export async function startProxy({ secret = 'unsaid' } = {}) {
  if (!existsSync(caddy)) throw new Error(`${caddy} is not there: ./berth test e2e makes it`)
  await using opened = new AsyncDisposableStack()
  const folder = mkdtempSync(join(tmpdir(), 'berth-proxy-'))
  opened.defer(() => rmSync(folder, { recursive: true, force: true }))
  const [httpPort, httpsPort] = [await freePort(), await freePort()]
  const places = placesIn(folder)
  writeFileSync(join(folder, 'secret'), secret)
  const loopback = loopbackOf(folder)
  const sockets = { rulesSocket: places.rules, keysSocket: places.keys, challengesSocket: places.challenges }
  const log = openSync(join(folder, 'log'), 'a')
  opened.defer(() => closeSync(log))
  const children = parts.map((name) => {
    mkdirSync(join(folder, name))
    const {
      argv: [file = '', ...rest],
      env,
    } = program(caddy, places[`${name}Admin`], join(folder, name))
    return spawn(file, rest, {
      env: { ...env, PATH: process.env.PATH, HOME: folder, SECRET: secret },
      stdio: ['ignore', log, log],
    })
  })
  opened.defer(async () => {
    await Promise.all(parts.map(end))
  })
  for (const it of parts) await until('Caddy to listen', () => isListening(places[`${it}Admin`]))
  await loadKeys()
  await load(
    places.frontAdmin,
    frontConfig({
      listen: { host: '127.0.0.1', httpPort, httpsPort },
      ...sockets,
      adminSocket: places.frontAdmin,
      certificates: { address: loopback.certificates, secret: keysSecret },
    }),
  )
  const all = opened.move()
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
    end,
    acmeLog: () => (existsSync(join(folder, 'acme.log')) ? readFileSync(join(folder, 'acme.log'), 'utf8') : ''),
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  }

  async function end(part: Part) {
    const child = children[parts.indexOf(part)]!
    const gone = once(child, 'exit')
    if (child.kill('SIGKILL')) await gone
  }

  function rules(applications: Application[]): CaddyConfig {
    return rulesConfig({
      applications,
      publicHttpsPort: httpsPort,
      adminSocket: places.rulesAdmin,
      socket: places.rules,
    })
  }

  function loadRules(applications: Application[]) {
    return loadRulesConfig(rules(applications))
  }

  async function loadRulesConfig(config: unknown) {
    return load(places.rulesAdmin, config)
  }

  async function loadKeys(more: Partial<KeysInput> = {}) {
    await load(
      places.keysAdmin,
      keysConfig({
        pairs: [],
        now: new Date(),
        acme: null,
        managed: [],
        issued: [],
        adminSocket: places.keysAdmin,
        ...sockets,
        spareAddress: loopback.spare,
        storageFolder: join(folder, 'storage'),
        acmeLog: join(folder, 'acme.log'),
        ...more,
      }),
    )
    await pause(keysSettleMs)
  }

  async function configOf(name: Part): Promise<string> {
    return (await send({ socketPath: places[`${name}Admin`], path: '/config/', headers: { host: 'localhost' } })).body
  }

  /** A request for a URL as it is written, over HTTP. */
  function get(url: string, options: RequestOptions & { body?: string } = {}): Promise<Answer> {
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

  /** What comes back for these bytes. */
  async function raw(bytes: string): Promise<string> {
    const connection = connect(httpPort, '127.0.0.1')
    connection.write(bytes) // ended only by the other side: half-closed, it would count as given up
    return (await buffer(connection)).toString('latin1')
  }
}

async function isListening(path: string): Promise<boolean> {
  const connection = connect(path)
  const answer = await once(connection, 'connect').then(
    () => true,
    () => false,
  )
  connection.destroy()
  return answer
}

/** Throws with Caddy's words where it is refused; gives the milliseconds that it took. */
async function load(socketPath: string, config: unknown): Promise<number> {
  const body = JSON.stringify(config)
  const began = performance.now()
  const answer = await send(
    {
      socketPath,
      path: '/load',
      method: 'POST',
      agent: false,
      headers: { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) },
    },
    body,
  )
  if (answer.status !== 200) throw new Error(`${answer.status} ${answer.body}`)
  return performance.now() - began
}

async function send(options: RequestOptions, body?: string): Promise<Answer> {
  const sent = request(options)
  sent.end(body)
  const [response] = (await once(sent, 'response')) as [IncomingMessage]
  return { status: response.statusCode!, headers: response.headers, body: await text(response) }
}

/** Rules and applications as configurations have them. */
export const rule = (regex: string, replacement: string, permanent = false) => ({ regex, replacement, permanent })
export const behind = (dial: string, more: Partial<Application> = {}): Application => ({
  hosts: ['a.example'],
  tls: null,
  redirects: [],
  users: [],
  upstream: { dial: [dial] },
  ...more,
})

/** An application that answers what it was asked, as JSON. */
export async function startApplication() {
  let count = 0
  const server = createServer((asked, reply) => {
    count += 1
    const { method, url, headers } = asked
    void text(asked).then(
      (body) => reply.end(JSON.stringify({ method, url, headers, body })),
      () => reply.destroy(),
    )
  })
  server.keepAliveTimeout = 60_000
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    dial: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked: () => count,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
