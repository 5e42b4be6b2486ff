/**
 * What the front does: it holds the ports, the certificates and ACME, and hands every request on to the rules. It is
 * loaded only where one of these changes, for Go's server drops HTTP/1 requests that are just arriving when it is
 * replaced (net/http, conn.serve); a change of the rules it waits out, asking the rules again.
 */
import { adminOn, type CaddyConfig, errorLog, type Handler, type Route, streamCloseDelay, text } from './caddy.ts'
import { literal } from './placeholders.ts'
import { certificatesToServe, type ServedPair } from './served.ts'

export interface Acme {
  directory: string
  /** Of the account there. */
  email: string | null
  /** A PEM file, for a directory with an authority of its own. */
  rootsFile: string | null
}

export interface FrontInput {
  /** As the process sees them; host names or addresses in front of a port are for a proxy on the machine itself. */
  listen: { host: string; httpPort: number; httpsPort: number }
  pairs: ServedPair[]
  now: Date
  acme: Acme | null
  /** Names that ACME gives certificates for, and renews. */
  managed: string[]
  adminSocket: string
  /** Where the rules take requests. */
  rulesSocket: string
  storageFolder: string
  /** Where ACME's doings are written, for `acme-log.ts`. */
  acmeLog: string
}

export function frontConfig(input: FrontInput): CaddyConfig {
  const { listen: { host, httpPort, httpsPort } } = input
  const { pairs, policies } = certificatesToServe(input.pairs, input.now)
  const selection = policies.map(({ names, id }) =>
    ({ match: { sni: names.map(literal) }, certificate_selection: { any_tag: [id] } }))
  return {
    admin: adminOn(input.adminSocket),
    logging: logging(input.acmeLog),
    storage: { module: 'file_system', root: input.storageFolder },
    apps: {
      http: {
        http_port: httpPort, https_port: httpsPort,
        servers: { front: {
          listen: [`${host}:${httpPort}`, `${host}:${httpsPort}`], protocols: ['h1', 'h2'],
          automatic_https: { disable: true }, max_header_bytes: 1 << 15,
          tls_connection_policies: [...selection, {}],
          routes: handOver(input.rulesSocket), errors: { routes: [{ handle: [failure] }] },
        } },
      },
      tls: {
        certificates: { automate: input.acme === null ? [] : input.managed, load_pem: pairs.map(pem) },
        automation: { policies: automation(input) },
      },
    },
  }
}

const failure = text('{http.error.status_code}', '{http.error.status_code} {http.error.status_text}\n')

/** Written anew by `certificate.ts`, a PEM has no brace; `@id` is for whoever looks at the running configuration. */
const pem = ({ id, chain, key }: ServedPair) => ({ '@id': id, certificate: chain, key, tags: [id] })

/** Also for names without ACME there is a policy: otherwise Caddy would make one that asks public authorities. */
function automation({ acme, managed, listen }: FrontInput): unknown[] {
  if (acme === null || managed.length === 0) return []
  const { directory, email, rootsFile } = acme
  return [{
    subjects: managed,
    issuers: [{
      module: 'acme', ca: literal(directory), ...(email !== null && { email: literal(email) }),
      challenges: { http: { alternate_port: listen.httpPort }, 'tls-alpn': { alternate_port: listen.httpsPort } },
      ...(rootsFile === null ? {} : { trusted_roots_pem_files: [rootsFile] }),
    }],
  }]
}

const smallBody = '^[0-9]{1,5}$'

/**
 * The rules' server drops what is just arriving when it is replaced, before it looks at it: it is asked again. A body
 * that is asked for again has to be kept, so only small ones are; a larger one is sent as it comes, and once.
 */
function handOver(socket: string): Route[] {
  const keeping = handler(socket, [{ header_regexp: { 'Content-Length': { pattern: smallBody } } }])
  return [
    { match: [{ header_regexp: { 'Content-Length': { pattern: smallBody } } }],
      handle: [{ ...keeping, request_buffers: 100_000 }] },
    { handle: [handler(socket, [{ method: ['GET', 'HEAD', 'OPTIONS', 'DELETE'],
      not: [{ header: { 'Transfer-Encoding': ['*'] } }, { header: { 'Content-Length': ['*'] } }] }])] },
  ]
}

function handler(socket: string, retried: Record<string, unknown>[]): Handler {
  return {
    handler: 'reverse_proxy', upstreams: [{ dial: `unix/${socket}` }], stream_close_delay: streamCloseDelay,
    transport: { protocol: 'http', compression: false,
      keep_alive: { idle_timeout: '1m', max_idle_conns_per_host: 256 } },
    load_balancing: { try_duration: '5s', try_interval: '2ms', retry_match: retried },
  }
}

/** Names of loggers by certmagic and Caddy's issuer; what they write is read by `acme-log.ts`. */
const acmeLoggers = ['tls.obtain', 'tls.renew', 'tls.issuance']

function logging(filename: string): CaddyConfig['logging'] {
  return { logs: {
    default: { ...errorLog, exclude: acmeLoggers },
    acme: {
      level: 'INFO', include: acmeLoggers, encoder: { format: 'json' },
      writer: { output: 'file', filename, mode: '0600', roll_size_mb: 1, roll_keep: 1, roll_gzip: false },
    },
  } }
}
