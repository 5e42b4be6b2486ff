/**
 * What the front does: it holds the ports, ends TLS, and hands every request on to the rules. Its configuration depends
 * on ports and paths alone, so it is loaded once: Go's server drops HTTP/1 requests that are just arriving when it is
 * replaced (net/http, conn.serve). A change of the rules or of certificates it waits out, asking again.
 */
import { adminOn, type CaddyConfig, errorLog, type Route, type Server, text } from './caddy.ts'
import { handOn, handOver } from './hand-over.ts'

export interface FrontInput {
  /** As the process sees them; host names or addresses in front of a port are for a proxy on the machine itself. */
  listen: { host: string; httpPort: number; httpsPort: number }
  adminSocket: string
  /** Where the rules take requests, and where the keys give certificates and answer ACME's questions. */
  rulesSocket: string
  keysSocket: string
  challengesSocket: string
  /** An address of loopback where the front asks itself for certificates, and what tells it from others there. */
  certificates: { address: string; secret: string }
}

export function frontConfig(input: FrontInput): CaddyConfig {
  const {
    listen: { host, httpPort, httpsPort },
    certificates,
  } = input
  return {
    admin: adminOn(input.adminSocket),
    // Whoever asks for a name without a certificate would write a line of it.
    logging: { logs: { default: { ...errorLog, exclude: ['tls.handshake'] } } },
    apps: {
      http: {
        http_port: httpPort,
        https_port: httpsPort,
        servers: {
          front: {
            listen: [`${host}:${httpPort}`, `${host}:${httpsPort}`],
            protocols: ['h1', 'h2'],
            automatic_https: { disable: true },
            max_header_bytes: 1 << 15,
            tls_connection_policies: [{}],
            routes: [challengeRoute(input.challengesSocket), ...handOver(input.rulesSocket)],
            errors: { routes: [{ handle: [failure] }] },
          },
          certificates: certificateServer(input),
        },
      },
      tls: {
        automation: { policies: [{ get_certificate: certificatesFrom(certificates), issuers: [nobody] }] },
        // A ticket would be good for days after its certificate was removed.
        session_tickets: { disabled: true },
      },
    },
  }
}

const failure = text('{http.error.status_code}', '{http.error.status_code} {http.error.status_text}\n')

/** ACME's, or an application's own: the keys tell them apart. */
const challengeRoute = (socket: string): Route => ({
  match: [{ method: ['GET'], path: ['/.well-known/acme-challenge/*'] }],
  handle: [handOn(socket, [{ method: ['GET'] }])],
  terminal: true,
})

/**
 * Caddy asks for a certificate in each handshake, by HTTP over TCP only (caddytls, certmanagers.go). Of a URL's
 * password Go and Caddy write nothing into logs.
 */
const certificatesFrom = ({ address, secret }: FrontInput['certificates']) => [
  { via: 'http', url: `http://${user}:${secret}@${address}/` },
]

const user = 'front'

/**
 * Unless told otherwise, Caddy asks public authorities for whatever name a client says where all that it asks for
 * certificates have none. Error statuses end the handshake before (certmagic, handshake.go); this is for the rest.
 */
const nobody = { module: 'acme', ca: 'https://127.0.0.1:9/' }

/** Asks the keys, as though for a page of the host that the client named; the port is every local user's to reach. */
function certificateServer({ certificates: { address, secret }, keysSocket }: FrontInput): Server {
  const known = `Basic ${Buffer.from(`${user}:${secret}`).toString('base64')}`
  return {
    listen: [address],
    protocols: ['h1'],
    automatic_https: { disable: true },
    routes: [
      {
        match: [{ header: { Authorization: [known] }, query: { server_name: ['*'] } }],
        handle: [
          {
            ...handOn(keysSocket, [{ method: ['GET'] }], '1s'),
            headers: {
              request: { set: { Host: ['{http.request.uri.query.server_name}'] }, delete: ['Authorization'] },
            },
          },
        ],
        terminal: true,
      },
      { handle: [text(404, '')] },
    ],
    errors: { routes: [{ handle: [failure] }] },
  }
}
