/**
 * What the process of keys does: it gives the front the certificate of the name that a client asks for, and gets
 * certificates by ACME. Each change of a certificate loads it anew, while the front goes on.
 */
import { authorityFolder, storedPaths } from './acme-log.ts'
import { adminOn, type CaddyConfig, errorLog, type Route, socket, text } from './caddy.ts'
import { handOver } from './hand-over.ts'
import { literal } from './redirects/placeholders.ts'
import { pairsByName, type ServedPair } from './served.ts'

export interface Acme {
  directory: string
  /** Of the account there. */
  email: string | null
  /** A PEM file, for a directory with an authority of its own. */
  rootsFile: string | null
}

export interface KeysInput {
  pairs: ServedPair[]
  now: Date
  acme: Acme | null
  /** Names that ACME gives certificates for, and renews. */
  managed: string[]
  /** Those of them that are served from where ACME stores them, as soon as they are there. */
  issued: string[]
  adminSocket: string
  /** Where the front asks for certificates, and where it hands ACME's questions over. */
  keysSocket: string
  challengesSocket: string
  /** Where requests go on to that are none of ACME's. */
  rulesSocket: string
  /** Of loopback: Caddy opens a port for ACME's questions, which nobody needs. */
  spareAddress: string
  storageFolder: string
  /** Where ACME's doings are written, for `acme-log.ts`. */
  acmeLog: string
}

/**
 * From the load's answer on until every handshake has the new certificates: Caddy answers when the old server begins to
 * end (caddyhttp, App.Stop), and what one handshake was given just before, others of that moment get too (certmagic).
 */
export const keysSettleMs = 50

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
          // Caddy's servers answer the questions of ACME that are about their own orders before any route.
          challenges: {
            ...server,
            listen: [socket(input.challengesSocket)],
            max_header_bytes: 1 << 17,
            routes: handOver(input.rulesSocket),
          },
        },
      },
      tls: { certificates: { automate: acme === null ? [] : managed }, automation: { policies: automation(input) } },
    },
  }
}

/** By the name that the front makes the host. None is an error, not 204: then the front would look further. */
function certificateRoutes({ pairs, now, acme, issued, storageFolder }: KeysInput): Route[] {
  return [
    ...(acme === null ? [] : issued.map((name) => issuedRoute(name, acme, storageFolder))),
    ...pairsByName(pairs, now).map(({ names, pair }) => routeOf(names, {}, pair.chain + pair.key)),
    { handle: [text(404, '')] },
  ]
}

/** Written anew by `certificate.ts`, a PEM has no brace. */
const routeOf = (names: string[], more: Record<string, unknown>, body: string): Route => ({
  match: [{ host: names.map(literal), ...more }],
  handle: [text(200, body)],
  terminal: true,
})

function issuedRoute(name: string, { directory }: Acme, storageFolder: string): Route {
  const { authorities, chain, key } = storedPaths(name)
  const root = `${storageFolder}/${authorities}/${authorityFolder(directory)}`
  const pem = `{file.${root}/${chain}}\n{file.${root}/${key}}\n`
  return routeOf([name], { file: { root, try_files: [`/${chain}`] } }, pem)
}

/** Also for names without ACME there is a policy: otherwise Caddy would make one that asks public authorities. */
function automation({ acme, managed, spareAddress }: KeysInput): unknown[] {
  if (acme === null || managed.length === 0) return []
  const { directory, email, rootsFile } = acme
  const [host, port] = spareAddress.split(':')
  return [
    {
      subjects: managed,
      // A chain is never read beside the key of another: Caddy replaces its files one after the other.
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

/** Names of loggers by certmagic and Caddy's issuer; what they write is read by `acme-log.ts`. */
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
