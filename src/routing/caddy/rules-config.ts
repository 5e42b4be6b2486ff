/**
 * The configuration of the process `rules`, which gets the requests of clients from `front` over a socket, finds the
 * application by the host name, and applies redirects and basic auth. A change of an application, a redirect or a user
 * of basic auth reloads this process, but not `front`.
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
import { redirectVariableRoutes, redirectHandlers, redirectRoute, type RedirectRule } from './redirects/routes.ts'

/** A user of basic auth. */
export interface User {
  username: string
  /** A bcrypt hash. */
  passwordHash: string
}

/** Where to forward: a service whose tasks Caddy resolves by name, or fixed `host:port` addresses. */
export type Upstream = { service: string; port: number } | { dial: string[] }

/** An application as the proxy serves it. */
export interface Application {
  hosts: string[]
  tls: 'auto' | null
  /** 'open': CORS preflights need no password. */
  preflight: 'open' | null
  redirects: RedirectRule[]
  users: User[]
  /** Null if the application has no task. */
  upstream: Upstream | null
}

export interface RulesInput {
  /** Oldest first. If two applications have the same host name, the first application gets it. */
  applications: Application[]
  /** The port on which clients reach `front` with TLS. */
  publicHttpsPort: number
  adminSocket: string
  /** The socket to which `front` forwards requests. */
  socket: string
}

export function rulesConfig({ applications, publicHttpsPort, adminSocket, socket: path }: RulesInput): CaddyConfig {
  const routes = [
    ...redirectVariableRoutes,
    ...applicationRoutes(applications, publicHttpsPort),
    { handle: [unknownHost] },
  ]
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

/** Returns the routes of all applications: first exact host names, then wildcards. Each host name occurs once. */
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

/**
 * Returns the route for these host names of an application. The route has few handlers in a flat list, because Caddy
 * parses nested JSON once for each level.
 */
function routeOf(
  { tls, preflight, redirects, users, upstream }: Application,
  hosts: string[],
  httpsPort: number,
): Route {
  const variables = upstreamVariables(upstream)
  const rules = redirectHandlers(redirects, variables)
  const handle: Handler[] = [
    ...(tls === 'auto' ? [httpsOnly(httpsPort)] : []),
    ...(rules.length === 0 && upstream !== null && 'service' in upstream ? [{ handler: 'vars', ...variables }] : rules),
    ...(preflight === 'open' ? exceptPreflights(authentication(users)) : authentication(users)),
    proxy(upstream),
  ]
  const [redirect, tasks] = handle.slice(-2)
  if (redirect?.name === 'redirect' && tasks?.name === 'tasks')
    handle.splice(-2, 2, { handler: 'invoke', name: 'both' })
  return { match: [{ host: hosts.map(literal) }], handle, terminal: true }
}

/**
 * Redirects HTTP to HTTPS before basic auth, so that the proxy never asks for a password over HTTP. The process `keys`
 * answers the challenges of Caddy's own ACME orders, so they do not reach this route.
 */
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

/** Answers 401, so that the client asks its user for a password. */
const askRoute: Route = {
  handle: [text(401, '401 Unauthorized\n', { 'Www-Authenticate': ['Basic realm="restricted"'] })],
}

/**
 * Returns the handlers of basic auth. A request without the name of a user gets 401 at once. Otherwise Caddy would
 * compare its password with a hash of cost 14, which takes a second of CPU time. Caddy caches comparisons until the
 * next load. The Authorization header is removed, because the password is for the proxy, not for the application.
 */
function authentication(users: User[]): Handler[] {
  if (users.length === 0) return []
  const namesUser = {
    header_regexp: { Authorization: { pattern: `^(?i:basic) (?:${users.map(encodedName).join('|')})` } },
  }
  const accounts = users.map(({ username, passwordHash }) => ({
    username: literal(username),
    password: literal(passwordHash),
  }))
  const basic = { accounts, hash: { algorithm: 'bcrypt' }, hash_cache: {}, realm: 'restricted' }
  return [
    { handler: 'subroute', routes: [{ match: [{ not: [namesUser] }], handle: [{ handler: 'invoke', name: 'ask' }] }] },
    { handler: 'authentication', providers: { http_basic: basic } },
    { handler: 'headers', request: { delete: ['Authorization'] } },
  ]
}

/**
 * Browsers send a preflight without a password before a request of another host's page (Fetch standard, section 4.8). It
 * carries no data, and the application answers it.
 */
function exceptPreflights(handlers: Handler[]): Handler[] {
  if (handlers.length === 0) return []
  const preflight = { method: ['OPTIONS'], header: { Origin: ['*'], 'Access-Control-Request-Method': ['*'] } }
  return [{ handler: 'subroute', routes: [{ match: [{ not: [preflight] }], handle: handlers }] }]
}

/** Returns a pattern for the beginning of a user's base64 credentials. The password does not affect this beginning. */
function encodedName({ username }: User): string {
  const bytes = Buffer.from(`${username}:`)
  const fixed = bytes.toString('base64').slice(0, Math.floor((bytes.length * 8) / 6))
  return fixed.replace(/[+/]/g, '\\$&')
}

const upstreamVariables = (upstream: Upstream | null): Record<string, string> =>
  upstream !== null && 'service' in upstream ? { service: literal(upstream.service), port: String(upstream.port) } : {}

/**
 * Forwards to the application, or answers 503 without an upstream. All services share one named route, which reads the
 * service's name from a variable.
 */
function proxy(upstream: Upstream | null): Handler {
  if (upstream === null) return noTask
  return 'dial' in upstream
    ? { ...forward, upstreams: upstream.dial.map((dial) => ({ dial })) }
    : { handler: 'invoke', name: 'tasks' }
}

/**
 * Caddy retries a request if no connection was opened, because no task has received the request then. It retries GET
 * and HEAD after any failure, because they change nothing.
 */
const forward: Handler = {
  handler: 'reverse_proxy',
  stream_close_delay: streamCloseDelay,
  transport: { protocol: 'http', dial_timeout: '1s', compression: false, keep_alive: { idle_timeout: '30s' } },
  load_balancing: { try_duration: '5s', try_interval: '100ms', retry_match: [{ method: ['GET', 'HEAD'] }] },
}

/**
 * Forwards to the tasks of the service that the variable `service` names. The dot at the end of the DNS name prevents
 * the resolver from appending search domains.
 */
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

/** Invokes `redirect` and then `tasks`, so that an application that needs both has one handler less. */
const bothRoutes: Route = {
  handle: [
    { handler: 'invoke', name: 'redirect' },
    { handler: 'invoke', name: 'tasks' },
  ],
}
