/**
 * The configuration of the process `front`, which listens on the ports, terminates TLS and forwards requests to the
 * process `rules`. When Caddy loads a configuration, it stops its old HTTP server, which drops HTTP/1 requests that are
 * just arriving (Go's net/http, conn.serve). The configuration of `front` depends only on ports, paths and a fixed
 * secret, so no change of a rule or a certificate reloads it. While the other processes are reloaded, `front` retries
 * requests to them (forwarding.ts).
 */
import { adminOn, type CaddyConfig, errorLog, type Route, type Server, text } from './caddy.ts'
import { forwardToSocket, forwardingRoutes } from './forwarding.ts'

export interface FrontInput {
  /** The ports inside the process's network namespace. `host` is '' to listen on all addresses. */
  listen: { host: string; httpPort: number; httpsPort: number }
  adminSocket: string
  /**
   * Sockets of the other processes: of `rules` for requests, and of `keys` for certificates and for ACME challenges.
   */
  rulesSocket: string
  keysSocket: string
  challengesSocket: string
  /**
   * The loopback address where `front` requests certificates from itself, and the secret by which `front` authenticates
   * there.
   */
  certificates: { address: string; secret: string }
  /** Networks of proxies in front of this one, whose `X-Forwarded-*` headers count for applications, too. */
  trustedProxies: readonly string[]
}

export function frontConfig(input: FrontInput): CaddyConfig {
  const {
    listen: { host, httpPort, httpsPort },
    certificates,
    trustedProxies,
  } = input
  return {
    admin: adminOn(input.adminSocket),
    // Without this, every client that requests a name without a certificate would add a line to the log.
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
            ...(trustedProxies.length > 0 && { trusted_proxies: { source: 'static', ranges: trustedProxies } }),
            max_header_bytes: 1 << 15,
            tls_connection_policies: [{}],
            routes: [challengeRoute(input.challengesSocket), ...forwardingRoutes(input.rulesSocket)],
            errors: { routes: [{ handle: [failure] }] },
          },
          certificates: certificateServer(input),
        },
      },
      tls: {
        automation: { policies: [{ get_certificate: certificatesFrom(certificates), issuers: [unreachableIssuer] }] },
        // A session ticket would stay valid for days after its certificate was removed.
        session_tickets: { disabled: true },
      },
    },
  }
}

const failure = text('{http.error.status_code}', '{http.error.status_code} {http.error.status_text}\n')

/**
 * Forwards ACME challenges to `keys`. `keys` forwards the challenges of an application's own ACME client to `rules`.
 */
const challengeRoute = (socket: string): Route => ({
  match: [{ method: ['GET'], path: ['/.well-known/acme-challenge/*'] }],
  handle: [forwardToSocket(socket, [{ method: ['GET'] }])],
  terminal: true,
})

/**
 * Caddy requests a certificate in each TLS handshake. It can send this request only by HTTP over TCP, not over a unix
 * socket (caddytls, certmanagers.go). The secret is the password in the URL, which Go and Caddy do not write into logs.
 */
const certificatesFrom = ({ address, secret }: FrontInput['certificates']) => [
  { via: 'http', url: `http://${frontUser}:${secret}@${address}/` },
]

const frontUser = 'front'

/**
 * An issuer that cannot be reached. Without an issuer, Caddy requests missing certificates from public authorities, for
 * any name that a client sends. Usually, an error status from the certificate server ends the handshake before
 * Caddy uses an issuer (certmagic, handshake.go). This issuer covers the remaining cases.
 */
const unreachableIssuer = { module: 'acme', ca: 'https://127.0.0.1:9/' }

/**
 * Forwards requests of `front` for certificates to `keys`. The name that the client sent becomes the Host header. Every
 * local user can reach this port, so requests without the secret get 404.
 */
function certificateServer({ certificates: { address, secret }, keysSocket }: FrontInput): Server {
  const authorization = `Basic ${Buffer.from(`${frontUser}:${secret}`).toString('base64')}`
  return {
    listen: [address],
    protocols: ['h1'],
    automatic_https: { disable: true },
    routes: [
      {
        match: [{ header: { Authorization: [authorization] }, query: { server_name: ['*'] } }],
        handle: [
          {
            ...forwardToSocket(keysSocket, [{ method: ['GET'] }], '1s'),
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
