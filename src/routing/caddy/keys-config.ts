/**
 * The configuration of the process `keys`, which gives `front` the certificate for the name that a client requests, and
 * obtains certificates by ACME. A change of a certificate in the store reloads this process, but not `front`.
 */
import { authorityFolder, storedPaths } from './acme-log.ts'
import { adminOn, type CaddyConfig, errorLog, type Route, socket, text } from './caddy.ts'
import { forwardingRoutes } from './forwarding.ts'
import { literal } from './redirects/placeholders.ts'
import { pairsByName, type ServedPair } from './served.ts'

/** The ACME directory that certificates come from. */
export interface Acme {
  /** The URL of the directory. */
  directory: string
  /** The contact address of the ACME account. */
  email: string | null
  /**
   * The path of a PEM file with the root certificates for checking the certificate of the directory's server. Null to
   * use the root certificates of the system.
   */
  rootsFile: string | null
}

export interface KeysInput {
  pairs: ServedPair[]
  now: Date
  /** Null if no directory is configured. Caddy then obtains no certificates. */
  acme: Acme | null
  /** Names for which Caddy obtains and renews certificates. */
  managed: string[]
  /**
   * The managed names whose certificate is served directly from the storage folder. The other managed names belong to
   * uploaded certificates that are due for renewal.
   */
  issued: string[]
  /** The host of Berth itself, for which none of `pairs` and `issued` is served. Null if there is no such host. */
  berth: BerthCertificate | null
  adminSocket: string
  /** Sockets where `front` requests certificates and forwards ACME challenges. */
  keysSocket: string
  challengesSocket: string
  /** Socket of `rules`, for challenges that do not belong to Caddy's own orders. */
  rulesSocket: string
  /** `host:port` on loopback. Caddy insists on a port of its own for ACME challenges, but nothing uses it. */
  spareAddress: string
  storageFolder: string
  /** The path of the log of ACME orders, which acme-log.ts parses. */
  acmeLog: string
}

/** `issued`: Caddy obtains it, so the host is also in `managed`. Null if there is no certificate yet. */
export interface BerthCertificate {
  host: string
  pair: Pick<ServedPair, 'chain' | 'key'> | 'issued' | null
}

/**
 * Berth waits this long after a load, so that the next handshakes get the new certificates. When Caddy answers a load,
 * the old server has only begun to stop (caddyhttp, App.Stop). In addition, concurrent handshakes share the result of
 * one request (certmagic).
 */
export const keysReloadMs = 50

export function keysConfig(input: KeysInput): CaddyConfig {
  const { acme, managed } = input
  const server = { protocols: ['h1'], automatic_https: { disable: true } as const, trusted_proxies_unix: true }
  return {
    admin: adminOn(input.adminSocket),
    logging: logging(input.acmeLog),
    storage: { module: 'file_system', root: input.storageFolder },
    apps: {
      http: {
        servers: {
          certificates: { ...server, listen: [socket(input.keysSocket)], routes: certificateRoutes(input) },
          // Caddy answers the challenges of its own orders before any route.
          challenges: {
            ...server,
            listen: [socket(input.challengesSocket)],
            max_header_bytes: 1 << 17,
            routes: forwardingRoutes(input.rulesSocket),
          },
        },
      },
      tls: { certificates: { automate: acme === null ? [] : managed }, automation: { policies: automation(input) } },
    },
  }
}

/**
 * Finds a certificate by the Host header. Answers 404 for an unknown name: after a 204, `front` would try other
 * sources.
 */
function certificateRoutes({ pairs, now, acme, issued, berth, storageFolder }: KeysInput): Route[] {
  return [
    ...(berth === null ? [] : berthRoutes(berth, acme, storageFolder)),
    ...(acme === null ? [] : issued.map((name) => issuedRoute(name, acme, storageFolder))),
    ...pairsByName(pairs, now).map(({ names, pair }) => routeOf(names, {}, pair.chain + pair.key)),
    { handle: [text(404, '')] },
  ]
}

/** A client gets the certificate for Berth's host, or none: never that of a wildcard or an application. */
function berthRoutes({ host, pair }: BerthCertificate, acme: Acme | null, storageFolder: string): Route[] {
  const none: Route = { match: [{ host: [literal(host)] }], handle: [text(404, '')], terminal: true }
  if (pair === 'issued') return acme === null ? [none] : [issuedRoute(host, acme, storageFolder), none]
  return pair === null ? [none] : [routeOf([host], {}, pair.chain + pair.key)]
}

/** Caddy expands placeholders in `body`. PEM texts from certificate.ts contain no braces, so they need no escaping. */
const routeOf = (names: string[], more: Record<string, unknown>, body: string): Route => ({
  match: [{ host: names.map(literal), ...more }],
  handle: [text(200, body)],
  terminal: true,
})

/** Serves a certificate from the storage folder as soon as Caddy has stored it there. */
function issuedRoute(name: string, { directory }: Acme, storageFolder: string): Route {
  const { authorities, chain, key } = storedPaths(name)
  const root = `${storageFolder}/${authorities}/${authorityFolder(directory)}`
  const pem = `{file.${root}/${chain}}\n{file.${root}/${key}}\n`
  return routeOf([name], { file: { root, try_files: [`/${chain}`] } }, pem)
}

/** Returns the policy for obtaining the certificates of the managed names. */
function automation({ acme, managed, spareAddress }: KeysInput): unknown[] {
  if (acme === null || managed.length === 0) return []
  const { directory, email, rootsFile } = acme
  const [host, port] = spareAddress.split(':')
  return [
    {
      subjects: managed,
      // Caddy replaces the files of chain and key one after the other. With an unchanged key, they match at any time.
      reuse_private_keys: true,
      issuers: [
        {
          module: 'acme',
          ca: literal(directory),
          ...(email !== null && { email: literal(email) }),
          challenges: { bind_host: host, http: { alternate_port: Number(port) }, 'tls-alpn': { disabled: true } },
          ...(rootsFile === null ? {} : { trusted_roots_pem_files: [rootsFile] }),
        },
      ],
    },
  ]
}

/** Loggers of certmagic and of Caddy's issuer. acme-log.ts parses the entries of the first two. */
const acmeLoggers = ['tls.obtain', 'tls.renew', 'tls.issuance']

function logging(filename: string): CaddyConfig['logging'] {
  return {
    logs: {
      default: { ...errorLog, exclude: acmeLoggers },
      acme: {
        level: 'INFO',
        include: acmeLoggers,
        encoder: { format: 'json' },
        writer: { output: 'file', filename, mode: '0600', roll_size_mb: 1, roll_keep: 1, roll_gzip: false },
      },
    },
  }
}
