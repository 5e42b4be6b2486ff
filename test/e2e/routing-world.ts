/** A Berth on the swarm with a proxy of its own, applications that others deploy, and clients that ask the proxy. */
import http from 'node:http'
import https from 'node:https'
import type { Options } from '../fixtures/harness.ts'
import { until } from '../engine/until.ts'
import type { Fields } from './database-clients.ts'
import { docker, freePort, onSwarm, uniqueName } from './swarm.ts'

export interface Reply {
  status: number
  headers: http.IncomingHttpHeaders
  body: string
}

export interface Asked {
  method?: string
  headers?: Record<string, string>
  tls?: { ca?: string; rejectUnauthorized?: boolean }
  agent?: http.Agent
}

export type Routing = Awaited<ReturnType<typeof openRouting>>

/** As an application is answered, as far as tests read it. */
interface Seen {
  name: string
  served: boolean
  reason: string | null
  running: number
  onNetwork: boolean
}

/** `made`: services of applications that are removed at the end. */
export async function openRouting(options: Options = {}, made: string[] = []) {
  const env = {
    BERTH_PROXY: 'service',
    BERTH_PROXY_HTTP_PORT: String(await freePort()),
    BERTH_PROXY_HTTPS_PORT: String(await freePort()),
    ...options.env,
  }
  const ports = { httpPort: Number(env.BERTH_PROXY_HTTP_PORT), httpsPort: Number(env.BERTH_PROXY_HTTPS_PORT) }
  const end = new AsyncDisposableStack()
  const berth = end.use(await onSwarm({ ...options, env }))
  end.defer(removeApplications)
  const ask = (url: string, asked?: Asked) => askAt(ports, url, asked)
  return { berth, ...ports, application, seen, ask, call, env, made, [Symbol.asyncDispose]: () => end.disposeAsync() }

  /** Some a test has removed itself. */
  async function removeApplications() {
    const there = await docker('service', 'ls', '--format', '{{.Name}}')
    const left = made.filter((name) => there.includes(name))
    if (left.length > 0) await docker('service', 'rm', ...left)
  }

  /** A service that somebody else deploys: it answers with its name, and what it was asked. */
  async function application(labels: Record<string, string>, { replicas = 1, network = true } = {}): Promise<string> {
    const name = uniqueName('app')
    const given = Object.entries({ 'berth.port': '8080', ...labels }).flatMap(([key, value]) => [
      '--label',
      `${key}=${value}`,
    ])
    await docker(
      'service',
      'create',
      '--detach',
      '--quiet',
      '--name',
      name,
      ...given,
      '--replicas',
      String(replicas),
      ...(network ? ['--network', 'berth'] : []),
      '--stop-grace-period',
      '1s',
      'caddy:2',
      'caddy',
      'respond',
      '--listen',
      ':8080',
      '--body',
      `${name} {http.request.method} {http.request.uri}`,
    )
    made.push(name)
    await until(`${name} to be seen`, async () => (await seen(name))?.running === replicas, 60_000)
    return name
  }

  async function seen(name: string): Promise<Seen | undefined> {
    return (await berth.call<Seen[]>('application.all', {})).body.find((it) => it.name === name)
  }

  /** The answer of a call that has to be 200. */
  async function call<T = Fields>(name: string, input: Fields, headers?: Record<string, string>): Promise<T> {
    const { status, body } = await berth.call<T & { message: string }>(name, input, undefined, headers)
    if (status !== 200) throw new Error(`${name} answered ${status}: ${body.message}`)
    return body
  }
}

/** By the proxy that has these ports, as a client that has looked the name up. */
export function askAt(
  { httpPort, httpsPort }: { httpPort: number; httpsPort: number },
  url: string,
  { method = 'GET', headers = {}, tls, agent }: Asked = {},
): Promise<Reply> {
  const { protocol, hostname, pathname, search } = new URL(url)
  const isTls = protocol === 'https:'
  return new Promise((resolve, reject) => {
    const request = (isTls ? https : http).request(
      {
        host: '127.0.0.1',
        port: isTls ? httpsPort : httpPort,
        path: pathname + search,
        method,
        headers: { host: hostname, ...headers },
        servername: hostname,
        agent: agent ?? false,
        ...tls,
      } as https.RequestOptions,
      (response) => {
        const pieces: Buffer[] = []
        response.on('data', (piece: Buffer) => pieces.push(piece)).on('error', reject)
        response.on('end', () =>
          resolve({ status: response.statusCode!, headers: response.headers, body: Buffer.concat(pieces).toString() }),
        )
      },
    )
    request.on('error', reject)
    request.end()
  })
}
