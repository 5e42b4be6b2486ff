/** A Berth with its own proxy on the swarm, applications that Berth did not deploy, and clients of the proxy. */
import http from 'node:http'
import https from 'node:https'
import type { Options } from '../fixtures/harness.ts'
import { until } from '../engine/until.ts'
import type { Fields } from './database-clients.ts'
import { freePort } from '../fixtures/free-port.ts'
import { docker, onSwarm, uniqueName } from './swarm.ts'

export interface Reply {
  status: number
  headers: http.IncomingHttpHeaders
  body: string
}

/** The options of a request. */
export interface RequestOptions {
  method?: string
  headers?: Record<string, string>
  tls?: { ca?: string; rejectUnauthorized?: boolean }
  agent?: http.Agent
}

export type RoutingBerth = Awaited<ReturnType<typeof startRoutingBerth>>

/** The fields of `application.all` that tests read. */
interface Application {
  name: string
  served: boolean
  reason: string | null
  running: number
  onNetwork: boolean
}

/** @param applications the names of existing applications, whose services are removed at the end */
export async function startRoutingBerth(options: Options = {}, applications: string[] = []) {
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
  const ask = (url: string, options?: RequestOptions) => requestVia(ports, url, options)
  return {
    berth,
    ...ports,
    application,
    findApplication,
    ask,
    call,
    env,
    applications,
    [Symbol.asyncDispose]: () => end.disposeAsync(),
  }

  async function removeApplications() {
    const services = await docker('service', 'ls', '--format', '{{.Name}}')
    // A test may have removed its application already.
    const remaining = applications.filter((name) => services.includes(name))
    if (remaining.length > 0) await docker('service', 'rm', ...remaining)
  }

  /** Deploys a service without Berth. The service responds with its name and with the method and URI of the request. */
  async function application(labels: Record<string, string>, { replicas = 1, network = true } = {}): Promise<string> {
    const name = uniqueName('app')
    const labelOptions = Object.entries({ 'berth.port': '8080', ...labels }).flatMap(([key, value]) => [
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
      ...labelOptions,
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
    applications.push(name)
    await until(`Berth to list ${name}`, async () => (await findApplication(name))?.running === replicas, 60_000)
    return name
  }

  async function findApplication(name: string): Promise<Application | undefined> {
    return (await berth.call<Application[]>('application.all', {})).body.find((it) => it.name === name)
  }

  /** Calls an operation and returns the body of its response. Throws if the status is not 200. */
  async function call<T = Fields>(name: string, input: Fields, headers?: Record<string, string>): Promise<T> {
    const { status, body } = await berth.call<T & { message: string }>(name, input, undefined, headers)
    if (status !== 200) throw new Error(`${name} answered ${status}: ${body.message}`)
    return body
  }
}

/** Sends a request to the proxy with these ports, as a client does whose DNS resolves the URL's host to the proxy. */
export function requestVia(
  { httpPort, httpsPort }: { httpPort: number; httpsPort: number },
  url: string,
  { method = 'GET', headers = {}, tls, agent }: RequestOptions = {},
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
        const chunks: Buffer[] = []
        response.on('data', (chunk: Buffer) => chunks.push(chunk)).on('error', reject)
        response.on('end', () =>
          resolve({ status: response.statusCode!, headers: response.headers, body: Buffer.concat(chunks).toString() }),
        )
      },
    )
    request.on('error', reject)
    request.end()
  })
}
