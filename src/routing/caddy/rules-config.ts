/**
 * What the process of rules does: it gets every request from the front by a socket, and knows which application is
 * meant, its redirects, its users and its tasks. Each change of a rule loads it anew, while the front goes on.
 */
import {
  adminOn,
  type CaddyConfig,
  errorLog,
  type Handler,
  type Route,
  socket,
  streamCloseDelay,
  text,
} from './caddy.ts'
import { isWildcard } from './hosts.ts'
import { literal } from './redirects/placeholders.ts'
import { forRedirects, redirectHandlers, redirectRoute, type RedirectRule } from './redirects/routes.ts'

export interface User {
  username: string
  /** bcrypt. */
  passwordHash: string
}

/** The tasks of a swarm service by the name that the engine gives them, or addresses that do not change. */
export type Upstream = { service: string; port: number } | { dial: string[] }

export interface Application {
  hosts: string[]
  tls: 'auto' | null
  redirects: RedirectRule[]
  users: User[]
  /** null: it has no task that could answer. */
  upstream: Upstream | null
}

export interface RulesInput {
  /** The oldest first: of two with one host name, the first has it. */
  applications: Application[]
  /** Where clients reach the front with TLS. */
  publicHttpsPort: number
  adminSocket: string
  /** Where the front hands requests over. */
  socket: string
}

export function rulesConfig({ applications, publicHttpsPort, adminSocket, socket: path }: RulesInput): CaddyConfig {
  const routes = [...forRedirects, ...applicationRoutes(applications, publicHttpsPort), { handle: [unknownHost] }]
  return {
    admin: adminOn(adminSocket),
    logging: { logs: { default: errorLog } },
    apps: {
      http: {
        servers: {
          rules: {
            listen: [socket(path)],
            protocols: ['h1'],
            automatic_https: { disable: true },
            trusted_proxies_unix: true,
            max_header_bytes: 1 << 17,
            routes,
            named_routes: { redirect: redirectRoute, tasks: tasksRoute, both: bothRoutes, ask: askRoute },
            errors: { routes: [{ handle: [failure] }] },
          },
        },
      },
    },
  }
}

const unknownHost = text(404, 'No application has this host name\n')
const noTask = text(503, 'The application is not running\n')
const failure = text('{http.error.status_code}', '{http.error.status_code} {http.error.status_text}\n')

/** Exact names before wildcards, whoever has them; each name once. */
function applicationRoutes(applications: Application[], httpsPort: number): Route[] {
  const taken = new Set<string>()
  const entries = applications.map((application) => {
    const hosts = application.hosts.filter((host) => !taken.has(host))
    for (const host of hosts) taken.add(host)
    return { application, exact: hosts.filter((it) => !isWildcard(it)), wildcard: hosts.filter(isWildcard) }
  })
  return [
    ...entries.filter(({ exact }) => exact.length > 0).map((it) => routeOf(it.application, it.exact, httpsPort)),
    ...entries
      .filter(({ wildcard }) => wildcard.length > 0)
      .map((it) => routeOf(it.application, it.wildcard, httpsPort)),
  ]
}

/** A flat list of few handlers: what is nested in Caddy's JSON is read once more for each level. */
function routeOf({ tls, redirects, users, upstream }: Application, hosts: string[], httpsPort: number): Route {
  const variables = upstreamVariables(upstream)
  const rules = redirectHandlers(redirects, variables)
  const handle: Handler[] = [
    ...(tls === 'auto' ? [httpsOnly(httpsPort)] : []),
    ...(rules.length === 0 && upstream !== null && 'service' in upstream ? [{ handler: 'vars', ...variables }] : rules),
    ...authentication(users),
    proxy(upstream),
  ]
  const [redirect, tasks] = handle.slice(-2)
  if (redirect?.name === 'redirect' && tasks?.name === 'tasks')
    handle.splice(-2, 2, { handler: 'invoke', name: 'both' })
  return { match: [{ host: hosts.map(literal) }], handle, terminal: true }
}

/** Before anything else, so that no password is asked for in clear. ACME's own questions the front has answered. */
function httpsOnly(port: number): Handler {
  const host = `https://{http.request.host}${port === 443 ? '' : `:${port}`}`
  const route: Route = {
    match: [{ header: { 'X-Forwarded-Proto': ['http'] } }],
    handle: [
      {
        handler: 'static_response',
        status_code: '{http.vars.permanent}',
        headers: { Location: [`${host}{http.request.uri}`] },
      },
    ],
  }
  return { handler: 'subroute', routes: [route] }
}

const askRoute: Route = {
  handle: [text(401, '401 Unauthorized\n', { 'Www-Authenticate': ['Basic realm="restricted"'] })],
}

/**
 * Whoever names no user of this application is asked at once: Caddy would compare their password with a hash of cost
 * 14, a second of the processor for every try. What was compared is kept in memory until the next load. The password
 * is the proxy's, not the application's: it is taken off.
 */
function authentication(users: User[]): Handler[] {
  if (users.length === 0) return []
  const known = { header_regexp: { Authorization: { pattern: `^(?i:basic) (?:${users.map(encodedName).join('|')})` } } }
  const accounts = users.map(({ username, passwordHash }) => ({
    username: literal(username),
    password: literal(passwordHash),
  }))
  const basic = { accounts, hash: { algorithm: 'bcrypt' }, hash_cache: {}, realm: 'restricted' }
  return [
    { handler: 'subroute', routes: [{ match: [{ not: [known] }], handle: [{ handler: 'invoke', name: 'ask' }] }] },
    { handler: 'authentication', providers: { http_basic: basic } },
    { handler: 'headers', request: { delete: ['Authorization'] } },
  ]
}

/** How the credentials of a user begin: as many characters of the base64 as do not depend on the password. */
function encodedName({ username }: User): string {
  const bytes = Buffer.from(`${username}:`)
  const fixed = bytes.toString('base64').slice(0, Math.floor((bytes.length * 8) / 6))
  return fixed.replace(/[+/]/g, '\\$&')
}

const upstreamVariables = (upstream: Upstream | null): Record<string, string> =>
  upstream !== null && 'service' in upstream ? { service: literal(upstream.service), port: String(upstream.port) } : {}

/** One handler asks for the tasks of every service: the name that they have is set before it. */
function proxy(upstream: Upstream | null): Handler {
  if (upstream === null) return noTask
  return 'dial' in upstream
    ? { ...forward, upstreams: upstream.dial.map((dial) => ({ dial })) }
    : { handler: 'invoke', name: 'tasks' }
}

/** Retried is what no task has seen, a connection that was not made; and GET and HEAD, which change nothing. */
const forward: Handler = {
  handler: 'reverse_proxy',
  stream_close_delay: streamCloseDelay,
  transport: { protocol: 'http', dial_timeout: '1s', compression: false, keep_alive: { idle_timeout: '30s' } },
  load_balancing: { try_duration: '5s', try_interval: '100ms', retry_match: [{ method: ['GET', 'HEAD'] }] },
}

/** With a dot at its end the name is not looked for in the search domains of the machine. */
const tasksRoute: Route = {
  handle: [
    {
      ...forward,
      dynamic_upstreams: {
        source: 'a',
        name: 'tasks.{http.vars.service}.',
        port: '{http.vars.port}',
        refresh: '1s',
        versions: { ipv4: true },
      },
    },
  ],
}

const bothRoutes: Route = {
  handle: [
    { handler: 'invoke', name: 'redirect' },
    { handler: 'invoke', name: 'tasks' },
  ],
}
